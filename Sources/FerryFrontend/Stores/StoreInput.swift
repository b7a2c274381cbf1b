package import Ferry

/// How a store is to be reached, as texts that are not checked yet. ``StoreSettings`` reads and checks them.
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
    /// What was given with a transfer, as texts.
    package init(_ reference: StoreReference) {
        profile = reference.profile
        region = reference.region
        endpoint = reference.endpoint?.absoluteString
        pathStyle = reference.style == .path
        customDomain = reference.style == .customDomain
        version = reference.version?.rawValue
    }

    /// What is kept with a transfer; `nil` if nothing was typed.
    var reference: StoreReference? {
        get throws(CommandFailure) {
            var reference = StoreReference()
            reference.profile = profile
            reference.region = region
            reference.endpoint = try StoreSettings.endpoint(endpoint, nil)
            let style = try StoreSettings.style(self, nil)
            reference.style = style == .automatic ? nil : style
            reference.version = try version.map { text throws(CommandFailure) in
                try StoreSettings.version(text, nil)
            }
            return reference == StoreReference() ? nil : reference
        }
    }
}
