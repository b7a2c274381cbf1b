public import FerryCore

/// Makes URLs that carry a signature: anyone with the URL can send one kind of request for one object, for a while, without
/// any credentials.
///
/// Nothing is asked of the store, and no clock is read.
public struct Presigner: Sendable {
    /// What signs.
    public var credentials: ObjectStoreCredentials
    /// Where the buckets are.
    public var addressing: ObjectStoreAddressing
    /// How it is signed.
    public var version: SignatureVersion

    /// The longest time that a signature of version 4 is valid for.
    public static let longestLifetime = Duration.seconds(7 * 86_400)

    /// Creates a presigner.
    public init(
        _ credentials: ObjectStoreCredentials,
        addressing: ObjectStoreAddressing = ObjectStoreAddressing(),
        version: SignatureVersion = .v4
    ) {
        self.credentials = credentials
        self.addressing = addressing
        self.version = version
    }

    /// Returns a URL for one kind of request.
    ///
    /// - Parameters:
    ///   - method: the method that the URL is valid for.
    ///   - name: the object.
    ///   - lifetime: how long the URL is valid, at most ``longestLifetime``; a fraction of a second is dropped.
    ///   - now: the present moment.
    ///   - headers: fields that the request must be sent with, in these words.
    ///   - parameters: parameters of the query, such as `versionId`, not encoded.
    /// - Throws: ``SigningRefusal``.
    public func url(
        _ method: HTTPRequest.Method,
        _ name: ObjectName,
        lifetime: Duration,
        at now: Instant,
        headers: [HeaderField] = [],
        parameters: [(name: String, value: String?)] = []
    ) throws(SigningRefusal) -> HTTPURL {
        guard lifetime >= .seconds(1), lifetime <= Self.longestLifetime else {
            throw .lifetime(longest: Self.longestLifetime)
        }
        if let header = headers.first(where: { ["authorization", "host"].contains($0.name.lowercased()) }) {
            throw .reserved(name: header.name)
        }
        if let parameter = parameters.first(where: { Self.isReserved($0.name) }) {
            throw .reserved(name: parameter.name)
        }
        let request = ObjectRequest(
            method: method.rawValue,
            address: try ObjectAddress(name.store, bucket: name.bucket, key: name.key, addressing),
            parameters: parameters,
            headers: headers
        )
        return try ObjectSigner(name.store, credentials, version)
            .url(for: request, lasting: lifetime.components.seconds, at: now)
    }

    /// Whether a parameter is one that signatures of any store add.
    private static func isReserved(_ name: String) -> Bool {
        let name = name.lowercased()
        if ["expires", "ossaccesskeyid", "security-token", "signature"].contains(name) { return true }
        let added = [
            "additional-headers", "algorithm", "credential", "date", "expires", "security-token", "signature",
            "signature-version", "signedheaders",
        ]
        return ["x-amz-", "x-goog-", "x-oss-"].contains { prefix in
            name.hasPrefix(prefix) && added.contains(String(name.dropFirst(prefix.count)))
        }
    }
}
