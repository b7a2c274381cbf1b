public import FerryCore

/// Why a request is not signed.
public enum SigningRefusal: Error, Hashable, Sendable {
    /// The access key or its secret is empty.
    case emptyCredentials
    /// The private key of a service account is no RSA key of at least 2048 bits.
    case invalidPrivateKey
    /// Only Google Cloud Storage has service accounts.
    case serviceAccountUnsupported(ObjectStore)
    /// The signature names the region of the bucket, and nothing tells it.
    case missingRegion(ObjectStore)
    /// The region has characters that no region has.
    case invalidRegion
    /// A custom domain is the host of an endpoint, but no endpoint was given.
    case missingEndpoint
    /// The endpoint has a user, a query or a fragment.
    case invalidEndpoint
    /// The URL would be valid for less than a second, or for longer than this.
    case lifetime(longest: Duration)
    /// Only OSS has signatures of version 1.
    case unsupportedVersion(ObjectStore)
    /// Google Cloud Storage takes no temporary credentials in a signature.
    case sessionTokenUnsupported
    /// The signature sets this header field or parameter itself.
    case reserved(name: String)
    /// The URL would be longer than a URL may be.
    case tooLong
}

extension SigningRefusal: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .emptyCredentials: "The access key or its secret is empty."
        case .invalidPrivateKey:
            "The private key of the service account is not an RSA key of at least 2048 bits in the form of PEM."
        case .serviceAccountUnsupported(let store):
            "\(store) has no service accounts; it needs an access key."
        case .missingRegion(let store): "The region of the bucket is missing; \(store) signatures name it."
        case .invalidRegion: "The region may have only letters, digits, '-' and '_'."
        case .missingEndpoint: "A custom domain needs its endpoint, such as https://files.example.org."
        case .invalidEndpoint: "The endpoint may have no user, no query and no fragment."
        case .lifetime(let longest):
            "A signed URL is valid for at least a second, and for at most \(longest.components.seconds / 86_400) days."
        case .unsupportedVersion(let store): "\(store) has no signatures of version 1; only OSS has."
        case .sessionTokenUnsupported:
            "\(ObjectStore.gs) takes no temporary credentials in a signature; it needs an HMAC key or a service account."
        case .reserved(let name): "The signature sets \(name) itself."
        case .tooLong: "The signed URL would be longer than a URL may be."
        }
    }
}
