import ArgumentParser
import Ferry
import FerryFrontend

extension TransferTag {
    /// Reads a tag from a command line.
    ///
    /// - Throws: `ValidationError` for an invalid tag.
    static func read(_ text: String) throws -> TransferTag {
        guard let tag = TransferTag(text) else {
            throw ValidationError(
                "A tag has 1 to \(longest) bytes and no control characters; '\(TerminalText.safe(text))' is not valid."
            )
        }
        return tag
    }
}
