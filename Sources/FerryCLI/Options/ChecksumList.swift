import Ferry

/// The digests that `--checksum-file` names.
struct ChecksumList: Sendable {
    private let path: String
    private let file: ChecksumFile

    /// Reads the file; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when it cannot be read, and 64 when there is no digest in it.
    init(path: String, environment: ProcessEnvironment) throws(CommandFailure) {
        self.path = path
        guard !path.hasPrefix("http://"), !path.hasPrefix("https://") else {
            throw .usage(
                "--checksum-file reads a file on this machine.",
                hint: "Download it first: ferry get '\(path)'"
            )
        }
        let text: String
        do {
            let expanded = FilePath.expandingTilde(path, home: environment.home)
            // One byte more than would do shows that it is too long.
            text = try FileReader.read(expanded, atMost: ChecksumFile.longest + 1).text
        } catch {
            throw CommandFailure(.cannotOpen, code: "cannotOpen", "Cannot read \(path): \(error.reason).")
        }
        do {
            file = try ChecksumFile(parsing: text)
        } catch {
            throw .usage("\(path) is no file of checksums. \(error)")
        }
    }

    /// The digest of what a URL names: under its own name, or else under the one that it is to be saved as.
    ///
    /// - Throws: ``CommandFailure`` with status 64 when there is none, or not only one.
    func checksum(of url: HTTPURL, savedTo destination: Destination) throws(CommandFailure) -> Checksum {
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
            "\(path) cannot tell the digest of \(url.redacted). \(problem)",
            hint: "Give the digest itself with --checksum, or the name that is listed with -o."
        )
    }
}
