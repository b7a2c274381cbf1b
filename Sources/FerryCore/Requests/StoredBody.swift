/// The body of a request as it is stored: bytes, a file, or a sequence of both, such as a form with files.
public struct StoredBody: Hashable, Sendable {
    /// A part of a body.
    package enum Part: Hashable, Sendable {
        /// The next `count` of the stored bytes.
        case bytes(count: Int)
        /// A whole file.
        case file(PinnedFile)
    }

    /// The bytes of all parts that are not files, one after the other. The store keeps them.
    package private(set) var bytes: [UInt8]
    /// The parts, in order; empty for a body without files, which is `bytes`.
    package private(set) var parts: [Part]

    /// Creates a body of bytes; without any, an empty one.
    public init(_ bytes: some Sequence<UInt8> = []) {
        (self.bytes, parts) = (Array(bytes), [])
    }

    /// Creates a body that is a file. The file is read when the request is sent, and must stay as it is until then.
    public init(_ file: PinnedFile) {
        (bytes, parts) = ([], [.file(file)])
    }

    /// Adds bytes at the end.
    public mutating func append(_ more: some Sequence<UInt8>) {
        let more = Array(more)
        guard !more.isEmpty else { return }
        bytes += more
        if !parts.isEmpty { parts.append(.bytes(count: more.count)) }
    }

    /// Adds a file at the end.
    public mutating func append(_ file: PinnedFile) {
        if parts.isEmpty, !bytes.isEmpty { parts = [.bytes(count: bytes.count)] }
        parts.append(.file(file))
    }

    /// Creates a body of these parts; `nil` if they are not `bytes` and files.
    package init?(bytes: [UInt8], parts: [Part]) {
        var rest = bytes.count
        for case .bytes(let count) in parts {
            guard count >= 0, count <= rest else { return nil }
            rest -= count
        }
        guard parts.isEmpty || rest == 0 else { return nil }
        (self.bytes, self.parts) = (bytes, parts)
    }

    private init(parts: [Part]) {
        (bytes, self.parts) = ([], parts)
    }

    /// The body without its stored bytes, which are kept elsewhere.
    package var withoutBytes: StoredBody { StoredBody(parts: parts) }

    /// The files of the body, in order, without the bytes around them.
    package var filesOnly: StoredBody { StoredBody(parts: files.map(Part.file)) }

    /// The length of the whole body in bytes.
    public var length: Int64 {
        files.reduce(Int64(bytes.count)) { sum, file in
            let (total, overflows) = sum.addingReportingOverflow(file.length)
            return overflows ? .max : total
        }
    }

    /// The length of a body in files, which takes time to send; `nil` for any other.
    package var uploadLength: Int64? { files.isEmpty ? nil : length }

    /// Whether it has no bytes.
    public var isEmpty: Bool { length == 0 }

    /// The copy in it, whose name is the UUID of the transfer that it was made for; `nil` without a copy.
    package var copy: PinnedFile? { files.first(where: \.isCopy) }

    /// The file that is the whole body; `nil` for any other body.
    package var onlyFile: PinnedFile? { bytes.isEmpty && parts.count == 1 ? files.first : nil }

    /// The files that it contains.
    public var files: [PinnedFile] {
        parts.compactMap { part in
            if case .file(let file) = part { file } else { nil }
        }
    }
}

extension StoredBody: Codable {
    private enum CodingKeys: String, CodingKey {
        case bytes, parts
    }

    /// Reads a body. One without any bytes may be incomplete, if its bytes are kept elsewhere.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let parts = try fields.value(of: .parts) ?? [Part]()
        guard let text = try fields.decodeIfPresent(String.self, forKey: .bytes) else {
            self.init(parts: parts)
            return
        }
        guard let bytes = Base64.decoded(text.utf8), let body = StoredBody(bytes: bytes, parts: parts) else {
            throw fields.damaged(.bytes, "wrong bytes")
        }
        self = body
    }

    /// Writes the body, with its bytes in base64.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        if !bytes.isEmpty { try fields.encode(Base64.encoded(bytes), forKey: .bytes) }
        if !parts.isEmpty { try fields.encode(parts, forKey: .parts) }
    }
}

extension StoredBody.Part: Codable {
    private enum CodingKeys: String, CodingKey {
        case bytes, file
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if let file = try fields.decodeIfPresent(PinnedFile.self, forKey: .file) {
            self = .file(file)
        } else {
            self = .bytes(count: try fields.decode(Int.self, forKey: .bytes))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .bytes(let count): try fields.encode(count, forKey: .bytes)
        case .file(let file): try fields.encode(file, forKey: .file)
        }
    }
}
