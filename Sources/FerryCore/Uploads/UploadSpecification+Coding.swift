import HTTPTypes

/// The stored form of an upload.
extension UploadSpecification: Codable {
    private enum CodingKeys: String, CodingKey {
        case url, file, method, contentType, metadata, fields, checksums, partSize, connections, exchange,
            terms, sendsAgain
        case protocolName = "protocol"
        case startsOverOnChange = "restart"
    }

    /// Reads an upload.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(PinnedFile.self, forKey: .file),
            to: try values.decode(HTTPURL.self, forKey: .url),
            by: try values.decode(UploadProtocolName.self, forKey: .protocolName)
        )
        if let name = try values.decodeIfPresent(String.self, forKey: .method) {
            guard let method = HTTPRequest.Method(name) else {
                throw values.damaged(.method, "not a method")
            }
            self.method = method
        }
        contentType = try values.value(of: .contentType)
        metadata = try values.value(of: .metadata) ?? metadata
        fields = try values.value(of: .fields) ?? fields
        checksums = try values.value(of: .checksums) ?? checksums
        partSize = try values.value(of: .partSize)
        connections = try values.value(of: .connections) ?? connections
        startsOverOnChange = try values.value(of: .startsOverOnChange) ?? false
        sendsAgain = try values.value(of: .sendsAgain) ?? false
        exchange = try values.value(of: .exchange) ?? exchange
        terms = try values.value(of: .terms) ?? terms
    }

    /// Writes the upload.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        let usual = UploadSpecification(file, to: url, by: protocolName)
        try values.encode(url, forKey: .url)
        try values.encode(file, forKey: .file)
        try values.encode(protocolName, forKey: .protocolName)
        if method != usual.method { try values.encode(method.rawValue, forKey: .method) }
        try values.encodeIfPresent(contentType, forKey: .contentType)
        if !metadata.isEmpty { try values.encode(metadata, forKey: .metadata) }
        if !fields.isEmpty { try values.encode(fields, forKey: .fields) }
        if !checksums.isEmpty { try values.encode(checksums, forKey: .checksums) }
        try values.encodeIfPresent(partSize, forKey: .partSize)
        if connections != usual.connections { try values.encode(connections, forKey: .connections) }
        if startsOverOnChange { try values.encode(true, forKey: .startsOverOnChange) }
        if sendsAgain { try values.encode(true, forKey: .sendsAgain) }
        if exchange != ExchangeTerms() { try values.encode(exchange, forKey: .exchange) }
        if terms != WorkTerms() { try values.encode(terms, forKey: .terms) }
    }
}
