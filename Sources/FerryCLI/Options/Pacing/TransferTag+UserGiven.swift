import ArgumentParser
import Ferry
import FerryFrontend

extension TransferTag {
    /// Reads a tag from a command line.
    ///
    /// - Throws: `ValidationError` for an invalid tag.
    static func read(_ text: String) throws -> TransferTag {
        do throws(Invalid) {
            return try TransferTag(text)
        } catch {
            throw ValidationError("'\(TerminalText.safe(text))': \(error)")
        }
    }
}
