/// What the value of a signature's parameter looks like. A name alone may be anyone's.
enum QueryValueForm {
    /// Any value, for a name that only this signature uses.
    case anything
    /// `YYYY-MM-DD`.
    case date
    /// Seconds since 1970, or a date with or without a time of day.
    case moment
    /// A padded Base64 text of 32 bytes, as of an HMAC with SHA-256.
    case base64Of32
    /// An unpadded Base64 text of 16 bytes in the alphabet for URLs, as of an MD5.
    case base64URLOf16

    /// Whether a percent-decoded value has this form.
    func fits(_ value: [UInt8]?) -> Bool {
        if case .anything = self { return true }
        guard let value else { return false }
        switch self {
        case .anything: return true
        case .date: return value.count == 10 && Self.beginsWithDate(value)
        case .moment:
            return Self.beginsWithDate(value) || (!value.isEmpty && value.allSatisfy(Self.isDigit))
        case .base64Of32:
            return value.count == 44 && value.last == 0x3D
                && value.dropLast().allSatisfy { Self.isAlphanumeric($0) || $0 == 0x2B || $0 == 0x2F }
        case .base64URLOf16:
            return value.count == 22
                && value.allSatisfy { Self.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F }
        }
    }

    private static func beginsWithDate(_ value: [UInt8]) -> Bool {
        value.count >= 10
            && value.prefix(10).enumerated().allSatisfy { index, byte in
                index == 4 || index == 7 ? byte == 0x2D : isDigit(byte)
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
