/// Why the bytes of an answer are no answer that can be trusted.
package enum WireFault: Error, Hashable, Sendable {
    // MARK: Not HTTP/1

    /// A TLS record came: the port speaks TLS, the request did not.
    case tlsRecord
    /// A greeting with code 220 came, as FTP and SMTP servers send it.
    case greeting
    /// The answer does not begin with `HTTP/`, as under HTTP/0.9 and other protocols.
    case noStatusLine
    /// The version is no version, or 0.9.
    case unsupportedVersion

    // MARK: The head

    /// The status is not three digits, or below 100 (RFC 9110 §15).
    case invalidStatus
    /// The head is larger than ``ResponseLimits/headBytes``.
    case headTooLarge
    /// A line is longer than ``ResponseLimits/lineBytes``.
    case lineTooLong
    /// There are more fields than ``ResponseLimits/fields``.
    case tooManyFields
    /// There are more 1xx answers than ``ResponseLimits/interimAnswers``.
    case tooManyInterimAnswers
    /// 101 without a requested upgrade.
    case unaskedUpgrade
    /// A line is no field, but looks like one that frames the message.
    case garbledFraming
    /// A NUL, a CR that ends no line, or a control character in a field that frames the message.
    case strayControl

    // MARK: The body

    /// `Content-Length` is not a number that fits, or several differ.
    case invalidContentLength
    /// `Content-Length` and `Transfer-Encoding` together.
    case ambiguousFraming
    /// A transfer coding other than `chunked` alone.
    case unknownTransferCoding
    /// The size of a chunk is not a hexadecimal number that fits.
    case invalidChunkSize
    /// The line with the size of a chunk is longer than ``ResponseLimits/chunkLineBytes``.
    case chunkLineTooLong
    /// The data of a chunk does not end where its size says.
    case chunkWithoutEnd
    /// The trailers are larger than ``ResponseLimits/trailerBytes``.
    case trailersTooLarge

    // MARK: The end of the connection

    /// The connection closed before the first byte of an answer.
    case closedBeforeAnswer
    /// The connection closed within a head, or behind an interim one.
    case closedWithinHead
    /// The connection closed before the end of the body.
    case closedWithinBody

    /// The fault in words, to follow "The answer of example.com".
    package var explanation: String {
        switch self {
        case .tlsRecord: "is a TLS record"
        case .greeting: "is the greeting of another protocol, such as FTP"
        case .noStatusLine: "does not begin with an HTTP status line"
        case .unsupportedVersion: "has an unknown version of HTTP"
        case .invalidStatus: "has a status code that is not three digits from 100 on"
        case .headTooLarge: "has a head that is too large"
        case .lineTooLong: "has a header field that is too long"
        case .tooManyFields: "has too many header fields"
        case .tooManyInterimAnswers: "has too many interim responses"
        case .unaskedUpgrade: "switches protocols without being asked"
        case .garbledFraming: "has a header field that is damaged and may be its length"
        case .strayControl: "has a control character in its head"
        case .invalidContentLength: "has an invalid Content-Length"
        case .ambiguousFraming: "has both Content-Length and Transfer-Encoding"
        case .unknownTransferCoding: "has a transfer coding that Ferry does not know"
        case .invalidChunkSize: "has a chunk with an invalid size"
        case .chunkLineTooLong: "has a chunk extension that is too long"
        case .chunkWithoutEnd: "has a chunk that is longer than its size"
        case .trailersTooLarge: "has trailer fields that are too large"
        case .closedBeforeAnswer: "did not come before the connection closed"
        case .closedWithinHead: "broke off within its head"
        case .closedWithinBody: "broke off within its body"
        }
    }

    /// Whether the connection closed too early. The bytes before were right.
    package var isClosing: Bool {
        switch self {
        case .closedBeforeAnswer, .closedWithinHead, .closedWithinBody: true
        default: false
        }
    }
}
