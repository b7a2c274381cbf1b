import HTTPTypes

/// The stored form of a request and its response.
extension RequestSpecification: Codable {
    private enum CodingKeys: String, CodingKey {
        case method, url, body, key, exchange, responseLimit, terms, values, replacesUnfinished, responseFile,
            sendsAgain
        case acceptedStatuses = "accepted"
        case addedChecksum = "checksum"
    }

    /// Reads a request.
    ///
    /// - Throws: `DecodingError`; ``Flaw`` when the request could not have been stored.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let name = try fields.decode(String.self, forKey: .method)
        guard let method = HTTPRequest.Method(name) else {
            throw fields.damaged(.method, "not a method")
        }
        try self.init(
            method: method,
            url: fields.decode(HTTPURL.self, forKey: .url),
            body: fields.value(of: .body) ?? StoredBody(),
            key: fields.value(of: .key)
        )
        exchange = try fields.value(of: .exchange) ?? exchange
        responseLimit = try fields.value(of: .responseLimit) ?? responseLimit
        terms = try fields.value(of: .terms) ?? terms
        acceptedStatuses = Set(try fields.value(of: .acceptedStatuses) ?? [Int]())
        responseFile = try fields.value(of: .responseFile)
        replacesUnfinished = try fields.value(of: .replacesUnfinished) ?? false
        sendsAgain = try fields.value(of: .sendsAgain) ?? false
        addedChecksum = try fields.value(of: .addedChecksum)
        values = try fields.value(of: .values) ?? values
    }

    /// Writes the request.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(method.rawValue, forKey: .method)
        try fields.encode(url, forKey: .url)
        if body != StoredBody() { try fields.encode(body, forKey: .body) }
        try fields.encodeIfPresent(key, forKey: .key)
        if exchange != ExchangeTerms() { try fields.encode(exchange, forKey: .exchange) }
        try fields.encode(responseLimit, forKey: .responseLimit)
        if terms != WorkTerms() { try fields.encode(terms, forKey: .terms) }
        if !acceptedStatuses.isEmpty {
            try fields.encode(acceptedStatuses.sorted(), forKey: .acceptedStatuses)
        }
        try fields.encodeIfPresent(responseFile, forKey: .responseFile)
        if replacesUnfinished { try fields.encode(replacesUnfinished, forKey: .replacesUnfinished) }
        if sendsAgain { try fields.encode(sendsAgain, forKey: .sendsAgain) }
        try fields.encodeIfPresent(addedChecksum, forKey: .addedChecksum)
        if !values.isEmpty { try fields.encode(values, forKey: .values) }
    }
}

extension StoredResponse: Codable {
    private enum CodingKeys: String, CodingKey {
        case status, fields, body, isTruncated, savedLength
    }

    /// Reads a response.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            status: try values.decode(Int.self, forKey: .status),
            fields: try values.decode([HeaderField].self, forKey: .fields),
            body: try values.bytes(of: .body),
            isTruncated: try values.value(of: .isTruncated) ?? false
        )
        savedLength = try values.value(of: .savedLength)
    }

    /// Writes the response.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(status, forKey: .status)
        try values.encode(fields, forKey: .fields)
        if !body.isEmpty { try values.encode(Base64.encoded(body), forKey: .body) }
        try values.encodeIfPresent(savedLength, forKey: .savedLength)
        if isTruncated { try values.encode(true, forKey: .isTruncated) }
    }
}

extension KeyedDecodingContainer {
    /// Reads bytes in base64; none if the field is missing.
    fileprivate func bytes(of key: Key) throws -> [UInt8] {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return [] }
        guard let bytes = Base64.decoded(text.utf8) else {
            throw damaged(key, "not base64")
        }
        return bytes
    }
}
