public import HTTPTypes

// Exported so that an application can write `.post` with only `import Ferry`.
@_exported public import struct HTTPTypes.HTTPRequest

/// One HTTP request that must arrive, as it is stored.
public struct RequestSpecification: Hashable, Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The URL.
    public var url: HTTPURL
    /// The body. Up to ``longestBody`` bytes of it are stored; files are not.
    public private(set) var body: StoredBody
    /// Tells the server that two requests are one; `nil` for no key.
    public private(set) var key: IdempotencyKey?
    /// ``messageChecksum`` as it was when the request was added; `nil` before.
    package var addedChecksum: UInt8?
    /// The values of earlier responses that it needs, by name.
    package internal(set) var values: [String: ValueSource] = [:]
    /// Statuses that count as success, in addition to 2xx, such as 404 for a `DELETE`.
    public var acceptedStatuses: Set<Int> = []
    /// Whether only the latest such request to a URL counts. If an unfinished one has the same method and URL, no other is
    /// added: it takes the new body, or resumes if the body is the same. While a process holds it, another body is refused.
    /// Has no effect on a method that is not idempotent, and on a body that Ferry has copied.
    ///
    /// A `PUT` with `If-Match` or `If-None-Match` is then sent only after a `HEAD`, and only if its answer does not show that the
    /// condition is false: some servers ignore the conditions of a `PUT`.
    public var replacesUnfinished = false
    /// Whether a `PUT` with ``replacesUnfinished`` is sent even if the same file was sent to the URL before and the server still
    /// has it. Otherwise the server is asked first (`HEAD`), and if it has what was sent, the file is not sent again.
    public var sendsAgain = false
    /// What the request carries, its connection, and where redirects may lead.
    public var exchange = ExchangeTerms()
    /// Maximum number of bytes of the response's body to keep, up to ``longestResponse``; the rest is dropped.
    public var responseLimit: Int {
        get { storedLimit }
        set { storedLimit = max(0, min(newValue, Self.longestResponse)) }
    }
    private var storedLimit = 1 << 20
    /// The file in which the body of a successful response is saved whole; `nil` stores it with the transfer, up to
    /// ``responseLimit``. If the file exists when the request is to be sent, the request is not sent.
    public var responseFile: ResponseFile?
    /// The length of a body whose sending counts as progress: one in files, or what a `PUT` brings. `nil` if the response counts.
    package var uploadLength: Int64? { body.uploadLength ?? (method == .put ? body.length : nil) }
    /// The terms of its attempts.
    package var terms = WorkTerms()

    /// Maximum number of retries after failures; 0 tries once.
    public var retries: Int {
        get { terms.retries }
        set { terms.retries = newValue }
    }

    /// Whether it may also be sent while its application is in the background, as
    /// ``DownloadOptions/runsInBackground`` says.
    public var runsInBackground: Bool {
        get { terms.runsInBackground }
        set { terms.runsInBackground = newValue }
    }

    /// The deadline: after it, the request is not sent any more, as ``DownloadOptions/notAfter`` says. If an earlier
    /// attempt has sent it, the failure says that it may have arrived.
    public var notAfter: Instant? {
        get { terms.notAfter }
        set { terms.notAfter = newValue }
    }

    /// The largest ``responseLimit``, in bytes.
    public static let longestResponse = 16 << 20

    /// Maximum number of bytes of a body that are stored with the request. A longer body must be in a file.
    public static let longestBody = 1 << 20

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - key: tells the server that two requests are one. Without a key, a request that is not idempotent (RFC 9110
    ///     §9.2.2) is never repeated when it may have arrived.
    /// - Throws: ``Flaw`` when it cannot be stored or sent.
    public init(
        method: HTTPRequest.Method = .get,
        url: HTTPURL,
        body: StoredBody = StoredBody(),
        key: IdempotencyKey? = nil
    ) throws(Flaw) {
        if body.bytes.count > Self.longestBody { throw .bodyTooLong(body.bytes.count) }
        if let key, HTTPField.Name(key.field) == nil { throw .fieldName(key.field) }
        self.method = method
        self.url = url
        self.body = body
        self.key = key
    }

    /// Gives the request another body.
    ///
    /// - Throws: ``Flaw`` when it is too long to be stored.
    public mutating func carry(_ body: StoredBody) throws(Flaw) {
        if body.bytes.count > Self.longestBody { throw .bodyTooLong(body.bytes.count) }
        self.body = body
    }

    /// The method as text.
    package var methodName: String { method.rawValue }

    /// Whether a status counts as success.
    package func isSuccess(_ status: Int) -> Bool {
        (200...299).contains(status) || acceptedStatuses.contains(status)
    }

    /// Whether it may be sent again although it may have arrived.
    package var isRepeatable: Bool { key != nil || method.isIdempotent }

    /// The question what the server has under the URL (RFC 9110 §9.3.2).
    package var question: RequestSpecification {
        var question = self
        (question.method, question.body, question.responseFile) = (.head, StoredBody(), nil)
        question.exchange.headers.removeAll { $0.describesBody || $0.describesObject || $0.isCondition }
        return question
    }

    /// The header fields that it adds to those of the user.
    package var fields: HTTPFields {
        var fields = HTTPFields()
        if let key, let name = HTTPField.Name(key.field) { fields[name] = key.value }
        return fields
    }

    /// Changes the URL. Secrets and the key stay with the origin that they were given for (I7).
    mutating func move(to url: HTTPURL) {
        if exchange.move(to: url, from: self.url) { key = nil }
        self.url = url
    }

    /// The same request without what a store keeps apart: its URL, the bytes of its body, its key and its checksum. Most requests
    /// of one list differ only in these.
    package var withoutPartsStoredApart: RequestSpecification {
        var bare = self
        (bare.url, bare.body) = (.storedApart, body.withoutBytes)
        (bare.key, bare.addedChecksum) = (nil, nil)
        return bare
    }

    /// Takes the URL that a store keeps.
    package mutating func take(stored url: HTTPURL) { self.url = url }

    /// Takes the key that a store keeps.
    ///
    /// - Throws: ``Flaw`` when no request can have it.
    package mutating func take(stored key: IdempotencyKey) throws(Flaw) {
        guard HTTPField.Name(key.field) != nil else { throw .fieldName(key.field) }
        self.key = key
    }

    /// Takes the bytes of the body that a store keeps.
    ///
    /// - Returns: whether a request can have this body.
    package mutating func take(stored bytes: [UInt8]) -> Bool {
        guard bytes.count <= Self.longestBody,
            let body = StoredBody(bytes: bytes, parts: body.parts)
        else { return false }
        self.body = body
        return true
    }

    /// Drops what must not be kept after the request: the bytes of the body, the fields, the credentials and the URL's
    /// secrets.
    mutating func dropSecrets() {
        url = url.withoutSecrets
        body = body.filesOnly
        key = nil
        exchange.dropSecrets()
        exchange.connection.proxy = exchange.connection.proxy?.withoutCredentials
        exchange.proxies = exchange.proxies?.withoutCredentials
    }
}

