/// A line that is typed without being shown, key by key.
struct SecretLine {
    private var bytes: [UInt8] = []

    /// What a key does to the line.
    enum Effect: Hashable {
        /// More keys follow.
        case goesOn
        /// The line is complete.
        case isDone([UInt8])
        /// The person does not want to answer.
        case isCancelled
    }

    /// The number of bytes so far.
    var count: Int { bytes.count }

    /// Takes a byte of a key.
    mutating func take(_ byte: UInt8) -> Effect {
        switch byte {
        case 0x0A, 0x0D: return .isDone(bytes)
        case 0x03: return .isCancelled
        case 0x04: return bytes.isEmpty ? .isCancelled : .isDone(bytes)
        case 0x15: bytes = []
        case 0x08, 0x7F:
            // A character is a first byte and those that continue it.
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        default: bytes.append(byte)
        }
        return .goesOn
    }
}
