/// A content coding that Ferry can decode (RFC 9110 §8.4.1).
package enum ContentCoding: String, Hashable, Sendable, CaseIterable {
    /// One or several members of RFC 1952, one after the other.
    case gzip
    /// The format of RFC 1950. Some servers send RFC 1951 without a frame instead, which is decoded too.
    case deflate
}

extension ContentCoding {
    /// The names of codings in `Content-Encoding` fields, in order and with aliases resolved. Names that change
    /// nothing in the bytes are left out.
    static func names(in fields: [String]) -> [String] {
        fields.flatMap { $0.utf8.split(separator: 0x2C) }.map { $0.trimmingBlanks.lowercasedASCIIText }
            .filter { !$0.isEmpty && !idle.contains($0) }.map { aliases[$0] ?? $0 }
    }

    /// Names in the field that change nothing in the body: how it was uploaded (`aws-chunked`, which object stores
    /// keep), and values that belong in other fields.
    private static let idle: Set<String> = [
        "identity", "x-identity", "none", "binary", "7bit", "8bit", "utf-8", "utf8", "aws-chunked",
    ]

    /// Old names (RFC 9110 §8.4.1).
    private static let aliases = ["x-gzip": "gzip", "x-compress": "compress"]
}
