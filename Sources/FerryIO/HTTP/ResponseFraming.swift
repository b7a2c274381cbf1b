internal import FerryCore
internal import HTTPTypes
internal import NIOHTTP1

/// How the end of a body is found (RFC 9112 §6.3).
enum ResponseFraming: Hashable, Sendable {
    /// There is no body: the response to HEAD, or 204 or 304.
    case none
    /// `Content-Length` gives the number of bytes.
    case length(Int64)
    /// Chunks, the last of which is empty.
    case chunked
    /// The body ends with the connection.
    case untilClose

    /// Reads the framing of a response.
    ///
    /// Two lengths that differ, or a length beside a transfer coding, mean that a party on the path may see
    /// another message than Ferry does (request smuggling). RFC 9112 §6.3 tells a client to discard such a
    /// response.
    init(_ head: HTTPResponseHead, answering method: HTTPRequest.Method) throws(ProtocolViolation) {
        let length = try Self.contentLength(head.headers)
        let hasNoBody = method == .head || head.status == .noContent || head.status == .notModified
        if hasNoBody {
            self = .none
            return
        }
        let codings = head.headers["Transfer-Encoding"]
        if codings.isEmpty {
            self = length.map { .length($0) } ?? .untilClose
            return
        }
        guard length == nil else { throw .ambiguousFraming }
        let isChunked = codings.count == 1 && codings[0].lowercased() == "chunked"
        guard isChunked, head.version.major == 1, head.version.minor >= 1 else {
            throw .unknownTransferCoding
        }
        self = .chunked
    }

    /// The length of the body, if the framing gives it.
    var bodyLength: Int64? {
        switch self {
        case .none: 0
        case .length(let length): length
        case .chunked, .untilClose: nil
        }
    }

    private static func contentLength(_ headers: HTTPHeaders) throws(ProtocolViolation) -> Int64? {
        var length: Int64?
        for value in headers[canonicalForm: "Content-Length"] {
            // "+5" is a number to Swift, but not to RFC 9110 §8.6.
            let isDigits = !value.isEmpty && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isDigits, let number = Int64(value) else { throw .invalidContentLength }
            guard length == nil || length == number else { throw .invalidContentLength }
            length = number
        }
        return length
    }
}

extension ResponseHead {
    /// The head in the core's form; order and duplicates of the fields are kept.
    init(_ head: HTTPResponseHead, framing: ResponseFraming) throws(ProtocolViolation) {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else { throw .invalidFieldName }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(status: Int(head.status.code), headers: fields, bodyLength: framing.bodyLength)
    }
}
