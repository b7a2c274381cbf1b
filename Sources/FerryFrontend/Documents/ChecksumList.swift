package import Ferry

/// The digests of a `--checksum-file`, or of a file beside a download.
package struct ChecksumList: Sendable {
    private let name: String
    private let file: ChecksumFile

    /// Reads a document.
    ///
    /// - Parameter name: the name of the document in messages.
    /// - Throws: ``CommandFailure`` with status 64 when it has no digest.
    package init(parsing bytes: [UInt8], named name: String) throws(CommandFailure) {
        self.name = name
        do {
            file = try ChecksumFile(parsing: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .usage("\(name) is not a checksum file. \(error)")
        }
    }

    /// Reads a file on this machine; `nil` for a URL.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when it cannot be read, and 64 when it has no digest.
    package init?(_ source: DocumentSource, _ environment: ProcessEnvironment) throws(CommandFailure) {
        guard let bytes = try source.read(atMost: ChecksumFile.longest, environment) else { return nil }
        try self.init(parsing: bytes, named: source.name)
    }

    /// The digest of a download's file: by the name in its URL, otherwise by the name that it is saved as. A sealed file has
    /// the digest of its bytes in clear, so its name without `.age` comes before that.
    ///
    /// - Throws: ``CommandFailure`` with status 64 when there is no digest, or more than one.
    package func checksum(of download: DownloadSpecification) throws(CommandFailure) -> Checksum {
        let url = download.url
        var names = url.lastPathSegment.map { [$0] } ?? []
        if case .file(_, .some(let name)) = download.destination {
            if download.options.isSealed, let opened = SealedName.opened(name.rawValue) {
                names.append(opened)
            }
            names.append(name.rawValue)
        }
        var problem = ChecksumFile.LookupError.notListed
        for name in names.isEmpty ? [FileName.fallback.rawValue] : names {
            do {
                return try file.checksum(of: name)
            } catch {
                if error != .notListed { problem = error }
            }
        }
        throw .usage(
            "\(name) has no usable digest for \(url.redacted). \(problem)",
            hint: "Give the digest with --checksum, or the listed name with -o."
        )
    }

    /// The names of the listed files, each once, in their order. Names that differ in any byte are different names.
    package var names: [String] {
        var known: Set<[UInt8]> = []
        return file.entries.compactMap(\.name).filter { known.insert(Array($0.utf8)).inserted }
    }

    /// Number of files for which the list has only digests that Ferry cannot compute.
    package var unknownCount: Int {
        Set(file.unknown.map { Array($0.utf8) }).subtracting(names.map { Array($0.utf8) }).count
    }

    /// The digest of a local file, by its path.
    ///
    /// - Throws: ``CommandFailure`` with status 64 when there is no digest, or more than one.
    package func checksum(ofFile path: String) throws(CommandFailure) -> Checksum {
        do {
            return try file.checksum(of: path)
        } catch {
            throw .usage("\(name) has no usable digest for \(path). \(error)")
        }
    }
}
