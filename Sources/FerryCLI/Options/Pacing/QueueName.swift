import ArgumentParser
import Ferry
import FerryFrontend

/// The name of a queue, as given on a command line.
struct QueueName: Hashable, Sendable {
    /// The name.
    let text: String

    /// Reads an argument.
    ///
    /// - Throws: `ValidationError` for an invalid name.
    static func read(_ text: String) throws -> QueueName {
        guard TransferQueue.isName(text) else {
            throw ValidationError("'\(TerminalText.safe(text))': \(TransferQueue.Flaw.name(text))")
        }
        return QueueName(text: text)
    }
}
