import FerryCore
import FerryUploads

/// A request that another library has signed.
struct SignedCase: Decodable {
    var signer: String
    var store: String
    var version: String
    var accessKey: String
    var secret: String
    var token: String?
    /// The key of a service account, in place of the secret.
    var privateKey: String?
    var region: String
    var endpoint: String?
    var style: String
    var method: String
    var bucket: String
    var key: String
    var parameters: [[String]]
    var headers: [[String]]
    /// The moment, in seconds since 1970.
    var now: Int64
    /// How long the URL is valid.
    var seconds: Int64
    /// The SHA-256 of the body; `nil` if it is not signed.
    var payload: String?
    var compare: Comparison
    /// What the library made.
    var expected: String

    /// What must be the same.
    enum Comparison: String, Decodable {
        case url, sorted, authorization, signature
    }

    /// What both libraries made of the request, in the form that is compared.
    func results() throws -> (ours: String, theirs: String) {
        switch compare {
        case .url: (try url(), expected)
        case .sorted: (Self.sorted(try url()), Self.sorted(expected))
        case .authorization: (try authorization(), expected)
        case .signature: (Self.signature(in: try authorization()), Self.signature(in: expected))
        }
    }

    private func url() throws -> String {
        try storeSigner().url(for: request(), lasting: seconds, at: Instant(seconds: now)).absoluteString
    }

    private func authorization() throws -> String {
        let payload: ObjectPayload = payload.map { .sha256(hex: $0) } ?? .unsigned
        let fields = try storeSigner().fields(for: request(), payload, at: Instant(seconds: now))
        return fields.last?.value ?? ""
    }

    private func storeSigner() throws -> ObjectSigner {
        let credentials =
            privateKey.map { ObjectStoreCredentials(serviceAccount: accessKey, privateKey: $0) }
            ?? ObjectStoreCredentials(accessKey: accessKey, secret: secret, sessionToken: token)
        return try ObjectSigner(kind(), credentials, SignatureVersion(rawValue: version) ?? .v4)
    }

    private func kind() -> ObjectStore { ObjectStore(rawValue: store) ?? .s3 }

    private func request() throws -> ObjectRequest {
        let styles: [String: ObjectStoreAddressing.Style] = ["path": .path, "virtual": .virtualHost]
        let addressing = ObjectStoreAddressing(
            region: region,
            endpoint: try endpoint.map { try HTTPURL(parsing: $0) },
            style: styles[style] ?? .automatic
        )
        return ObjectRequest(
            method: method,
            address: try ObjectAddress(kind(), bucket: bucket, key: key, addressing),
            parameters: parameters.map { ($0[0], $0[1]) },
            headers: headers.map { HeaderField(name: $0[0], value: $0[1]) }
        )
    }

    /// A URL with its parameters in order.
    private static func sorted(_ url: String) -> String {
        let parts = url.split(separator: "?", maxSplits: 1)
        let parameters = parts.dropFirst().first.map { $0.split(separator: "&").sorted() } ?? []
        return "\(parts[0])?\(parameters.joined(separator: "&"))"
    }

    private static func signature(in field: String) -> String {
        guard let range = field.firstRange(of: "Signature=") else { return field }
        return String(field[range.upperBound...].prefix { $0.isHexDigit })
    }
}
