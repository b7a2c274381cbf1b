import FerryCore
import Testing

@testable import FerryIO

@Suite("Responses of a hostile server", .timeLimit(.minutes(10)))
struct HostileResponseTests {
    @Test(arguments: [
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5, 6",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: -5",
        "Content-Length: +5",
        "Content-Length: 5x",
        "Content-Length: 0x5",
        "Content-Length: 99999999999999999999999",
        "Content-Length: 9223372036854775808",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: x",
    ])
    func framingThatContradictsItselfIsABadResponse(fields: String) async throws {
        try await withServer(
            answering: "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n0\r\n\r\n",
            closing: true
        ) { transport, server in
            let problem = await problem { try await transport.fetch(.get(server)) }
            #expect(problem?.failure.code == .badResponse)
            #expect(problem?.disposition == .transient(retryAfter: nil))
        }
    }

    @Test(arguments: [
        "garbage that is no HTTP\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/0.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length 5\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}",
        // A chunk without a length.
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
    func whatIsNotHTTPIsABadResponse(answer: String) async throws {
        try await withServer(answering: answer) { transport, server in
            let problem = await problem { try await transport.fetch(.get(server)) }
            #expect(problem?.failure.code == .badResponse)
        }
    }

    @Test(
        arguments: ["000", "001", "050", "099"],
        ["Content-Length: 2\r\n\r\nok", "Content-Length: 0\r\n\r\n"]
    )
    func statusBelow100IsABadResponse(status: String, rest: String) async throws {
        try await withServer(answering: "HTTP/1.1 \(status) No\r\n\(rest)") { transport, server in
            let problem = await problem { try await transport.fetch(.get(server)) }
            #expect(
                problem
                    == .transient(
                        .badResponse,
                        "The answer of 127.0.0.1:\(server.port) has a status code that is not three digits from 100 on."
                    )
            )
        }
    }

    @Test func statusBelow100OfAProxyOpensNoTunnel() async throws {
        try await withServer(
            answering: "HTTP/1.1 050 No\r\nContent-Length: 2\r\n\r\nok"
        ) { transport, server in
            let problem = await problem {
                try await transport.fetch(
                    .get("https://far.invalid/") {
                        $0.proxy = Proxy(scheme: .http, host: "127.0.0.1", port: server.port)
                    }
                )
            }
            #expect(problem?.failure.code == .proxyFailed)
        }
    }

    @Test(arguments: [600, 999])
    func statusOfNoClassIsPassedOn(status: Int) async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 \(status) Odd\r\nContent-Length: 0\r\n\r\n")
        } _: { transport, server in
            let (head, _, _) = try await transport.fetch(.get(server))
            #expect(head.status == status)
        }
    }

    @Test(arguments: [
        // Too large in all, too many, one too large.
        (8, 60_000), (100_000, 1), (1, 100_000_000),
    ])
    func floodOfFieldsIsCutOff(count: Int, size: Int) async throws {
        try await withServer { connection in
            try await connection.readHead()
            // In large pieces: a hundred thousand small ones can take longer than the client waits for a head.
            var piece = "HTTP/1.1 200 OK\r\n"
            for number in 0..<count {
                piece += "X-\(number): "
                for _ in 0..<max(1, size / 60_000) {
                    piece += String(repeating: "a", count: min(size, 60_000))
                    guard piece.utf8.count >= 60_000 else { continue }
                    try await connection.send(piece)
                    piece = ""
                }
                piece += "\r\n"
            }
            try await connection.send(piece + "Content-Length: 0\r\n\r\n")
            await connection.waitUntilClosed()
        } _: { transport, server in
            let problem = await problem { try await transport.fetch(.get(server)) }
            #expect(problem?.failure.code == .badResponse)
        }
    }

    @Test func interimResponsesArePassedOverUpToABound() async throws {
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", count: 3)
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send(interim + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        } _: { transport, server in
            let (head, _, bytes) = try await transport.fetch(.get(server))
            #expect(head.status == 200)
            #expect(bytes == Array("ok".utf8))
        }
    }

    @Test func endlessInterimResponsesAreCutOff() async throws {
        try await withServer { connection in
            try await connection.readHead()
            while true { try await connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
        } _: { transport, server in
            let problem = await problem { try await transport.fetch(.get(server)) }
            #expect(problem?.failure.code == .badResponse)
        }
    }

    @Test func bytesBehindTheBodyNeitherHarmItNorReachTheNextAnswer() async throws {
        let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
        try await withServer { connection in
            while true {
                try await connection.readHead()
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + forged)
            }
        } _: { transport, server in
            for _ in 0..<3 {
                let (_, _, bytes) = try await transport.fetch(.get(server))
                #expect(bytes == Array("ok".utf8))
            }
        }
    }

    @Test func messagesNameNoSecret() async throws {
        try await withServer(
            answering: "HTTP/1.1 200 OK\r\nSet-Cookie: hunter2\r\nContent-Length: x\r\n\r\n",
            closing: true
        ) { transport, server in
            let url = "http://joe:hunter2@127.0.0.1:\(server.port)/hunter2?token=hunter2"
            let problem = await problem { try await transport.fetch(.get(url)) }
            #expect(problem != nil)
            #expect(!String(reflecting: problem).contains("hunter2"))
        }
    }
}
