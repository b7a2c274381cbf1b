import Ferry

/// What the environment, or a profile in a file, says about a store. Every value may be missing.
struct ObjectStoreProfile: Sendable {
    /// The credentials, or how to get them.
    var keys = Keys()
    /// The region.
    var region: String?
    /// The URL of the server.
    var endpoint: String?
    /// Where a request names the bucket.
    var style: String?
    /// The version of the signature.
    var version: String?

    /// What belongs together, and is taken from one place.
    struct Keys: Sendable {
        /// The ID of the access key.
        var accessKey: String?
        /// Its secret.
        var secret: String?
        /// The private key of a service account, whose address is then the ID.
        var privateKey: String?
        /// The token of temporary credentials.
        var sessionToken: String?
        /// When temporary credentials expire, as it is written.
        var expiration: String?
        /// The command that prints credentials.
        var process: String?
        /// The role whose credentials the instance has.
        var instanceRole: String?
        /// The setting that says how to get credentials in a way that Ferry does not know.
        var foreignSetting: String?

        /// Whether no key and no command is named.
        var isEmpty: Bool { accessKey == nil && secret == nil && privateKey == nil && process == nil }
    }

    /// This, completed by another one.
    func completed(by other: ObjectStoreProfile) -> ObjectStoreProfile {
        var result = self
        if keys.isEmpty {
            result.keys = other.keys
            result.keys.foreignSetting = keys.foreignSetting ?? other.keys.foreignSetting
        }
        result.region = region ?? other.region
        result.endpoint = endpoint ?? other.endpoint
        result.style = style ?? other.style
        result.version = version ?? other.version
        return result
    }

    /// This without credentials.
    var withoutCredentials: ObjectStoreProfile {
        var rest = self
        rest.keys = Keys()
        return rest
    }
}

// MARK: Variables

extension ObjectStoreProfile {
    /// What the variables for a store say.
    init(_ store: ObjectStore, variables: ProcessEnvironment) {
        let names = ObjectStoreVariables(store)
        func value(_ candidates: [String]) -> String? { candidates.lazy.compactMap { variables[$0] }.first }
        keys.accessKey = value(names.accessKey)
        keys.secret = value(names.secret)
        keys.sessionToken = value(names.sessionToken)
        keys.expiration = value(names.expiration)
        region = value(names.region)
        endpoint = value(names.endpoint)
    }
}

// MARK: Files of profiles

extension ObjectStoreProfile {
    /// What the settings of the AWS tools say.
    ///
    /// - Parameter services: the section that `services` names.
    init(aws settings: [String: String], services: [String: String] = [:]) {
        keys.accessKey = settings["aws_access_key_id"]
        keys.secret = settings["aws_secret_access_key"]
        keys.sessionToken = settings["aws_session_token"] ?? settings["aws_security_token"]
        keys.process = settings["credential_process"]
        region = settings["region"]
        endpoint = services["s3.endpoint_url"] ?? settings["s3.endpoint_url"] ?? settings["endpoint_url"]
        style = settings["s3.addressing_style"] ?? settings["addressing_style"]
        keys.foreignSetting =
            ["role_arn", "sso_session", "sso_start_url", "login_session", "web_identity_token_file"]
            .first { settings[$0] != nil }
    }

    /// What the settings of ossutil say. Its versions write the same name in several ways.
    init(ossutil settings: [String: String]) {
        let plain = Dictionary(
            settings.map { name, value in (name.filter { $0 != "-" && $0 != "_" }, value) },
            uniquingKeysWith: { first, _ in first }
        )
        keys.accessKey = plain["accesskeyid"]
        keys.secret = plain["accesskeysecret"]
        keys.sessionToken = plain["ststoken"]
        region = plain["region"]
        endpoint = plain["endpoint"]
        style = plain["addressingstyle"]
        version = plain["signversion"]
        keys.instanceRole = plain["ecsrolename"]
        keys.foreignSetting = ["ramrolearn", "rolearn", "credentialuri"].first { plain[$0] != nil }
    }

    /// What the key of a service account of Google says; `nil` for any other file.
    init?(serviceAccount file: [UInt8]) {
        guard let members = JSONMembers(of: file[...]), members.text("type") == "service_account",
            let address = members.text("client_email"), let key = members.text("private_key")
        else { return nil }
        (keys.accessKey, keys.privateKey) = (address, key)
    }
}
