/// How a request is signed.
public enum SignatureVersion: String, Hashable, Sendable, Codable, CaseIterable {
    /// HMAC-SHA1 without a region. Only OSS has it, and no longer for new accounts.
    case v1
    /// HMAC-SHA256 with a key for one day, one region and one service, or RSA for Google.
    case v4
}
