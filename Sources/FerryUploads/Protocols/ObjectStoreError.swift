import FerryCore
import HTTPTypes

/// What a store says of a request that it did not fulfil.
struct ObjectStoreError: Hashable {
    /// The store's name for the reason, such as `NoSuchUpload`.
    let code: String
    /// The store's names for the request and for the server that answered, for its support; `nil` if it does not say.
    let requestID, hostID: String?
    /// Whether the signature is too old, although the code says no more than that access is denied.
    let isOfTime: Bool
    /// The region of the bucket; `nil` if it does not say.
    let region: String?
    /// The server of the bucket; `nil` if it does not say.
    let endpoint: String?

    /// Reads the body of an answer; `nil` if it is no error.
    init?(_ answer: UploadAnswer) {
        guard answer.body.count <= Self.longest else { return nil }
        if let root = Self.root(answer.body) {
            self.init(xml: root)
        } else {
            self.init(json: answer.body)
        }
    }

    private init?(xml root: XMLElement) {
        guard root.name == "Error", let code = root.text(of: "Code"), Self.isShowable(code) else {
            return nil
        }
        self.code = code
        func word(_ name: String) -> String? {
            root.text(of: name).flatMap { Self.isShowable($0) ? $0 : nil }
        }
        requestID = word("RequestId")
        hostID = word("HostId")
        isOfTime =
            root.text(of: "Message")?.lowercased().contains("request has expired") == true
            || root.text(of: "AuthenticationErrorDetail")?.contains("not valid in the specified time") == true
        region = word("Region")
        endpoint = word("Endpoint")
    }

    /// Reads an error of the API of Google in JSON: `{"error": {"errors": [{"reason": "notFound"}]}}`.
    private init?(json body: [UInt8]) {
        guard let error = JSONMembers(of: body[...])?["error"],
            let first = JSONMembers(of: error)?.elements("errors")?.first,
            let code = JSONMembers(of: first)?.text("reason"), Self.isShowable(code)
        else { return nil }
        self.code = code
        (requestID, hostID, isOfTime, region, endpoint) = (nil, nil, false, nil, nil)
    }

    private static func root(_ body: [UInt8]) -> XMLElement? {
        do {
            return try XMLElement(reading: body)
        } catch {
            return nil
        }
    }

    /// Longer bodies of errors are not read, in bytes.
    private static let longest = 64 << 10

    /// Whether a text of the server can stand in a message: a word without secrets. The name of a server of S3 is in
    /// base64.
    private static func isShowable(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-.+/=".utf8.contains(byte)
            }
    }

    // MARK: Meanings

    /// What an error means for an upload.
    enum Meaning: Hashable {
        /// The store does not know the upload.
        case noSuchUpload
        /// It does not know a part that the upload is to consist of.
        case noSuchPart
        /// The bytes arrived damaged.
        case damaged
        /// It does not do what was asked.
        case notSpoken
        /// The request failed.
        case problem(TransferFailure.Code, isTransient: Bool, because: String, remedies: [Remedy] = [])
    }

    /// What this error means; `nil` if its status says as much.
    var meaning: Meaning? { Self.meanings[code] }

    /// The errors that say more than their status, or another thing.
    private static let meanings: [String: Meaning] = [
        "NoSuchUpload": .noSuchUpload,
        "InvalidPart": .noSuchPart,
        "BadDigest": .damaged,
        "InvalidDigest": .damaged,
        "XAmzContentSHA256Mismatch": .damaged,
        "XAmzContentChecksumMismatch": .damaged,
        "MethodNotAllowed": .notSpoken,
        "NotImplemented": .notSpoken,
        "InternalError": .problem(.serverError, isTransient: true, because: "had an internal error"),
        "ServiceUnavailable": busy,
        "SlowDown": busy,
        "RequestLimitExceeded": busy,
        "TooManyRequests": busy,
        "RequestTimeout": .problem(.timeout, isTransient: true, because: "gave up waiting for the request"),
        "RequestTimeTooSkewed": .problem(
            .refused,
            isTransient: true,
            because: "refuses the request because the clock of this machine is wrong"
        ),
        "OperationAborted": contested,
        "ConditionalRequestConflict": contested,
        "PreconditionFailed": exists,
        "FileAlreadyExists": exists,
        "ObjectAlreadyExists": exists,
        "AccessDenied": denied,
        "SignatureDoesNotMatch": unsigned("does not accept the signature; the secret key may be wrong"),
        "InvalidAccessKeyId": unsigned("does not know the access key"),
        "ExpiredToken": unsigned("does not accept the session token any more"),
        "InvalidToken": unsigned("does not accept the session token"),
        "NoSuchKey": missing("has no such object"),
        "NoSuchVersion": missing("has no such version of the object"),
        "InvalidObjectState": .problem(
            .refused,
            isTransient: false,
            because: "has archived the object; it must be restored before it can be fetched"
        ),
        "NoSuchBucket": missing("has no such bucket"),
        "PermanentRedirect": .problem(
            .refused,
            isTransient: false,
            because: "does not have the bucket; another region or another server has it"
        ),
        "EntityTooLarge": .problem(.refused, isTransient: false, because: "takes no file of this length"),
        "EntityTooSmall": .problem(.refused, isTransient: false, because: "takes no parts of this length"),
        "QuotaExceeded": .problem(.refused, isTransient: false, because: "has no space left for it"),
        // The API of Google in JSON.
        "authError": unsigned("does not accept the credentials"),
        "forbidden": denied,
        "notFound": missing("has no such object or bucket"),
        "backendError": .problem(.serverError, isTransient: true, because: "had an internal error"),
        "rateLimitExceeded": busy,
        "userRateLimitExceeded": busy,
    ]

    private static let denied = Meaning.problem(
        .forbidden,
        isTransient: false,
        because: "does not allow this with the given credentials",
        remedies: [.retry]
    )
    private static let busy = Meaning.problem(.serverOverloaded, isTransient: true, because: "is overloaded")
    private static let contested = Meaning.problem(
        .refused,
        isTransient: true,
        because: "is busy with another request to this object"
    )
    private static let exists = Meaning.problem(
        .destinationExists,
        isTransient: false,
        because: "refuses the upload, because the object exists or another condition does not hold"
    )

    private static func missing(_ reason: String) -> Meaning {
        .problem(.notFound, isTransient: false, because: reason, remedies: [.checkURL])
    }

    private static func unsigned(_ reason: String) -> Meaning {
        .problem(.notAuthorised, isTransient: false, because: reason, remedies: [.retry])
    }

    /// The problem of an answer with this error.
    func problem(in answer: UploadAnswer, at now: Instant) -> Problem {
        let names = [("request", requestID), ("host", hostID)].compactMap { kind, name in
            name.map { ", \(kind) \($0)" }
        }
        var problem =
            answer.isSuccess ? answer.contradiction("did not do what was asked") : answer.problem(at: now)
        if case .problem(let code, let isTransient, let reason, let remedies) = meaning {
            problem.failure = TransferFailure(code, "\(answer.url.hostAndPort) \(reason)", remedies: remedies)
            if !isTransient {
                problem.disposition = .permanent
            } else if case .transient = problem.disposition {
                // The status says how long to wait.
            } else {
                problem.disposition = .transient(retryAfter: answer.retryAfter(at: now))
            }
        } else if problem.failure.message.last == "." {
            problem.failure.message.removeLast()
        }
        problem.failure.message += " (\(code)\(names.joined()))."
        return problem
    }
}
