import FerryCore
import HTTPTypes
import Testing

@testable import FerryIO

@Suite("Proxies", .timeLimit(.minutes(10)))
struct ProxyConnectionTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func proxy(
        _ scheme: Proxy.Scheme,
        _ server: SocketServer,
        credentials: Credentials? = nil
    ) -> Proxy {
        Proxy(scheme: scheme, host: "127.0.0.1", port: server.port, credentials: credentials)
    }

    @Test func plainRequestIsGivenToTheProxyWhole() async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send(Self.answer)
        } _: { transport, server in
            let secret = Credentials.basic(user: "joe", password: "secret")
            let request = try TransportRequest.get("http://u:p@far.invalid:8080/a%2Fb?c#d") {
                $0.proxy = proxy(.http, server, credentials: secret)
            }
            let (_, _, bytes) = try await transport.fetch(request)
            #expect(bytes == Array("ok".utf8))
            let lines = try #require(server.requests.first).split(separator: "\r\n").map(String.init)
            #expect(lines.first == "GET http://far.invalid:8080/a%2Fb?c HTTP/1.1")
            #expect(
                Set(lines.dropFirst().map { $0.lowercased() }) == [
                    "host: far.invalid:8080",
                    "proxy-authorization: \(secret.authorizationFieldValue)".lowercased(),
                ]
            )
        }
    }

    @Test func credentialsOfAProxyAreNotSentToAServer() async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send(Self.answer)
        } _: { transport, server in
            _ = try await transport.fetch(.get(server))
            #expect(server.requests.first?.lowercased().contains("proxy-authorization") == false)
        }
    }

    @Test func secureRequestGoesThroughATunnel() async throws {
        let certificate = try await TestCertificate()
        let target = try await SocketServer(tls: certificate.serverContext())
        try await target.serve { connection in
            try await connection.readHead()
            try await connection.send(Self.answer)
        } while: { target in
            try await withServer { connection in
                try await connection.readHead()
                try await connection.send("HTTP/1.1 200 Connected\r\n\r\n")
                try await connection.tunnel(to: target.port)
            } _: { transport, server in
                let secret = Credentials.basic(user: "joe", password: "secret")
                let request = try TransportRequest.get("https://localhost:\(target.port)/x") {
                    $0.certificateAuthorityFile = certificate.certificatePath
                    $0.proxy = proxy(.http, server, credentials: secret)
                }
                let (_, _, bytes) = try await transport.fetch(request)
                #expect(bytes == Array("ok".utf8))
                let asked = try #require(server.requests.first)
                #expect(asked.hasPrefix("CONNECT localhost:\(target.port) HTTP/1.1\r\n"))
                #expect(asked.contains(secret.authorizationFieldValue))
                #expect(target.requests.first?.contains("GET /x HTTP/1.1") == true)
                #expect(target.requests.first?.contains(secret.authorizationFieldValue) == false)
            }
        }
        try certificate.remove()
    }

    @Test(arguments: [Proxy.Scheme.socks5, .socks5h])
    func requestGoesThroughSOCKS(scheme: Proxy.Scheme) async throws {
        let target = try await SocketServer()
        try await target.serve { connection in
            try await connection.readHead()
            try await connection.send(Self.answer)
        } while: { target in
            try await withServer { connection in
                // RFC 1928: version, one method (none needed); then version, CONNECT, reserved, a name.
                #expect(try await connection.read(3) == [5, 1, 0])
                try await connection.send([5, 0])
                #expect(try await connection.read(5) == [5, 1, 0, 3, 11])
                #expect(try await connection.read(11) == Array("far.invalid".utf8))
                _ = try await connection.read(2)
                try await connection.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
                try await connection.tunnel(to: target.port)
            } _: { transport, server in
                let request = try TransportRequest.get("http://far.invalid/x") {
                    $0.proxy = proxy(scheme, server)
                }
                let (_, _, bytes) = try await transport.fetch(request)
                #expect(bytes == Array("ok".utf8))
                #expect(target.requests.first?.hasPrefix("GET /x HTTP/1.1\r\n") == true)
            }
        }
    }

    @Test(arguments: ["http", "https"])
    func proxyThatWantsCredentialsIsFinal(scheme: String) async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send(
                "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
            )
            await connection.waitUntilClosed()
        } _: { transport, server in
            let problem = await problem {
                try await transport.fetch(
                    .get("\(scheme)://far.invalid/") { $0.proxy = proxy(.http, server) }
                )
            }
            #expect(problem?.failure.code == .notAuthorised)
            #expect(problem?.disposition == .permanent)
        }
    }

    @Test func proxyThatOpensNoTunnelMayDoSoLater() async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
            await connection.waitUntilClosed()
        } _: { transport, server in
            let problem = await problem {
                try await transport.fetch(.get("https://far.invalid/") { $0.proxy = proxy(.http, server) })
            }
            #expect(problem?.failure.code == .proxyFailed)
            #expect(problem?.disposition == .transient(retryAfter: nil))
        }
    }

    @Test(arguments: [Proxy.Scheme.http, .socks5])
    func proxyThatIsNotThereIsToBlame(scheme: Proxy.Scheme) async throws {
        let silent = try SilentPort()
        try await withTransport { transport in
            let problem = await problem {
                try await transport.fetch(
                    .get("http://far.invalid/") {
                        $0.proxy = Proxy(scheme: scheme, host: "127.0.0.1", port: silent.port)
                    }
                )
            }
            #expect(
                problem == .transient(.proxyFailed, "The proxy 127.0.0.1 refuses the connection.")
            )
        }
    }

    @Test func passwordForSOCKSIsRefusedRatherThanLeftOut() async throws {
        try await withTransport { transport in
            let problem = await problem {
                try await transport.fetch(
                    .get("http://far.invalid/") {
                        $0.proxy = Proxy(
                            scheme: .socks5,
                            host: "127.0.0.1",
                            port: 1,
                            credentials: .basic(user: "joe", password: "secret")
                        )
                    }
                )
            }
            #expect(problem?.failure.code == .proxyFailed)
            #expect(problem?.disposition == .permanent)
        }
    }
}
