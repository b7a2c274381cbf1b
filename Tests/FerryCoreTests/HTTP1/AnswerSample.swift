import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// An answer, and what has to be made of it.
struct AnswerSample: Sendable, CustomTestStringConvertible {
    /// What has to be made of an answer.
    enum Outcome: Sendable {
        /// It is whole, with ``AnswerSample/text`` as its body.
        case whole(BodyFraming, Persistence)
        /// It is whole and has no body.
        case empty(Persistence)
        /// It is refused.
        case refused(WireFault)
    }

    /// The body of all samples.
    static let text = "0123456789abcdefghijklmnopqrstuvwxyz\n"

    var name: String
    var text: String
    var method = HTTPRequest.Method.get
    var closing = AnswerReading.Closing.none
    var outcome: Outcome

    init(
        _ name: String,
        _ text: String,
        _ outcome: Outcome,
        to method: HTTPRequest.Method = .get,
        then closing: AnswerReading.Closing = .none
    ) {
        self.name = name
        self.text = text
        self.method = method
        self.closing = closing
        self.outcome = outcome
    }

    var testDescription: String { name }
    var bytes: [UInt8] { Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }

    /// Reads the sample in pieces of the given sizes.
    func read(cutInto sizes: [Int] = []) throws -> AnswerReading {
        try AnswerReading(bytes, cutInto: sizes, answering: method, then: closing)
    }
}

extension AnswerSample.Outcome {
    /// A body of known length, on a connection that stays.
    static var plain: Self { .whole(.length(37), .persists(upTo: nil)) }
    /// A body in chunks, on a connection that stays.
    static var chunked: Self { .whole(.chunked, .persists(upTo: nil)) }
}

/// An answer with a known length, and lines before that field.
func plain(_ lines: String = "", status: String = "HTTP/1.1 200 OK\r\n") -> String {
    status + lines + "Content-Length: 37\r\n\r\n" + AnswerSample.text
}

/// An answer with some fields, the lines of which come whole.
func fielded(_ fields: String, status: String = "HTTP/1.1 200 OK\r\n") -> String {
    status + fields + "\r\n" + AnswerSample.text
}

/// An answer with one chunk.
func chunked(
    _ size: String = "25",
    lines: String = "Transfer-Encoding: chunked\r\n",
    status: String = "HTTP/1.1 200 OK\r\n",
    behind: String = "\r\n",
    last: String = "0\r\n\r\n"
) -> String {
    status + lines + "\r\n" + size + "\r\n" + AnswerSample.text + behind + last
}
