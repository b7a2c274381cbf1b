/// The form of the value of a signature's parameter. A name alone is no proof, because other services may use it.
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
        guard let value else { return self == .anything }
        switch self {
        case .anything: return true
        case .date: return value.count == 10 && Self.beginsWithDate(value)
        case .moment:
            return Self.beginsWithDate(value) || (!value.isEmpty && value.allSatisfy(\.isDigit))
        case .base64Of32:
            return value.count == 44 && value.last == 0x3D
                && value.dropLast().allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x2B || $0 == 0x2F }
        case .base64URLOf16:
            return value.count == 22
                && value.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x2D || $0 == 0x5F }
        }
    }

    private static func beginsWithDate(_ value: [UInt8]) -> Bool {
        value.count >= 10
            && value.prefix(10).enumerated().allSatisfy { index, byte in
                index == 4 || index == 7 ? byte == 0x2D : byte.isDigit
            }
    }
}