extension RequestSpecification {
    /// Why a request cannot be stored and sent.
    public enum Flaw: Error, Hashable, Sendable {
        /// The body has this many bytes, more than ``longestBody``.
        case bodyTooLong(Int)
        /// This is not the name of a header field.
        case fieldName(String)
        /// This cannot be the name of a value.
        case valueName(String)
        /// This is not a JSON Pointer.
        case pointer(String)
    }
}

extension RequestSpecification.Flaw: CustomStringConvertible {
    /// What is wrong, in a sentence for a person.
    public var description: String {
        switch self {
        case .bodyTooLong:
            "A body of up to \(ByteCount(Int64(RequestSpecification.longestBody)).formatted) is stored with a request; this one "
                + "is longer."
        case .fieldName(let name): "'\(name)' is not the name of a header field."
        case .valueName(let name):
            "'\(name)' cannot name a value: use up to 64 letters, digits, '_', '-' and '.'."
        case .pointer(let text): "'\(text)' is not a JSON Pointer, such as /photo/id."
        }
    }
}

/// A header field by which a server recognises a repeated request (draft-ietf-httpapi-idempotency-key-header).
public struct IdempotencyKey: Hashable, Sendable, Codable {
    /// The name of the field.
    public var field: String
    /// Its value.
    public var value: String

    /// Creates a key.
    public init(field: String = "Idempotency-Key", value: String) {
        self.field = field
        self.value = value
    }

    /// Creates a key whose value is a string of structured fields (RFC 8941 §3.3.3); `nil` for a text with a character
    /// that is not printable ASCII.
    package init?(text: String) {
        var quoted = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            guard (0x20...0x7E).contains(byte) else { return nil }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        self.init(value: quoted.text + "\"")
    }
}

extension HTTPRequest.Method {
    /// Whether it only reads (RFC 9110 §9.2.1).
    package var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Whether several equal requests have the effect of one (RFC 9110 §9.2.2).
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .options, .put, .delete, .trace: true
        default: false
        }
    }
}
