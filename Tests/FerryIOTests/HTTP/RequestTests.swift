import FerryCore
import HTTPTypes
import Testing

@testable import FerryIO

@Suite("Requests on the wire", .timeLimit(.minutes(10)))
struct RequestTests {
    private static let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    @Test(arguments: [
        "/", "/a%2Fb;c=1?x=%20%zz&y=a+b", "/a//b//?", "/%E4%F6?q=[1]", "/a/@:!$&'()*+,;=-._~", "//double",
        "/percent%25%00end", "/?a=b?c=/d", "/%7Euser?%7e",
    ])
    func targetIsSentAsTheURLHasIt(target: String) async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send(Self.empty)
        } _: { transport, server in
            let request = try TransportRequest.get(server, target + "#fragment")
            _ = try await transport.fetch(request)
            #expect(
                server.requests.map { $0.split(separator: "\r\n").first.map(String.init) }
                    == ["GET \(request.url.requestTarget) HTTP/1.1"]
            )
        }
    }

    @Test func requestHasItsOwnFieldsAndNothingElse() async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send(Self.empty)
        } _: { transport, server in
            var request = try TransportRequest.get("http://joe:secret@127.0.0.1:\(server.port)/x#y")
            request.headers[.userAgent] = "ferry/1"
            request.headers.append(HTTPField(name: .cookie, value: "a=1"))
            request.headers.append(HTTPField(name: .cookie, value: "b=2"))
            _ = try await transport.fetch(request)
            let lines = try #require(server.requests.first).split(separator: "\r\n").dropFirst()
            #expect(
                Set(lines.map { $0.lowercased() }) == [
                    "host: 127.0.0.1:\(server.port)", "user-agent: ferry/1", "cookie: a=1", "cookie: b=2",
                ]
            )
        }
    }

    @Test(arguments: [
        ("http://example.invalid/", "example.invalid"), ("http://example.invalid:80/", "example.invalid"),
        ("http://EXAMPLE.invalid:8443/", "example.invalid:8443"), ("http://[::1]:8080/", "[::1]:8080"),
        ("http://[2001:DB8::1]/", "[2001:db8::1]"),
    ])
    func hostNamesTheServerAsTheURLDoes(url: String, host: String) async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send(Self.empty)
        } _: { transport, server in
            // The server plays a proxy, so that it can be asked for any host.
            let request = try TransportRequest.get(url) {
                $0.proxy = Proxy(scheme: .http, host: "127.0.0.1", port: server.port)
            }
            _ = try await transport.fetch(request)
            let lines = try #require(server.requests.first).split(separator: "\r\n")
            #expect(lines.filter { $0.lowercased().hasPrefix("host:") } == ["Host: \(host)"])
        }
    }

    @Test func connectionIsUsedAgainAfterAWholeBody() async throws {
        try await withServer { connection in
            while true {
                try await connection.readHead()
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        } _: { transport, server in
            for _ in 0..<5 { _ = try await transport.fetch(.get(server)) }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func connectionIsUsedAgainAfterASmallBodyThatNobodyRead() async throws {
        try await withServer { connection in
            while true {
                try await connection.readHead()
                try await connection.send(
                    "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 5\r\n\r\nmoved"
                )
            }
        } _: { transport, server in
            for _ in 0..<3 {
                let status = try await transport.withResponse(to: .get(server)) { head, _ in head.status }
                #expect(status == 302)
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func largeBodyThatNobodyReadIsCutOff() async throws {
        let closed = ThreadGate()
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            await connection.waitUntilClosed()
            closed.open()
        } _: { transport, server in
            let status = try await transport.withResponse(to: .get(server)) { head, _ in head.status }
            #expect(status == 200)
            try await closed.waitUntilOpen()
        }
    }

    @Test func smallBodyThatNeverComesHoldsNobodyUp() async throws {
        try await withServer(
            answering: "HTTP/1.1 404 Not Found\r\nContent-Length: 10\r\n\r\n"
        ) { transport, server in
            let status = try await transport.withResponse(to: .get(server)) { head, _ in head.status }
            #expect(status == 404)
        }
    }

    @Test func manyRequestsRunAtOnce() async throws {
        let body = pattern(100_000)
        try await withServer { connection in
            while true {
                try await connection.readHead()
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                try await connection.send(body)
            }
        } _: { transport, server in
            try await withThrowingTaskGroup(of: [UInt8].self) { tasks in
                for _ in 0..<40 { tasks.addTask { try await transport.fetch(.get(server)).bytes } }
                for try await bytes in tasks { #expect(bytes == body) }
            }
        }
    }
}
