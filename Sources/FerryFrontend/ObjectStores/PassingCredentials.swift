package import Ferry

/// Credentials that may expire.
package struct PassingCredentials: Sendable {
    /// What signs.
    package var credentials: ObjectStoreCredentials
    /// When they expire; `nil` if that is not known.
    package var expiration: Instant?

    init(credentials: ObjectStoreCredentials, expiration: Instant?) {
        (self.credentials, self.expiration) = (credentials, expiration)
    }

    /// Reads what a `credential_process` prints: an object with `Version` 1, `AccessKeyId`, `SecretAccessKey`,
    /// `SessionToken` and `Expiration`. The output is not quoted, as it may be a secret (I7).
    init(printed output: [UInt8]) throws(CommandFailure) {
        guard let members = JSONMembers(of: output[...]) else {
            throw Self.unusable("It printed no JSON object.")
        }
        func text(_ name: String) -> String? { members.text(name).flatMap { $0.isEmpty ? nil : $0 } }
        guard members["Version"]?.elementsEqual("1".utf8) == true else {
            throw Self.unusable("The Version of its output is not 1.")
        }
        guard let accessKey = text("AccessKeyId"), let secret = text("SecretAccessKey") else {
            throw Self.unusable("Its output has no AccessKeyId or no SecretAccessKey.")
        }
        credentials = ObjectStoreCredentials(
            accessKey: accessKey,
            secret: secret,
            sessionToken: text("SessionToken")
        )
        expiration = text("Expiration").flatMap(Instant.init(timestamp:))
    }

    /// Reads what the endpoints of instances and containers answer, of Amazon and of Alibaba Cloud; `nil` for any other text.
    init?(given answer: [UInt8]) {
        guard let members = JSONMembers(of: answer[...]) else { return nil }
        func text(_ names: String...) -> String? {
            names.lazy.compactMap { members.text($0) }.first { !$0.isEmpty }
        }
        guard let accessKey = text("AccessKeyId"), let secret = text("SecretAccessKey", "AccessKeySecret")
        else {
            return nil
        }
        credentials = ObjectStoreCredentials(
            accessKey: accessKey,
            secret: secret,
            sessionToken: text("Token", "SecurityToken")
        )
        expiration = text("Expiration").flatMap(Instant.init(timestamp:))
    }

    private static func unusable(_ reason: String) -> CommandFailure {
        .noCredentials("The credential_process of the profile gave no credentials. \(reason)")
    }
}
