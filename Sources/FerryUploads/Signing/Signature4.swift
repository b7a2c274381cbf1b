internal import FerryCore

/// A signature of version 4, over a canonical form of the request. A shared secret signs with a key that is derived for one
/// day, one region and one service.
struct Signature4 {
    let store: ObjectStore
    let credentials: ObjectStoreCredentials
    let key: SigningKey
    let region: String
    let time: SigningTime

    // MARK: In the query

    /// The URL with a signature in its query.
    func url(for request: ObjectRequest, seconds: Int64) throws(SigningRefusal) -> HTTPURL {
        let fields = store.signedFields(of: request)
        let query = (request.parameters + parameters(seconds, store.namedFields(fields))).map(
            store.encoded
        )
        let signature = try signature(of: request, query, fields)
        return try request.url(query + ["\(store.signatureName)=\(signature)"])
    }

    /// The parameters that belong to the signature, without the signature itself, in the order of the store's own
    /// libraries.
    private func parameters(_ seconds: Int64, _ names: String) -> [ObjectRequest.Parameter] {
        let credential = "\(credentials.accessKey)/\(scope)"
        let token = credentials.sessionToken
        let prefix = store.parameterPrefix
        switch store {
        case .s3, .gs:
            return [
                (prefix + "Algorithm", algorithm), (prefix + "Credential", credential),
                (prefix + "Date", time.text), (prefix + "Expires", "\(seconds)"),
                (prefix + "SignedHeaders", names),
            ] + (token.map { [(prefix + "Security-Token", $0)] } ?? [])
        case .oss:
            return [
                (prefix + "signature-version", algorithm), (prefix + "date", time.text),
                (prefix + "expires", "\(seconds)"), (prefix + "credential", credential),
            ] + (token.map { [(prefix + "security-token", $0)] } ?? [])
                + (names.isEmpty ? [] : [(prefix + "additional-headers", names)])
        }
    }

    // MARK: In the header

    /// The header fields that sign a request, to be sent besides its own.
    func fields(for request: ObjectRequest, _ payload: ObjectPayload) throws(SigningRefusal) -> [HeaderField]
    {
        let prefix = store.fieldPrefix
        var added = [
            HeaderField(name: prefix + "date", value: time.text),
            // OSS takes no digest here.
            HeaderField(
                name: prefix + "content-sha256",
                value: store == .oss ? ObjectPayload.unsigned.text : payload.text
            ),
        ]
        if let token = credentials.sessionToken {
            added.append(HeaderField(name: prefix + "security-token", value: token))
        }
        var whole = request
        whole.headers += added
        let signed = store.signedFields(of: whole)
        let signature = try signature(of: whole, request.parameters.map(store.encoded), signed)
        let names = store.namedFields(signed)
        let credential = "\(algorithm) Credential=\(credentials.accessKey)/\(scope)"
        let value =
            switch store {
            case .s3, .gs: "\(credential), SignedHeaders=\(names), Signature=\(signature)"
            case .oss:
                credential + (names.isEmpty ? "" : ",AdditionalHeaders=\(names)") + ",Signature=\(signature)"
            }
        return added + [HeaderField(name: "authorization", value: value)]
    }

    // MARK: Signing

    private var scope: String { store.scope(on: time.day, in: region).joined(separator: "/") }

    /// The name of the algorithm. Google signs with two kinds of keys.
    private var algorithm: String {
        switch key {
        case .shared, .derived: store.algorithm
        case .rsa: "GOOG4-RSA-SHA256"
        }
    }

    private func signature(
        of request: ObjectRequest,
        _ query: [String],
        _ fields: [SignedField]
    ) throws(SigningRefusal) -> String {
        let canonical = SigningKey.digest(store.canonical(request, query, fields))
        return try key.signature(
            of: "\(algorithm)\n\(time.text)\n\(scope)\n\(canonical)",
            prefix: store.secretPrefix,
            scope: store.scope(on: time.day, in: region)
        )
    }
}
