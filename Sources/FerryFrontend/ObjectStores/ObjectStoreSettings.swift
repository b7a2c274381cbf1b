package import Ferry

/// How a store is reached: with which credentials, and where its buckets are.
package struct ObjectStoreSettings: Sendable {
    /// Where the buckets are.
    package let addressing: ObjectStoreAddressing
    /// How requests are signed.
    package let version: SignatureVersion
    /// The command that prints credentials; `nil` if they are known already.
    package let process: String?

    private let store: ObjectStore
    private let profile: ObjectStoreProfile

    /// Collects what the options, the environment and the files of the store's own tools say, in this order.
    ///
    /// - Throws: ``CommandFailure`` with status 24 when there are no credentials.
    package init(
        to store: ObjectStore,
        _ input: ObjectStoreInput,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) {
        // Who names a profile means its credentials, not those of the environment.
        let variables = ObjectStoreProfile(store, variables: environment)
        var profile = input.profile == nil ? variables : variables.withoutCredentials
        profile = profile.completed(
            by: try ProfileFolder(environment: environment).profile(input.profile, for: store)
        )
        if store == .gs { (profile.region, profile.endpoint, profile.style) = (nil, nil, nil) }
        addressing = ObjectStoreAddressing(
            region: input.region ?? profile.region,
            endpoint: try ObjectStoreInput.endpoint(input.endpoint, profile.endpoint),
            style: try ObjectStoreInput.style(input, profile.style)
        )
        version = try ObjectStoreInput.version(input.version, profile.version)
        (self.store, self.profile) = (store, profile)
        let isComplete = profile.accessKey != nil && (profile.secret ?? profile.privateKey) != nil
        process = isComplete ? nil : profile.process
        guard isComplete || process != nil else { throw Self.missing(profile, store, input.profile) }
    }

    /// The credentials.
    ///
    /// - Parameter output: runs a command and returns what it printed.
    /// - Throws: ``CommandFailure`` with status 24, or what `output` throws.
    package func credentials(
        outputOf output: (String) async throws -> [UInt8]
    ) async throws -> PassingCredentials {
        if let process { return try PassingCredentials(printed: try await output(process)) }
        if let privateKey = profile.privateKey {
            let account = ObjectStoreCredentials(
                serviceAccount: profile.accessKey ?? "",
                privateKey: privateKey
            )
            return PassingCredentials(credentials: account, expiration: nil)
        }
        return PassingCredentials(
            credentials: ObjectStoreCredentials(
                accessKey: profile.accessKey ?? "",
                secret: profile.secret ?? "",
                sessionToken: profile.sessionToken
            ),
            expiration: profile.expiration.flatMap(Instant.init(timestamp:))
        )
    }

    /// The access that they give.
    ///
    /// - Parameter output: runs a command and returns what it printed.
    /// - Throws: ``CommandFailure`` with status 24, or what `output` throws.
    package func access(outputOf output: (String) async throws -> [UInt8]) async throws -> ObjectStoreAccess {
        let passing = try await credentials(outputOf: output)
        return ObjectStoreAccess(
            passing.credentials,
            expiration: passing.expiration,
            addressing: addressing,
            version: version
        )
    }

    // MARK: Missing credentials

    private static func missing(
        _ profile: ObjectStoreProfile,
        _ store: ObjectStore,
        _ name: String?
    ) -> CommandFailure {
        func failure(_ message: String, _ hint: String) -> CommandFailure {
            CommandFailure(.notAuthorised, code: "noCredentials", message, hint: hint)
        }
        let names = ObjectStoreVariables(store)
        let variables = "\(names.accessKey[0]) and \(names.secret[0])"
        if profile.accessKey != nil || profile.secret != nil {
            let missing = profile.accessKey == nil ? "the access key's ID" : "the access key's secret"
            return failure(
                "The credentials for \(store) are not complete: \(missing) is missing.",
                "Set both \(variables), or write both into the profile."
            )
        }
        if let setting = profile.foreignSetting {
            let shown = name.map { " --profile \(QuotedWord($0))" } ?? ""
            let hint =
                store == .s3
                ? "Type `eval \"$(aws configure export-credentials\(shown) --format env)\"`, and repeat the command without --profile."
                : "Set \(variables)."
            return failure("The profile gets its credentials by '\(setting)', which Ferry cannot do.", hint)
        }
        let place =
            switch store {
            case .s3: ", or write them with `aws configure`; --profile NAME names another profile."
            case .oss: ", or write them with `ossutil config`; --profile NAME names another profile."
            case .gs:
                " to an HMAC key, GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account, or name a profile of ~/.aws/credentials with --profile NAME."
            }
        return failure("There are no credentials for \(store).", "Set \(variables)\(place)")
    }
}
