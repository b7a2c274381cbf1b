package import FerryCore

/// Signs requests to a store, each in its query or in its header.
package struct ObjectSigner: Sendable {
    private let store: ObjectStore
    private let credentials: ObjectStoreCredentials
    private let method: Method
    /// The key for the day and the region that requests were last prepared for.
    private var prepared: (day: String, region: String, key: SigningKey)?

    private enum Method {
        case version1(secret: String)
        case version4(SigningKey)
    }

    /// Creates a signer.
    package init(
        _ store: ObjectStore,
        _ credentials: ObjectStoreCredentials,
        _ version: SignatureVersion = .v4
    ) throws(SigningRefusal) {
        guard !credentials.accessKey.isEmpty else { throw .emptyCredentials }
        guard version == .v4 || store == .oss else { throw .unsupportedVersion(store) }
        guard store != .gs || credentials.sessionToken == nil else { throw .sessionTokenUnsupported }
        switch (try SigningKey(credentials.secret), version) {
        case (.rsa, _) where store != .gs: throw .serviceAccountUnsupported(store)
        case (.shared(let secret), .v1): method = .version1(secret: secret)
        case (let key, _): method = .version4(key)
        }
        self.store = store
        self.credentials = credentials
    }

    /// Derives the key for requests to a place on this day, unless the signer has it. For other requests, a key is derived
    /// each time.
    package mutating func prepare(
        for addressing: ObjectStoreAddressing,
        at now: Instant
    ) throws(SigningRefusal) {
        guard case .version4(let key) = method, let region = try ObjectAddress.region(of: store, addressing)
        else { return }
        let day = SigningTime(now).day
        guard prepared?.day != day || prepared?.region != region else { return }
        let scope = store.scope(on: day, in: region)
        prepared = (day, region, key.deriving(prefix: store.secretPrefix, scope: scope))
    }

    /// The URL of a request, with a signature that ends after whole seconds.
    package func url(
        for request: ObjectRequest,
        lasting seconds: Int64,
        at now: Instant
    ) throws(SigningRefusal) -> HTTPURL {
        switch method {
        case .version1(let secret):
            try Signature1(credentials: credentials, secret: secret)
                .url(for: request, until: now.advanced(by: .seconds(seconds)))
        case .version4(let key):
            try signature4(of: request, by: key, at: now).url(for: request, seconds: seconds)
        }
    }

    /// The header fields that sign a request now, to be sent besides its own.
    package func fields(
        for request: ObjectRequest,
        _ payload: ObjectPayload = .unsigned,
        at now: Instant
    ) throws(SigningRefusal) -> [HeaderField] {
        switch method {
        case .version1(let secret):
            Signature1(credentials: credentials, secret: secret).fields(for: request, at: now)
        case .version4(let key): try signature4(of: request, by: key, at: now).fields(for: request, payload)
        }
    }

    /// The URL of a request whose header is signed.
    func target(of request: ObjectRequest) throws(SigningRefusal) -> HTTPURL {
        try request.url(request.parameters.map(store.encoded))
    }

    private func signature4(
        of request: ObjectRequest,
        by key: SigningKey,
        at now: Instant
    ) throws(SigningRefusal) -> Signature4 {
        guard let region = request.address.region else { throw .missingRegion(store) }
        let time = SigningTime(now)
        let prepared = prepared.flatMap { $0.day == time.day && $0.region == region ? $0.key : nil }
        return Signature4(
            store: store,
            credentials: credentials,
            key: prepared ?? key,
            region: region,
            time: time
        )
    }
}
