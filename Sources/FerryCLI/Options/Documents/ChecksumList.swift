import Ferry

/// The digests that `--checksum-file` names, or that lie beside a download.
struct ChecksumList: Sendable {
    private let name: String
    private let file: ChecksumFile

    /// Reads what a document says.
    ///
    /// - Parameter name: what a message calls the document.
    /// - Throws: ``CommandFailure`` with status 64 when there is no digest in it.
    init(parsing bytes: [UInt8], named name: String) throws(CommandFailure) {
        self.name = name
        do {
            file = try ChecksumFile(parsing: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .usage("\(name) is no file of checksums. \(error)")
        }
    }

    /// Reads a file on this machine; `nil` when it is elsewhere.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when it cannot be read, and 64 when there is no digest in it.
    init?(_ source: DocumentSource, _ environment: ProcessEnvironment) throws(CommandFailure) {
        guard let bytes = try source.read(atMost: ChecksumFile.longest, environment) else { return nil }
        try self.init(parsing: bytes, named: source.name)
    }

    /// The digest of what a URL names: under its own name, or else under the one that it is to be saved as.
    ///
    /// - Throws: ``CommandFailure`` with status 64 when there is none, or not only one.
    func checksum(
        of url: HTTPURL,
        savedTo destination: Destination
    ) throws(CommandFailure)
        -> Checksum
    {
        var names = url.lastPathSegment.map { [$0] } ?? []
        if case .file(_, .some(let name)) = destination { names.append(name.rawValue) }
        var problem = ChecksumFile.LookupError.notListed
        for name in names.isEmpty ? [FileName.fallback.rawValue] : names {
            do {
                return try file.checksum(of: name)
            } catch {
                if error != .notListed { problem = error }
            }
        }
        throw .usage(
            "\(name) cannot tell the digest of \(url.redacted). \(problem)",
            hint: "Give the digest itself with --checksum, or the name that is listed with -o."
        )
    }

    /// The names of the files that are listed, each once, in their order.
    var names: [String] {
        var known: Set<String> = []
        return file.entries.compactMap(\.name).filter { known.insert($0).inserted }
    }

    /// How many files the list has only digests of that Ferry cannot compute.
    var unknownCount: Int { Set(file.unknown).subtracting(names).count }

    /// The digest of a file that is here, by its path.
    ///
    /// - Throws: ``CommandFailure`` with status 64 when there is none, or not only one.
    func checksum(ofFile path: String) throws(CommandFailure) -> Checksum {
        do {
            return try file.checksum(of: path)
        } catch {
            throw .usage("\(name) cannot tell the digest of \(path). \(error)")
        }
    }
}
