/// Untrusted bytes, and the ways in which a property takes its arguments from them.
package struct OutsideInput: Sendable {
    /// The bytes.
    package let bytes: [UInt8]

    /// Creates an input.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The bytes as text; invalid UTF-8 becomes U+FFFD, as on real input.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The first line, and everything after its end.
    package var headAndTail: (head: String, tail: OutsideInput) {
        guard let end = bytes.firstIndex(of: 0x0A) else { return (text, OutsideInput([])) }
        return (OutsideInput(Array(bytes[..<end])).text, OutsideInput(Array(bytes[(end + 1)...])))
    }

    /// The lines, without line breaks.
    package var lines: [String] {
        bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
