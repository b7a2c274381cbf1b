import ArgumentParser
import Ferry
import FerryFrontend

extension TransferTag {
    /// Reads a tag from a command line.
    ///
    /// - Throws: `ValidationError` for an invalid tag.
    static func read(_ text: String) throws -> TransferTag { try read(text, TransferTag.init(_:)) }

    /// Reads a name from a command line.
    static func read<Name>(
        _ text: String,
        _ read: (String) throws(TransferTag.Invalid) -> Name
    ) throws -> Name {
        do throws(TransferTag.Invalid) {
            return try read(text)
        } catch {
            throw ValidationError("'\(TerminalText.safe(text))': \(error)")
        }
    }
}
