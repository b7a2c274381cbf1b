internal import FerryCore

/// What differs between the stores in a signature of version 4.
///
/// - S3: AWS Signature Version 4, "Authenticating Requests (AWS Signature Version 4)".
/// - Google Cloud Storage: "V4 signing process with Cloud Storage tools", with HMAC keys and those of service accounts.
/// - OSS: "Include V4 signatures".
extension ObjectStore {
    /// The name of the algorithm.
    var algorithm: String {
        switch self {
        case .s3: "AWS4-HMAC-SHA256"
        case .gs: "GOOG4-HMAC-SHA256"
        case .oss: "OSS4-HMAC-SHA256"
        }
    }

    /// What precedes the secret in the first key.
    var secretPrefix: String {
        switch self {
        case .s3: "AWS4"
        case .gs: "GOOG4"
        case .oss: "aliyun_v4"
        }
    }

    /// The service in the scope.
    var service: String {
        switch self {
        case .s3: "s3"
        case .gs: "storage"
        case .oss: "oss"
        }
    }

    /// The end of the scope.
    var terminator: String {
        switch self {
        case .s3: "aws4_request"
        case .gs: "goog4_request"
        case .oss: "aliyun_v4_request"
        }
    }

    /// The parts of the scope that a signature is valid in.
    func scope(on day: String, in region: String) -> [String] { [day, region, service, terminator] }

    /// The beginning of the names of the store's own header fields.
    var fieldPrefix: String { parameterPrefix.lowercased() }

    /// The beginning of the names of the signature's parameters.
    var parameterPrefix: String {
        switch self {
        case .s3: "X-Amz-"
        case .gs: "X-Goog-"
        case .oss: "x-oss-"
        }
    }

    /// The parameter with the signature.
    var signatureName: String { parameterPrefix + (self == .oss ? "signature" : "Signature") }

    // MARK: Canonical forms

    /// A parameter as it is sent and signed. S3 and Google sign each with a `=`, OSS one without a value without it.
    func encoded(_ parameter: ObjectRequest.Parameter) -> String {
        let name = PercentEncoding.escaped(parameter.name.utf8)
        let value = PercentEncoding.escaped((parameter.value ?? "").utf8)
        return value.isEmpty && self == .oss ? name : "\(name)=\(value)"
    }

    /// The fields of a request that are signed.
    func signedFields(of request: ObjectRequest) -> [SignedField] {
        switch self {
        case .s3, .gs:
            let host = HeaderField(name: "host", value: request.address.hostAndPort)
            return SignedField.all(of: request.headers + [host], SignedField.collapsed)
        case .oss: return SignedField.all(of: request.headers, SignedField.trimmed)
        }
    }

    /// The names that a signature lists: those of all signed fields, or for OSS those that it would not sign by
    /// itself.
    func namedFields(_ fields: [SignedField]) -> String {
        let named = fields.filter { self != .oss || !isSignedAlways($0.name) }
        return named.map(\.name).joined(separator: ";")
    }

    private func isSignedAlways(_ name: String) -> Bool {
        name.hasPrefix(fieldPrefix) || name == "content-type" || name == "content-md5"
    }

    /// The canonical form of a request with this encoded query.
    func canonical(_ request: ObjectRequest, _ query: [String], _ fields: [SignedField]) -> String {
        let path =
            switch self {
            case .s3, .gs: request.address.path
            case .oss: PercentEncoding.escaped(request.address.resource.utf8, keeping: [0x2F])
            }
        // By name, then by value: `=` sorts behind what may follow in a longer name.
        let sorted = query.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
            .sorted { ($0[0], $0.last ?? "") < ($1[0], $1.last ?? "") }
        return [
            request.method, path, sorted.map { $0.joined(separator: "=") }.joined(separator: "&"),
            fields.map { "\($0.name):\($0.value)\n" }.joined(), namedFields(fields),
            request.header(fieldPrefix + "content-sha256") ?? ObjectPayload.unsigned.text,
        ].joined(separator: "\n")
    }
}
