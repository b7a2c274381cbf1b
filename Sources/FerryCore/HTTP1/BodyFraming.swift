internal import HTTPTypes

/// How the end of an answer's body is found (RFC 9112 §6.3).
package enum BodyFraming: Hashable, Sendable {
    /// There is no body: the answer to HEAD, 204, 304, or 2xx to CONNECT.
    case none
    /// `Content-Length` gives the number of bytes.
    case length(Int64)
    /// Chunks, the last of which is empty.
    case chunked
    /// The body ends with the connection.
    case untilClose

    /// The number of bytes of the body, if the framing gives it.
    package var bodyLength: Int64? {
        switch self {
        case .none: 0
        case .length(let length): length
        case .chunked, .untilClose: nil
        }
    }

    /// Reads the framing of a final answer.
    ///
    /// Lengths that differ, or a length beside a transfer coding, mean that a party on the path may see another message
    /// than this side does. RFC 9112 §6.3 tells a client to discard such an answer.
    init(status: Int, _ fields: HTTPFields, answering method: HTTPRequest.Method) throws(WireFault) {
        let isTunnel = method == .connect && (200..<300).contains(status)
        if method == .head || status == 204 || status == 304 || isTunnel {
            self = .none
            return
        }
        let length = try Self.contentLength(fields)
        guard try Self.isChunked(fields) else {
            self = length.map { .length($0) } ?? .untilClose
            return
        }
        guard length == nil else { throw .ambiguousFraming }
        self = .chunked
    }

    /// The length; equal ones may be repeated, in several fields or in one (RFC 9110 §8.6).
    private static func contentLength(_ fields: HTTPFields) throws(WireFault) -> Int64? {
        var length: Int64?
        for value in fields[values: .contentLength] {
            let members = value.utf8.split(separator: 0x2C).map(\.trimmingBlanks).filter { !$0.isEmpty }
            guard !members.isEmpty else { throw .invalidContentLength }
            for member in members {
                guard let number = DecimalNumber(member)?.fitting, length == nil || length == number else {
                    throw .invalidContentLength
                }
                length = number
            }
        }
        return length
    }

    /// Whether the body comes in chunks.
    ///
    /// `identity`, which RFC 2616 had, says that nothing was done. `chunked` may be said twice, but never applied twice
    /// (RFC 9112 §7.1).
    private static func isChunked(_ fields: HTTPFields) throws(WireFault) -> Bool {
        let codings = fields[values: .transferEncoding].flatMap { value in
            value.utf8.split(separator: 0x2C).map(\.trimmingBlanks)
        }
        let applied = codings.filter { !$0.isEmpty && !$0.equalsIgnoringASCIICase("identity".utf8) }
        guard applied.allSatisfy({ $0.equalsIgnoringASCIICase("chunked".utf8) }) else {
            throw .unknownTransferCoding
        }
        return !applied.isEmpty
    }
}
