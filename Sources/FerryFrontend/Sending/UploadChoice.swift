import Ferry

/// How a file is uploaded, as far as it was typed.
package struct UploadChoice: Sendable {
    /// The name of a protocol; `nil` leaves the choice to the URL.
    package var protocolName: String?
    /// The wished length of a part, such as `64M`.
    package var partSize: String?
    /// The path of the file below the directory that is uploaded; `nil` for any other file.
    var relativePath: String?

    package init() {}

    /// Whether each request to a URL creates an upload of its own, so that the URL does not name the file: with tus, and with
    /// the draft of the IETF if it ends with `/`. Such a URL is used as it was typed.
    ///
    /// Only the name of a protocol tells. No server is asked what it can do before that is known.
    func createsUploads(at target: String) -> Bool {
        switch protocolName {
        case UploadProtocolName.tus.rawValue: true
        case UploadProtocolName.ietf.rawValue: Self.parts(of: target).path.hasSuffix("/")
        default: false
        }
    }

    /// A URL of HTTP up to the end of its path, and the rest. Without a path it has the path "/" (RFC 9110 §4.2.3).
    static func parts(of target: String) -> (path: String, rest: String) {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        return (String(path) + (isBare(path) ? "/" : ""), String(target[path.endIndex...]))
    }

    /// The name of an object. A bucket alone is the prefix of all its keys.
    static func name(of target: String) -> String { isBare(target) ? target + "/" : target }

    /// Whether nothing comes after the host or the bucket.
    private static func isBare(_ target: some StringProtocol) -> Bool {
        target.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).count == 3
    }

    /// The protocol for a URL; `nil` for one request without any.
    func name(for url: HTTPURL) throws(CommandFailure) -> UploadProtocolName? {
        let own: UploadProtocolName? =
            switch url.scheme {
            case .http, .https: nil
            case .s3: .s3
            case .oss: .oss
            case .gs: .gcs
            }
        switch protocolName {
        case nil, "auto": return own
        case "put": return nil
        case let text?:
            guard let name = UploadProtocolName(rawValue: text) else {
                let names = UploadProtocolName.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--protocol takes auto, put, \(names), and not \(QuotedWord(text)).")
            }
            guard url.scheme.store == nil || name == own else {
                throw .usage("The objects of \(url.scheme.rawValue):// are not uploaded by \(name).")
            }
            guard url.scheme.store != nil || ![.s3, .oss].contains(name) else {
                throw .usage(
                    "The protocol \(name.rawValue) needs the name of an object.",
                    hint: "Such as `ferry put FILE \(name.rawValue)://bucket/key`."
                )
            }
            return name
        }
    }

    /// The wished length of a part in bytes; `nil` leaves it to Ferry.
    func bytesOfPart() throws(CommandFailure) -> Int64? {
        guard let partSize else { return nil }
        do {
            let bytes = try ByteCount(parsing: partSize).bytes
            if bytes > 0 { return bytes }
        } catch {
            throw .usage("--part-size: \(error.description)")
        }
        throw .usage("--part-size must be above 0.")
    }
}

extension UploadSpecification {
    /// The upload of a file in place of a request that would send it.
    init(_ file: PinnedFile, as request: RequestSpecification, by name: UploadProtocolName) {
        self.init(file, to: request.url, by: name)
        sendsAgain = request.sendsAgain
        method = request.method
        contentType = request.exchange.headers.last { $0.isNamed("Content-Type") }?.value
        exchange = request.exchange
        exchange.headers.removeAll { $0.isNamed("Content-Type") || Self.isOfObject($0) }
        fields = request.exchange.headers.filter(Self.isOfObject)
        terms = request.terms
    }

    /// Whether a field belongs to the request that makes the object, and not to every request of the upload.
    private static func isOfObject(_ field: HeaderField) -> Bool {
        let name = field.name.lowercased()
        return [
            "if-match", "if-none-match", "content-encoding", "content-language", "content-disposition",
            "cache-control",
        ]
        .contains(name) || ["x-amz-", "x-oss-", "x-goog-"].contains { name.hasPrefix($0) }
    }
}
