import ArgumentParser
import Ferry
import FerryFrontend

/// The name of a queue, as given on a command line.
struct QueueName: Hashable, Sendable {
    /// The name.
    let text: String

    /// Checks a name.
    ///
    /// - Throws: `ValidationError` for an invalid name.
    init(_ text: String) throws {
        guard TransferQueue.isName(text) else {
            throw ValidationError("'\(TerminalText.safe(text))': \(TransferQueue.Flaw.name(text))")
        }
        self.text = text
    }

    /// Reads an argument.
    static func read(_ text: String) throws -> QueueName { try QueueName(text) }
}
