/// A passphrase that a file is sealed with.
package struct Passphrase: Sendable {
    let bytes: [UInt8]

    /// Takes a passphrase; `nil` for an empty one, which would protect nothing.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        bytes = Array(text.utf8)
    }

    /// Whether a text is this passphrase, byte for byte.
    package func isSame(as text: String) -> Bool { text.utf8.elementsEqual(bytes) }
}

extension Passphrase: CustomStringConvertible {
    /// Shows neither a part of it nor its length (I7).
    package var description: String { "…" }
}
