package import Ferry

/// How a store is to be reached, as texts that are not checked yet. ``ObjectStoreSettings`` reads and checks them.
package struct ObjectStoreInput: Hashable, Sendable {
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
    /// The version of the object.
    package var objectVersion: String?

    package init() {}

    /// What was given with a transfer, as texts.
    package init(_ reference: ObjectStoreReference) {
        profile = reference.profile
        region = reference.region
        endpoint = reference.endpoint?.absoluteString
        pathStyle = reference.style == .path
        customDomain = reference.style == .customDomain
        version = reference.version?.rawValue
    }

    /// What is kept with a transfer; `nil` if nothing was typed.
    var reference: ObjectStoreReference? {
        get throws(CommandFailure) {
            var reference = ObjectStoreReference()
            reference.profile = profile
            reference.region = region
            reference.endpoint = try Self.endpoint(endpoint, nil)
            let style = try Self.style(self, nil)
            reference.style = style == .automatic ? nil : style
            reference.version = try version.map { text throws(CommandFailure) in
                try Self.version(text, nil)
            }
            reference.objectVersion = objectVersion
            return reference == ObjectStoreReference() ? nil : reference
        }
    }

    // MARK: Checking

    static func endpoint(_ option: String?, _ setting: String?) throws(CommandFailure) -> HTTPURL? {
        guard let text = option ?? setting else { return nil }
        // ossutil writes a bare host into its file.
        let url = option == nil && !text.contains("://") ? "https://\(text)" : text
        let hint = "Give it with --endpoint URL."
        let endpoint: HTTPURL
        do {
            endpoint = try HTTPURL(parsing: url)
        } catch {
            throw .usage("The endpoint is not valid. \(error.description)", hint: hint)
        }
        guard endpoint.scheme.store == nil else {
            throw .usage("The endpoint must be a server, such as http://localhost:9000.", hint: hint)
        }
        // It is kept with the transfer, so it must have no password.
        guard endpoint.user == nil, endpoint.query == nil, endpoint.fragment == nil else {
            throw .usage(SigningRefusal.invalidEndpoint.description, hint: hint)
        }
        return endpoint
    }

    static func style(
        _ input: ObjectStoreInput,
        _ setting: String?
    ) throws(CommandFailure) -> ObjectStoreAddressing.Style {
        guard !(input.pathStyle && input.customDomain) else {
            throw .usage("--path-style and --custom-domain cannot be used together.")
        }
        if input.pathStyle { return .path }
        if input.customDomain { return .customDomain }
        switch setting?.lowercased() {
        case "path": return .path
        case "virtual": return .virtualHost
        case "cname": return .customDomain
        default: return .automatic
        }
    }

    static func version(
        _ option: String?,
        _ setting: String?
    ) throws(CommandFailure) -> SignatureVersion {
        guard let text = option ?? setting else { return .v4 }
        guard let version = SignatureVersion(rawValue: text.lowercased()) else {
            throw .usage(
                "The version of the signature must be v1 or v4.",
                hint: "Give it with --sign-version."
            )
        }
        return version
    }
}
