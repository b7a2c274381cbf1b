import Ferry

/// A wrong line of a list of downloads.
struct ListFlaw: Error {
    let line: Int
    private let cause: CommandFailure

    /// A line that cannot be read.
    init(_ error: ListFile.ParseError) {
        self.init(line: error.line, .usage(error.reason.description))
    }

    /// A line that can be read, but not be used.
    init(line: Int, _ failure: CommandFailure) {
        (self.line, cause) = (line, failure)
    }

    /// The failure of the line.
    func failure(in list: String) -> CommandFailure {
        cause.located(at: "\(list), line \(line)")
    }
}
