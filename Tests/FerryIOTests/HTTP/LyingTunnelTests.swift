import FerryCore
import Testing

@testable import FerryIO

/// HTTP proxies that break RFC 9110 §9.3.6 when they are asked for a tunnel.
@Suite("HTTP proxies that lie", .timeLimit(.minutes(10)))
struct LyingTunnelTests {
    private static func says(_ text: String, then steps: ProxyScript.Step...) -> [ProxyScript.Step] {
        [.readHead, .send(Array(text.utf8))] + steps
    }

    private static let closing: [ProxyScript] = [
        .init("closes at once", [.close], [.proxyFailed, .connectionLost]),
        .init("resets at once", [.reset], [.proxyFailed, .connectionLost]),
        .init("closes after the request", [.readHead, .close], [.proxyFailed, .connectionLost]),
        .init("resets after the request", [.readHead, .reset], [.proxyFailed, .connectionLost]),
        .init(
            "closes in its head",
            says("HTTP/1.1 200 OK\r\nA: ", then: .close),
            [.proxyFailed, .connectionLost]
        ),
        .init(
            "closes after its head",
            says("HTTP/1.1 200 OK\r\n\r\n", then: .close),
            [.proxyFailed, .connectionLost]
        ),
        .init(
            "closes in the handshake",
            says("HTTP/1.1 200 OK\r\n\r\n", then: .read(1), .close),
            [.proxyFailed, .connectionLost]
        ),
        .init("never answers", [.readHead, .hang], [.proxyFailed, .timeout], isHanging: true),
        .init(
            "stops in its head",
            says("HTTP/1.1 200 OK\r\nA: ", then: .hang),
            [.proxyFailed, .timeout],
            isHanging: true
        ),
        .init(
            "hangs in the handshake",
            says("HTTP/1.1 200 OK\r\n\r\n", then: .hang),
            [.timeout],
            isHanging: true
        ),
    ]

    private static let refusals: [ProxyScript] =
        [0, 1, 99, 101, 300, 302, 400, 403, 404, 500, 502, 503, 504, 599, 600, 999].map { status in
            let digits = String(1000 + status).dropFirst()
            return .init(
                "answers \(digits)",
                says("HTTP/1.1 \(digits) X\r\nContent-Length: 0\r\n\r\n"),
                [.proxyFailed]
            )
        }
        + [
            .init(
                "refuses with a page",
                says("HTTP/1.1 403 No\r\nContent-Length: 5\r\n\r\nhello"),
                [.proxyFailed]
            ),
            .init(
                "refuses, then agrees",
                says("HTTP/1.1 403 No\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
                [.proxyFailed]
            ),
            .init(
                "switches, then agrees",
                says("HTTP/1.1 101 X\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
                [.proxyFailed]
            ),
            .init(
                "answers 000, then agrees",
                says("HTTP/1.1 000 X\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
                [.proxyFailed]
            ),
        ]

    private static let agreements: [ProxyScript] = [
        .init(
            "agrees with a body",
            says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
            [.proxyFailed, .timeout, .tlsFailed, .connectionLost],
            isHanging: true
        ),
        .init(
            "agrees with chunks",
            says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
            [.proxyFailed, .timeout, .tlsFailed, .connectionLost],
            isHanging: true
        ),
        .init(
            "agrees twice",
            says("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
            [.proxyFailed, .timeout, .tlsFailed, .connectionLost],
            isHanging: true
        ),
        .init(
            "agrees, then refuses",
            says("HTTP/1.1 200 OK\r\n\r\n", then: .read(1), .send(Array("HTTP/1.1 403 No\r\n\r\n".utf8))),
            [.tlsFailed]
        ),
    ]

    private static let nonsense: [ProxyScript] = [
        .init(
            "says garbage",
            says("garbage that is no HTTP\r\n\r\n", then: .hang),
            [.proxyFailed, .timeout],
            isHanging: true
        ),
        .init(
            "speaks HTTP/2",
            says("HTTP/2.0 200 OK\r\n\r\n", then: .hang),
            [.proxyFailed, .timeout],
            isHanging: true
        ),
        .init(
            "answers ABC",
            says("HTTP/1.1 ABC OK\r\n\r\n", then: .hang),
            [.proxyFailed, .timeout],
            isHanging: true
        ),
        .init(
            "ends no head",
            says("HTTP/1.1 200 OK\r\n", then: .sendForEver(Array("A: b\r\n".utf8))),
            [.proxyFailed, .connectionLost, .timeout],
            isHanging: true
        ),
        .init(
            "ends no field",
            says("HTTP/1.1 200 OK\r\nA: ", then: .sendForEver(Array(repeating: 0x61, count: 4096))),
            [.proxyFailed, .connectionLost, .timeout],
            isHanging: true
        ),
        .init(
            "ends no status line",
            says("HTTP/1.1 200 ", then: .sendForEver(Array(repeating: 0x61, count: 4096))),
            [.proxyFailed, .connectionLost, .timeout],
            isHanging: true
        ),
        .init(
            "is never done with 1xx",
            [.readHead, .sendForEver(Array("HTTP/1.1 103 X\r\n\r\n".utf8))],
            [.proxyFailed, .connectionLost, .timeout],
            isHanging: true
        ),
        .init(
            "says zeros",
            [.readHead, .sendForEver([UInt8](repeating: 0, count: 4096))],
            [.proxyFailed, .connectionLost, .timeout],
            isHanging: true
        ),
    ]

    @Test(arguments: closing + refusals + agreements + nonsense)
    func oneProblemEndsTheRequest(_ script: ProxyScript) async throws {
        let problem = try #require(try await script.problem(for: "https://far.invalid/x", through: .http))
        #expect(script.codes.contains(problem.failure.code), "\(problem)")
        let isTLS = problem.failure.code == .tlsFailed
        #expect(isTLS || problem.disposition == .transient(retryAfter: nil), "\(problem)")
        let message = problem.failure.message
        #expect(message.contains("127.0.0.1") || message.contains("far.invalid"), "\(problem)")
    }
}
