package import Ferry

/// How a store is reached: with which credentials, and where its buckets are.
package struct ObjectStoreSettings: Sendable {
    /// Where the buckets are.
    package let addressing: ObjectStoreAddressing
    /// How requests are signed.
    package let version: SignatureVersion
    /// Whether something must be asked for the credentials.
    package var asks: Bool { process != nil || endpoint != nil }

    /// The command that prints credentials; `nil` if they are known already.
    let process: String?
    /// The server that gives credentials, if nothing else does.
    let endpoint: CredentialEndpoint?
    /// What to say if there are none.
    private let missing: CommandFailure

    private let keys: ObjectStoreProfile.Keys

    /// Collects what the options, the environment and the files of the store's own tools say, in this order.
    ///
    /// - Throws: ``CommandFailure`` with status 24 when there are no credentials.
    package init(
        to store: ObjectStore,
        _ input: ObjectStoreInput,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) {
        // With a profile, the credentials of the environment are not used.
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
        keys = profile.keys
        let isComplete = keys.accessKey != nil && (keys.secret ?? keys.privateKey) != nil
        process = isComplete ? nil : keys.process
        missing = Self.missing(keys, store, input.profile)
        guard !isComplete, process == nil else {
            endpoint = nil
            return
        }
        endpoint = try Self.endpoint(keys, store, environment)
        guard endpoint != nil else { throw missing }
    }

    /// The server that gives credentials to this machine or container.
    private static func endpoint(
        _ keys: ObjectStoreProfile.Keys,
        _ store: ObjectStore,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> CredentialEndpoint? {
        // Half a key is a mistake, and must not be replaced by another.
        guard keys.accessKey == nil, keys.secret == nil, keys.foreignSetting == nil else {
            return nil
        }
        return switch store {
        case .s3: try CredentialEndpoint(environment)
        case .oss: keys.instanceRole.map { .alibabaInstance(role: $0) }
        case .gs: nil
        }
    }

    /// The credentials.
    ///
    /// - Parameters:
    ///   - output: runs a command and returns what it printed.
    ///   - exchange: sends a request to the endpoint of an instance or of a container.
    /// - Throws: ``CommandFailure`` with status 24, ``ObjectStoreAccess/Failure``, or what `output` throws.
    package func credentials(
        outputOf output: (String) async throws -> [UInt8],
        answerTo exchange: CredentialEndpoint.Exchange
    ) async throws -> PassingCredentials {
        if let process { return try PassingCredentials(printed: try await output(process)) }
        if let endpoint {
            guard let given = try await endpoint.credentials(by: exchange, contentsOf: Self.token) else {
                throw missing
            }
            return given
        }
        if let privateKey = keys.privateKey {
            let account = ObjectStoreCredentials(
                serviceAccount: keys.accessKey ?? "",
                privateKey: privateKey
            )
            return PassingCredentials(credentials: account, expiration: nil)
        }
        return PassingCredentials(
            credentials: ObjectStoreCredentials(
                accessKey: keys.accessKey ?? "",
                secret: keys.secret ?? "",
                sessionToken: keys.sessionToken
            ),
            expiration: keys.expiration.flatMap(Instant.init(timestamp:))
        )
    }

    /// The access that they give.
    ///
    /// - Parameters:
    ///   - output: runs a command and returns what it printed.
    ///   - exchange: sends a request to the endpoint of an instance or of a container.
    /// - Throws: ``CommandFailure`` with status 24, ``ObjectStoreAccess/Failure``, or what `output` throws.
    package func access(
        outputOf output: (String) async throws -> [UInt8],
        answerTo exchange: CredentialEndpoint.Exchange
    ) async throws -> ObjectStoreAccess {
        let passing = try await credentials(outputOf: output, answerTo: exchange)
        return ObjectStoreAccess(
            passing.credentials,
            expiration: passing.expiration,
            addressing: addressing,
            version: version
        )
    }

    /// The token in a file.
    private static func token(_ path: String) throws(ObjectStoreAccess.Failure) -> String {
        do {
            return try FileReader.read(path, atMost: 16 << 10, from: .file).text
        } catch {
            throw ObjectStoreAccess.Failure(
                "The token for credentials in \(path) cannot be read: \(error.reason)."
            )
        }
    }

    // MARK: Missing credentials

    private static func missing(
        _ keys: ObjectStoreProfile.Keys,
        _ store: ObjectStore,
        _ name: String?
    ) -> CommandFailure {
        let names = ObjectStoreVariables(store)
        let variables = "\(names.accessKey[0]) and \(names.secret[0])"
        if keys.accessKey != nil || keys.secret != nil {
            let missing = keys.accessKey == nil ? "the access key's ID" : "the access key's secret"
            return .noCredentials(
                "The credentials for \(store) are not complete: \(missing) is missing.",
                hint: "Set both \(variables), or write both into the profile."
            )
        }
        if let setting = keys.foreignSetting {
            let shown = name.map { " --profile \(QuotedWord($0))" } ?? ""
            let hint =
                store == .s3
                ? "Type `eval \"$(aws configure export-credentials\(shown) --format env)\"`, and repeat the command without --profile."
                : "Set \(variables)."
            return .noCredentials("The profile uses '\(setting)', which Ferry does not support.", hint: hint)
        }
        let place =
            switch store {
            case .s3: ", or write them with `aws configure`; --profile NAME names another profile."
            case .oss: ", or write them with `ossutil config`; --profile NAME names another profile."
            case .gs:
                " to an HMAC key, GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account, or name a profile of ~/.aws/credentials with --profile NAME."
            }
        return .noCredentials("There are no credentials for \(store).", hint: "Set \(variables)\(place)")
    }
}
