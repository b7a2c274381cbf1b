import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// What is accepted beyond the grammar. Each row is a row of `docs/WIRE.md` by the same name.
@Suite("Lenient answers")
struct LenientAnswerTests {
    static let samples: [AnswerSample] = [
        AnswerSample(
            "line feeds alone",
            "HTTP/1.1 200 OK\nContent-Length: 37\n\n" + AnswerSample.text,
            .plain
        ),
        AnswerSample(
            "line feeds alone in chunks",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n25\n" + AnswerSample.text + "\n0\n\n",
            .chunked
        ),
        AnswerSample("empty lines before the status line", "\r\n\n" + plain(), .plain),
        AnswerSample("status without a reason", plain(status: "HTTP/1.1 200 \r\n"), .plain),
        AnswerSample("status without a reason and its blank", plain(status: "HTTP/1.1 200\r\n"), .plain),
        AnswerSample("several blanks in the status line", plain(status: "HTTP/1.1 \t 200  OK\r\n"), .plain),
        AnswerSample("lower-case http", plain(status: "http/1.1 200 OK\r\n"), .plain),
        AnswerSample("other versions", plain(status: "HTTP/1.2 200 OK\r\n"), .plain),
        AnswerSample(
            "version 2.0 in text",
            plain(status: "HTTP/2.0 200 OK\r\n"),
            .whole(.length(37), .closes)
        ),
        AnswerSample(
            "version without a minor one",
            plain(status: "HTTP/1 200 OK\r\n"),
            .whole(.length(37), .closes)
        ),
        AnswerSample("HTTP/1.0", plain(status: "HTTP/1.0 200 OK\r\n"), .whole(.length(37), .closes)),
        AnswerSample("status from 600 on", plain(status: "HTTP/1.1 799 Odd\r\n"), .plain),
        AnswerSample("blanks around a value", fielded("Content-Length:\t 37 \t\r\n"), .plain),
        AnswerSample("no blank before a value", fielded("Content-Length:37\r\n"), .plain),
        AnswerSample("blank before the colon", fielded("Content-Length : 37\r\n"), .plain),
        AnswerSample("folded field", plain("X-A: one\r\n two\r\n"), .plain),
        AnswerSample("folded length", fielded("Content-Length:\r\n 37\r\n"), .plain),
        AnswerSample("fold before the first field", plain(" X-A: one\r\n"), .plain),
        AnswerSample("line without a colon", plain("garbage\r\n"), .plain),
        AnswerSample("name that is no token", plain("X(A) b: c\r\n: d\r\nX-\u{E4}: e\r\n"), .plain),
        AnswerSample("control character in a value", plain("X-A: a\u{1}\u{7F}b\r\n"), .plain),
        AnswerSample("equal lengths", plain("Content-Length: 37\r\n"), .plain),
        AnswerSample("equal lengths in one field", fielded("Content-Length: 37, 37\r\n"), .plain),
        AnswerSample("length with an empty member", fielded("Content-Length: 37,\r\n"), .plain),
        AnswerSample(
            "length with leading zeros",
            fielded("Content-Length: 00000000000000000000037\r\n"),
            .plain
        ),
        AnswerSample("identity", plain("Transfer-Encoding: identity\r\n"), .plain),
        AnswerSample(
            "identity before chunked",
            chunked(lines: "Transfer-Encoding: identity, chunked\r\n"),
            .chunked
        ),
        AnswerSample("chunked in capitals", chunked(lines: "Transfer-Encoding: CHUNKED\r\n"), .chunked),
        AnswerSample(
            "chunked said twice",
            chunked(lines: "Transfer-Encoding: chunked\r\nTransfer-Encoding: ,chunked,\r\n"),
            .chunked
        ),
        AnswerSample("chunks in HTTP/1.0", chunked(status: "HTTP/1.0 200 OK\r\n"), .whole(.chunked, .closes)),
        AnswerSample("chunk extensions", chunked("25;a=b;c=\"d e\""), .chunked),
        AnswerSample("blanks around a chunk size", chunked(" 25 \t"), .chunked),
        AnswerSample("blanks around a chunk extension", chunked("25 ; a = b"), .chunked),
        AnswerSample("chunk size with leading zeros", chunked("000000000000000000000025"), .chunked),
        AnswerSample("trailers", chunked(last: "0\r\nX-T: 1\r\n\r\n"), .chunked),
        AnswerSample("garbage among the trailers", chunked(last: "0\r\ngarbage\r\n\r\n"), .chunked),
        AnswerSample(
            "no line behind the last chunk",
            chunked(last: "0\r\n"),
            .whole(.chunked, .closes),
            then: .broken
        ),
        AnswerSample(
            "trailers without their end",
            chunked(last: "0\r\nX-T: 1\r\n"),
            .whole(.chunked, .closes),
            then: .orderly
        ),
    ]

    @Test("is right, however the bytes are cut", arguments: samples)
    func isRight(_ sample: AnswerSample) throws {
        guard case .whole(let framing, let persistence) = sample.outcome else { return }
        for size in [Int.max, 1, 2, 3, 7] {
            let reading = try sample.read(cutInto: [size])
            #expect(reading.fault == nil)
            #expect(reading.framing == framing)
            #expect(reading.body == Array(AnswerSample.text.utf8))
            #expect(reading.end?.persistence == persistence)
        }
    }

    @Test("a folded value is one line, and a field that is left out leaves the others as they are")
    func valuesAreRead() throws {
        let text = plain(
            "X-A: one\r\n\t two\r\nno colon\r\n more\r\nX-B:\r\n  three \r\nX-C: \u{1}d\u{1}e\r\n"
        )
        let head = try #require(try AnswerSample("", text, .plain).read().head)
        #expect(head.headers.map(\.name.rawName) == ["X-A", "X-B", "X-C", "Content-Length"])
        #expect(head.headers.map(\.value) == ["one two", "three", "d e", "37"])
    }

    @Test("trailers are told apart from the head's fields")
    func trailersAreApart() throws {
        let text = chunked(last: "0\r\nETag: \"b\"\r\nContent-Length: 5\r\n\r\n")
        let reading = try AnswerSample("", text, .chunked).read()
        #expect(reading.end?.trailers[.eTag] == "\"b\"")
        #expect(reading.head?.headers[.eTag] == nil)
        #expect(reading.body.count == 37)
    }
}
