import FerrySealed

/// The bytes of a sealed file, from its beginning on. ASCII armor is taken off.
struct SealedFeed {
    /// The file, as messages quote it.
    let name: String
    /// The file itself.
    let stream: FileStream
    /// Whether any range of the file can be read without what comes before it.
    let isSeekable: Bool
    /// What was read and not used yet.
    var held: [UInt8] = []
    /// Whether there is no more.
    private(set) var hasEnded = false
    private var armor: ArmorReader?

    /// Enough bytes to tell whether a file is in ASCII armor.
    private static let beginning = 4096

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` with status 15 if it cannot be read.
    init(_ path: String, _ environment: ProcessEnvironment) throws(CommandFailure) {
        name = path == "-" ? "standard input" : QuotedWord(path).description
        do throws(FileReader.Problem) {
            stream = try FileStream(FilePath.expandingTilde(path, home: environment.home), from: .stream)
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
        var bytes: [UInt8] = []
        while bytes.count < Self.beginning, !hasEnded {
            let part = try Self.next(of: stream, name)
            bytes += part
            hasEnded = part.isEmpty
        }
        let isArmored = ArmorReader.isArmored(bytes)
        // Another process may have read a part of standard input.
        isSeekable = path != "-" && stream.isRegularFile && !isArmored
        if isArmored { armor = ArmorReader() }
        try hold(bytes)
    }

    /// Reads the next bytes.
    ///
    /// - Throws: ``CommandFailure`` with status 15 if they cannot be read, or the armor is invalid.
    mutating func more() throws(CommandFailure) {
        guard !hasEnded else { return }
        let part = try Self.next(of: stream, name)
        hasEnded = part.isEmpty
        try hold(part)
    }

    private static func next(
        of stream: FileStream,
        _ name: String
    ) throws(CommandFailure) -> ArraySlice<UInt8> {
        do throws(FileReader.Problem) {
            return try stream.next()
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
    }

    private mutating func hold(_ part: some Collection<UInt8>) throws(CommandFailure) {
        guard var reader = armor else { return held += part }
        do throws(SealedProblem) {
            held += try reader.take(part)
            if hasEnded { held += try reader.finish() }
        } catch {
            throw CommandFailure(error, in: name)
        }
        armor = reader
    }
}
