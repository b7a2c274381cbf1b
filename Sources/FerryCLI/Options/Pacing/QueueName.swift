import ArgumentParser
import Ferry

/// The name of a queue, as a command line gives it.
struct QueueName: Hashable, Sendable {
    /// The name.
    let text: String

    /// Takes a name.
    ///
    /// - Throws: `ValidationError` for a text that is none.
    init(_ text: String) throws {
        guard TransferQueue.isName(text) else {
            throw ValidationError("'\(TerminalText.safe(text))': \(TransferQueue.Flaw.name(text))")
        }
        self.text = text
    }

    /// Reads an argument.
    static func read(_ text: String) throws -> QueueName { try QueueName(text) }
}
