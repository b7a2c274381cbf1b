import Ferry

/// A shell command that prints a fresh URL.
///
/// It gets the old URL in its environment. Its output is shown nowhere: both may be secrets (I7).
struct RefreshCommand: Sendable {
    /// The command line.
    var line: String
    /// Its time limit.
    var limit: Duration = .seconds(60)

    /// The output of the command is not a URL.
    struct NoURL: Error, Hashable, Sendable {}

    /// Runs the command and reads the URL in the first line of its output. If the task is cancelled, the command is
    /// killed with everything that it has started.
    ///
    /// - Throws: ``NoURL``, or ``ShellCommand/Failure``.
    func freshURL(for id: TransferID, instead url: HTTPURL) async throws -> HTTPURL {
        let command = ShellCommand(
            line: line,
            variables: ["FERRY_ID": "\(id)", "FERRY_URL": url.absoluteString],
            limit: limit
        )
        let output = try await command.output()
        guard let text = output.split(separator: UInt8(ascii: "\n")).first else { throw NoURL() }
        do {
            let word = String(decoding: text, as: UTF8.self)
            return try HTTPURL(parsing: String(word.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }))
        } catch {
            throw NoURL()
        }
    }
}
