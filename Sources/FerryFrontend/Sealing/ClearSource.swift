package import FerrySealed

/// What is sealed: a file or a pipe, alone or as the data of a sectioned file.
package struct ClearSource {
    /// The file, as messages quote it.
    package let name: String
    private let stream: FileStream
    /// What stands before its bytes in the payload.
    private var front: [UInt8] = []
    /// How many bytes the file must have; `nil` if any number is right.
    private var expected: Int64?

    /// Maximum length of the metadata, and of the thumbnail, in bytes.
    package static let longestSection = SealedPayload.longestThumbnail

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` with status 15 if it cannot be read.
    package init(_ path: String, _ environment: ProcessEnvironment) throws(CommandFailure) {
        name = path == "-" ? "standard input" : QuotedWord(path).description
        do throws(FileReader.Problem) {
            stream = try FileStream(FilePath.expandingTilde(path, home: environment.home), from: .stream)
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
    }

    /// Puts sections before the file.
    ///
    /// - Parameters:
    ///   - metadata: the path of the metadata; `nil` for none.
    ///   - thumbnail: the path of the thumbnail; `nil` for none.
    /// - Throws: ``CommandFailure`` with status 15 for a file that cannot be read or is too long, and with 64 for a pipe: the
    ///   length of the data stands before it.
    package mutating func addSections(
        metadata: String?,
        thumbnail: String?,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) {
        guard stream.isRegularFile else {
            throw .usage("\(name) is a pipe. Sections need a file, because its length must be known first.")
        }
        let metadata =
            try metadata.map { path throws(CommandFailure) in try Self.section(path, environment) } ?? []
        let thumbnail =
            try thumbnail.map { path throws(CommandFailure) in try Self.section(path, environment) } ?? []
        let header = SectionedHeader(
            metadata: Int64(metadata.count),
            thumbnail: thumbnail,
            data: stream.length
        )
        front = header.encoded
        for (section, bytes) in [(Section.metadata, metadata), (.thumbnail, thumbnail), (.data, [])] {
            guard let range = header.range(of: section) else { continue }
            front += [UInt8](repeating: 0, count: Int(range.lowerBound) - front.count) + bytes
        }
        expected = stream.length
    }

    private static func section(
        _ path: String,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> [UInt8] {
        let name = QuotedWord(path).description
        do throws(FileReader.Problem) {
            let path = FilePath.expandingTilde(path, home: environment.home)
            let bytes = try FileReader.read(path, atMost: longestSection + 1).bytes
            guard bytes.count > longestSection else { return bytes }
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
        throw CommandFailure(
            .cannotOpen,
            code: "sectionTooLong",
            "\(name) has more than \(longestSection >> 20) MiB, which is too long for metadata or a thumbnail."
        )
    }

    /// Seals the file to its end.
    ///
    /// - Parameters:
    ///   - preamble: what stands before the payload. It is used for nothing else.
    ///   - take: takes sealed bytes, in order; returns whether more are wanted.
    /// - Returns: the number of bytes that were read of the file.
    /// - Throws: ``CommandFailure`` if the file cannot be read, or has changed meanwhile.
    package func seal(
        _ preamble: SealedPreamble,
        _ take: ([UInt8]) async throws -> Bool
    ) async throws -> Int64 {
        var sealer = StreamSealer(preamble.key)
        var length: Int64 = 0
        let version = try reading { () throws(FileReader.Problem) in try stream.version() }
        guard try await take(preamble.bytes + sealer.take(front)) else { return length }
        while true {
            let part = try reading { () throws(FileReader.Problem) in try stream.next() }
            if part.isEmpty { break }
            length += Int64(part.count)
            let sealed = try sealer.take(part)
            if !sealed.isEmpty, try await !take(sealed) { return length }
        }
        guard try reading({ () throws(FileReader.Problem) in try stream.version() }) == version,
            expected == nil || expected == length
        else { throw CommandFailure(unreadable: name, .changed) }
        _ = try await take(try sealer.finish())
        return length
    }

    private func reading<Value>(
        _ read: () throws(FileReader.Problem) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(FileReader.Problem) {
            return try read()
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
    }
}
