import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

@Suite("A request on the wire")
struct WireRequestTests {
    private let url: HTTPURL
    private let agent = HTTPField(name: .userAgent, value: "ferry")

    init() throws {
        url = try HTTPURL(parsing: "http://u:p@h.example:8080/a%20b?c=d#e")
    }

    private func text(_ request: WireRequest) throws -> String { try request.head().text }

    @Test("is written in origin form, Host first")
    func originForm() throws {
        #expect(
            try text(WireRequest(.get, .origin(url), fields: HTTPFields([agent]))) == """
                GET /a%20b?c=d HTTP/1.1\r
                Host: h.example:8080\r
                User-Agent: ferry\r
                \r

                """
        )
    }

    @Test("is written in absolute form for a proxy, without userinfo and fragment")
    func absoluteForm() throws {
        #expect(
            try text(WireRequest(.get, .absolute(url))).hasPrefix(
                "GET http://h.example:8080/a%20b?c=d HTTP/1.1\r\nHost: h.example:8080\r\n"
            )
        )
    }

    @Test(
        "is written in authority form for a tunnel, with brackets around IPv6",
        arguments: [
            ("h.example", "h.example:443"), ("::1", "[::1]:443"),
        ]
    )
    func authorityForm(host: String, written: String) throws {
        #expect(
            try text(WireRequest(.connect, .authority(host: host, port: 443)))
                == "CONNECT \(written) HTTP/1.1\r\nHost: \(written)\r\n\r\n"
        )
    }

    @Test("a given Host takes the place of the target's, and stays first")
    func givenHost() throws {
        let host = HTTPField(name: HTTPField.Name("host")!, value: "other")
        let lines = try text(WireRequest(.get, .origin(url), fields: HTTPFields([agent, host]))).split(
            separator: "\r\n"
        )
        #expect(lines == ["GET /a%20b?c=d HTTP/1.1", "Host: other", "User-Agent: ferry"])
        #expect(throws: RequestFault.severalHosts) {
            try WireRequest(.get, .origin(url), fields: HTTPFields([host, host])).head()
        }
    }

    @Test(
        "frames its body",
        arguments: [
            (HTTPRequest.Method.get, WireRequest.Body.none, [String]()),
            (.post, .none, ["Content-Length: 0"]),
            (.post, .streamed(length: 0, expectsContinue: false), ["Content-Length: 0"]),
            (
                .put, .streamed(length: 5, expectsContinue: true),
                ["Content-Length: 5", "Expect: 100-continue"]
            ),
            (.post, .streamed(length: nil, expectsContinue: false), ["Transfer-Encoding: chunked"]),
        ]
    )
    func framing(method: HTTPRequest.Method, body: WireRequest.Body, lines: [String]) throws {
        let written = try text(WireRequest(method, .origin(url), body: body, closes: true))
        #expect(
            written.split(separator: "\r\n").dropFirst(2).map(String.init) == lines + ["Connection: close"]
        )
    }

    @Test(
        "fields that follow from the request cannot be given",
        arguments: [
            "Content-Length", "transfer-encoding", "Connection", "Expect",
        ]
    )
    func ownFields(name: String) throws {
        let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "1")
        #expect(throws: RequestFault.ownField) {
            try WireRequest(.get, .origin(url), fields: HTTPFields([field])).head()
        }
    }

    @Test("nothing begins another line", arguments: ["\r", "\n", "\0", "\r\nX: y"])
    func nothingIsSmuggledIn(text: String) throws {
        let request = WireRequest(.connect, .authority(host: "h" + text, port: 1))
        #expect(throws: RequestFault.invalidTarget) { try request.head() }
        var writer = HeadWriter()
        #expect(throws: RequestFault.invalidMethod) { try writer.line(method: "GET" + text, target: "/") }
        #expect(throws: RequestFault.invalidTarget) { try writer.line(method: "GET", target: "/" + text) }
        #expect(throws: RequestFault.invalidField) { try writer.field("A" + text, "b") }
        #expect(throws: RequestFault.invalidField) { try writer.field("A", "b" + text) }
        let head = writer.end()
        #expect(head == Array("\r\n".utf8))
        let field = HTTPField(name: .userAgent, value: "a" + text)
        #expect(
            try WireRequest(.get, .origin(url), fields: HTTPFields([field])).head().count { $0 == 0x0A } == 4
        )
    }

    @Test("a tunnel has CONNECT, and nothing else has")
    func tunnelsAreConnected() {
        #expect(throws: RequestFault.invalidTarget) { try WireRequest(.connect, .origin(url)).head() }
        #expect(throws: RequestFault.invalidTarget) {
            try WireRequest(.get, .authority(host: "h", port: 1)).head()
        }
    }

    @Test("a body of a known length is as long as was said")
    func knownLength() throws {
        var body = RequestBodyWriter(length: 5)
        #expect(try body.part(of: 3) == RequestBodyWriter.Frame())
        #expect(throws: RequestFault.bodyTooLong) { try body.part(of: 3) }
        #expect(try body.part(of: 2) == RequestBodyWriter.Frame())
        #expect(try body.end().isEmpty)
        #expect(throws: RequestFault.bodyTooLong) { try body.part(of: 0) }
        var short = RequestBodyWriter(length: 5)
        #expect(try short.part(of: 4) == RequestBodyWriter.Frame())
        #expect(throws: RequestFault.bodyTooShort) { try short.end() }
    }

    @Test("chunks that are written are read back, and an empty part does not end them")
    func chunksAreReadBack() throws {
        var body = RequestBodyWriter(length: nil)
        var bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for part in ["hello", "", String(repeating: "x", count: 300)] {
            let frame = try body.part(of: part.utf8.count)
            bytes += frame.before + Array(part.utf8) + frame.after
        }
        bytes += try body.end()
        #expect(try body.end().isEmpty)
        let reading = try AnswerReading(bytes, cutInto: [7])
        #expect(reading.body.count == 305)
        #expect(reading.end != nil)
        #expect(reading.behind == 0)
    }
}
