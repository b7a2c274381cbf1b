import FerryCore
import Testing

@testable import FerryIO

/// SOCKS proxies that break RFC 1928: each request ends with one problem, and no byte of it goes astray.
@Suite("SOCKS proxies that lie", .timeLimit(.minutes(10)))
struct LyingSOCKSTests {
    /// After the greeting of the client (version, one method, none needed).
    private static let greeted: [ProxyScript.Step] = [.read(3)]
    /// After the request to connect to `far.invalid:80`.
    private static let asked = greeted + [.send([5, 0]), .read(18)]
    private static let success: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0, 0]

    private static let beforeTheRequest: [ProxyScript] = [
        .init("closes at once", [.close], [.proxyFailed, .connectionLost]),
        .init("resets at once", [.reset], [.proxyFailed, .connectionLost]),
        .init("closes after the greeting", greeted + [.close], [.proxyFailed, .connectionLost]),
        .init("resets after the greeting", greeted + [.reset], [.proxyFailed, .connectionLost]),
        .init("says nothing at all", greeted + [.hang], [.proxyFailed, .timeout], isHanging: true),
        .init("speaks version 4", greeted + [.send([4, 0])], [.proxyFailed]),
        .init("speaks HTTP", greeted + [.send(Array("HTTP/1.1 400 Bad\r\n\r\n".utf8))], [.proxyFailed]),
        .init("accepts no method", greeted + [.send([5, 0xFF])], [.notAuthorised]),
        .init("takes a method that was not offered", greeted + [.send([5, 2])], [.notAuthorised]),
        .init(
            "closes in the middle of its choice",
            greeted + [.send([5]), .close],
            [.proxyFailed, .connectionLost]
        ),
        .init(
            "stops in the middle of its choice",
            greeted + [.send([5]), .hang],
            [.proxyFailed, .timeout],
            isHanging: true
        ),
        .init(
            "says more than its choice",
            greeted + [.send([5, 0] + success)],
            [.proxyFailed, .connectionLost, .timeout],
            isHanging: true
        ),
    ]

    private static let afterTheRequest: [ProxyScript] =
        [
            .init("closes after the request", asked + [.close], [.proxyFailed, .connectionLost]),
            .init("resets after the request", asked + [.reset], [.proxyFailed, .connectionLost]),
            .init("never answers the request", asked + [.hang], [.proxyFailed, .timeout], isHanging: true),
            .init(
                "answers with another version",
                asked + [.send([4, 0, 0, 1, 0, 0, 0, 0, 0, 0])],
                [.proxyFailed]
            ),
            // It says nothing, so the way is open, and what is behind it is silent.
            .init(
                "sets the reserved byte",
                asked + [.send([5, 0, 7, 1, 0, 0, 0, 0, 0, 0]), .hang],
                [.timeout],
                isHanging: true
            ),
            .init(
                "names no kind of address",
                asked + [.send([5, 0, 0, 9, 0, 0, 0, 0, 0, 0])],
                [.proxyFailed]
            ),
            .init(
                "closes in its answer",
                asked + [.send([5, 0, 0, 1, 127]), .close],
                [.proxyFailed, .connectionLost]
            ),
            .init(
                "stops in its answer",
                asked + [.send([5, 0, 0, 1, 127]), .hang],
                [.proxyFailed, .timeout],
                isHanging: true
            ),
            .init(
                "never ends the name of its address",
                asked + [.send([5, 0, 0, 3, 255, 1, 2]), .hang],
                [.proxyFailed, .timeout],
                isHanging: true
            ),
            .init(
                "closes after the tunnel is open",
                asked + [.send(success), .close],
                [.proxyFailed, .connectionLost]
            ),
            .init(
                "resets after the tunnel is open",
                asked + [.send(success), .readHead, .reset],
                [.connectionLost]
            ),
            .init(
                "falls silent behind the tunnel",
                asked + [.send(success), .hang],
                [.timeout],
                isHanging: true
            ),
            .init(
                "says garbage behind the tunnel",
                asked + [.send(success), .readHead, .send(success)],
                [.badResponse]
            ),
        ]
        + ((1...9).map { UInt8($0) } + [0x80, 0xFF]).map { code in
            .init("refuses with \(code)", asked + [.send([5, code, 0, 1, 0, 0, 0, 0, 0, 0])], [.proxyFailed])
        }
        + [
            .init(
                "refuses in pieces",
                asked + [.sendSlowly([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])],
                [.proxyFailed]
            ),
            .init(
                "refuses with a name",
                asked + [.send([5, 4, 0, 3, 3] + Array("abc".utf8) + [0, 80])],
                [.proxyFailed]
            ),
            .init(
                "refuses and resets",
                asked + [.send([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]), .reset],
                [.proxyFailed, .connectionLost]
            ),
        ]

    @Test(arguments: beforeTheRequest + afterTheRequest)
    func oneProblemEndsTheRequest(_ script: ProxyScript) async throws {
        let problem = try #require(try await script.problem(for: "http://far.invalid/x", through: .socks5h))
        #expect(script.codes.contains(problem.failure.code), "\(problem)")
        // Without a user and a password there is nothing to try again.
        let isFinal = problem.failure.code == .notAuthorised
        #expect(problem.disposition == (isFinal ? .permanent : .transient(retryAfter: nil)), "\(problem)")
        let message = problem.failure.message
        #expect(message.contains("127.0.0.1") || message.contains("far.invalid"), "\(problem)")
    }

    @Test(arguments: [
        ProxyScript("hangs in the handshake", asked + [.send(success), .hang], [.timeout], isHanging: true),
        ProxyScript(
            "closes in the handshake",
            asked + [.send(success), .read(1), .close],
            [.connectionLost]
        ),
    ])
    func whatIsBehindTheTunnelIsJudgedLikeAnyServer(_ script: ProxyScript) async throws {
        let problem = try #require(try await script.problem(for: "https://far.invalid/x", through: .socks5h))
        #expect(script.codes.contains(problem.failure.code), "\(problem)")
        #expect(problem.disposition == .transient(retryAfter: nil), "\(problem)")
    }

    @Test func anAnswerThatComesByteByByteIsUnderstood() async throws {
        try await withServer { connection in
            _ = try await connection.read(3)
            for byte in [5, 0] as [UInt8] { try await connection.send([byte]) }
            _ = try await connection.read(18)
            // The bound address is a name, as some proxies give it.
            for byte in [5, 0, 0, 3, 1, 0x61, 0, 80] as [UInt8] { try await connection.send([byte]) }
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        } _: { transport, server in
            let request = try TransportRequest.get("http://far.invalid/x") {
                $0.proxy = Proxy(scheme: .socks5h, host: "127.0.0.1", port: server.port)
            }
            #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
        }
    }

    @Test func theLongestNameThatThereIsFitsIntoARequest() async throws {
        let label = String(repeating: "a", count: 61)
        let host = [label, label, label, label, "invalid"].joined(separator: ".").suffix(253)
        try await withServer { connection in
            _ = try await connection.read(3)
            try await connection.send([5, 0])
            #expect(try await connection.read(5) == [5, 1, 0, 3, 253])
            try await connection.send([5, 4, 0, 1, 0, 0, 0, 0, 0, 0])
        } _: { transport, server in
            let problem = await problem {
                try await transport.fetch(
                    .get("http://\(host)/") {
                        $0.proxy = Proxy(scheme: .socks5h, host: "127.0.0.1", port: server.port)
                    }
                )
            }
            #expect(problem?.failure.code == .proxyFailed)
        }
    }
}
