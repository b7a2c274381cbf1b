/// Where the buckets of a store are, and how a request names one.
public struct ObjectStoreAddressing: Hashable, Sendable, Codable {
    /// The region of the bucket; `nil` if the endpoint tells it, or the store needs none.
    public var region: String?
    /// The server, if it is not the store's own. Its port and the prefix in its path are kept.
    public var endpoint: HTTPURL?
    /// Where a request names the bucket.
    public var style: Style

    /// Where a request names the bucket.
    public enum Style: String, Hashable, Sendable, Codable {
        /// In the host if the server and the bucket allow it, otherwise in the path.
        case automatic
        /// In the host: `https://bucket.server/key`. IP addresses have no such hosts, so there it is the path.
        case virtualHost
        /// In the path: `https://server/bucket/key`.
        case path
        /// Nowhere: the host of the endpoint belongs to the bucket.
        case customDomain
    }

    /// Creates an addressing.
    public init(region: String? = nil, endpoint: HTTPURL? = nil, style: Style = .automatic) {
        self.region = region
        self.endpoint = endpoint
        self.style = style
    }
}
