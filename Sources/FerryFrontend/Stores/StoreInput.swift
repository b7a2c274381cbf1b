/// How a store is to be reached, as texts that are not checked yet. ``StoreAccess`` reads and checks them.
package struct StoreInput: Sendable {
    /// The profile in the files of the store's own tools.
    package var profile: String?
    /// The region of the bucket.
    package var region: String?
    /// The URL of the server.
    package var endpoint: String?
    /// Whether the bucket stands in the path.
    package var pathStyle = false
    /// Whether the host of the endpoint belongs to the bucket.
    package var customDomain = false
    /// The version of the signature.
    package var version: String?

    package init() {}
}
