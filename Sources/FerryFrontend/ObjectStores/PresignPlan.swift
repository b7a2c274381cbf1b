package import Ferry

/// The URL of a command line to be signed. Everything is read and checked here, before any credentials are fetched.
package struct PresignPlan: Sendable {
    /// The object.
    package let name: ObjectName
    /// How its store is reached.
    package let access: ObjectStoreSettings

    private let method: HTTPRequest.Method
    private let lifetime: Duration
    private let headers: [HeaderField]
    private let parameters: [(name: String, value: String?)]

    /// How long a URL is valid by default, in seconds.
    package static let standardLifetime: Int64 = 3600

    /// Reads the input, the environment and the files of profiles.
    package init(_ input: PresignInput, _ environment: ProcessEnvironment) throws(CommandFailure) {
        guard let method = HTTPRequest.Method(rawValue: input.method) else {
            throw .usage("The method must be one word, such as GET or PUT.")
        }
        guard method.rawValue == method.rawValue.uppercased() else {
            throw .usage("Methods are in capitals: write \(method.rawValue.uppercased()).")
        }
        self.method = method
        do {
            name = try ObjectName(parsing: input.name)
        } catch {
            throw .usage(error.description)
        }
        lifetime =
            try input.expires.map { text throws(CommandFailure) in
                try Seconds.parse(text, withUnit: "--expires", example: "30m")
            } ?? .seconds(Self.standardLifetime)
        headers = try input.header.map { line throws(CommandFailure) in try ExchangeTerms.fieldOfRequest(line)
        }
        parameters = input.query.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
        }
        if parameters.contains(where: { $0.name.isEmpty }) {
            throw .usage("--query must look like 'name=value' or 'name'.")
        }
        access = try ObjectStoreSettings(to: name.store, input.store, environment)
        // What is wrong with the rest is said before a command for credentials is run.
        if access.asks {
            let sample = ObjectStoreCredentials(accessKey: "-", secret: "-")
            _ = try url(PassingCredentials(credentials: sample, expiration: nil), at: .epoch)
        }
    }

    /// The signed URL.
    package func url(_ given: PassingCredentials, at now: Instant) throws(CommandFailure) -> SignedURL {
        if let expiration = given.expiration, expiration <= now {
            throw .noCredentials(
                "The credentials expired at \(SystemTime.local(expiration)).",
                hint: "Fetch fresh ones, and repeat the command."
            )
        }
        // Signatures have no fractions of a second.
        let now = Instant(seconds: now.milliseconds / 1000)
        let presigner = Presigner(given.credentials, addressing: access.addressing, version: access.version)
        let end = now.advanced(by: lifetime)
        do {
            let url = try presigner.url(
                method,
                name,
                lifetime: lifetime,
                at: now,
                headers: headers,
                parameters: parameters
            )
            return SignedURL(
                url: url,
                method: method.rawValue,
                name: name,
                headers: headers,
                expiration: min(end, given.expiration ?? end),
                isShortened: given.expiration.map { $0 < end } ?? false
            )
        } catch {
            throw .usage(error.description, hint: Self.hint(about: error))
        }
    }

    private static func hint(about refusal: SigningRefusal) -> String? {
        switch refusal {
        case .emptyCredentials, .invalidPrivateKey, .serviceAccountUnsupported, .sessionTokenUnsupported,
            .reserved, .tooLong, .unsupportedVersion:
            nil
        case .missingRegion(let store):
            "Give it with --region REGION, such as --region \(store == .oss ? "cn-hangzhou" : "eu-central-1")."
        case .invalidRegion: "Give it with --region, such as --region eu-central-1."
        case .missingEndpoint, .invalidEndpoint: "Give it with --endpoint URL."
        case .lifetime: "Give it with --expires, such as --expires 30m or --expires 7d."
        }
    }
}
