/// The list of `-i`: a file, a pipe or standard input, which can be read again from its beginning.
struct ListStream {
    /// Its name in messages.
    let name: String
    private let file: RepeatableFile

    /// Opens the list at `path`; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when it cannot be opened.
    init(_ path: String, _ environment: ProcessEnvironment) throws(CommandFailure) {
        name = path == "-" ? "the list on standard input" : QuotedWord(path).description
        do {
            file = try RepeatableFile(
                FilePath.expandingTilde(path, home: environment.home),
                keptIn: environment.temporaryDirectory
            )
        } catch {
            throw Self.unreadable(name, error)
        }
    }

    /// Goes back to the beginning.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when it cannot be read.
    func rewind() throws(CommandFailure) {
        do {
            try file.rewind()
        } catch {
            throw Self.unreadable(name, error)
        }
    }

    /// The next part; empty at the end.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when it cannot be read, or has changed.
    func next() throws(CommandFailure) -> ArraySlice<UInt8> {
        do {
            return try file.next()
        } catch {
            throw Self.unreadable(name, error)
        }
    }

    private static func unreadable(_ name: String, _ problem: FileReader.Problem) -> CommandFailure {
        let status: ExitStatus = problem.isDiskFull ? .diskFull : .cannotOpen
        return CommandFailure(
            status,
            code: problem.isDiskFull ? "diskFull" : "cannotOpen",
            "Cannot read \(name): \(problem.reason)."
        )
    }
}
