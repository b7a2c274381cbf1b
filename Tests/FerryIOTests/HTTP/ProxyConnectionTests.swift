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

    @Test func requestGoesThroughSOCKS() async throws {
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
                    $0.proxy = proxy(.socks5h, server)
                }
                let (_, _, bytes) = try await transport.fetch(request)
                #expect(bytes == Array("ok".utf8))
                #expect(target.requests.first?.hasPrefix("GET /x HTTP/1.1\r\n") == true)
            }
        }
    }

    @Test(arguments: ["http", "https"])
    func proxyThatWantsCredentialsIsFinal(scheme: String) async throws {
        try await withServer(
            answering: "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
        ) { transport, server in
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
        try await withServer(
            answering: "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
        ) { transport, server in
            let problem = await problem {
                try await transport.fetch(.get("https://far.invalid/") { $0.proxy = proxy(.http, server) })
            }
            #expect(problem?.failure.code == .proxyFailed)
            #expect(problem?.disposition == .transient(retryAfter: nil))
        }
    }

    @Test(arguments: [Proxy.Scheme.http, .socks5h])
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
            let refusal = "The proxy 127.0.0.1:\(silent.port) refuses the connection."
            #expect(problem == .transient(.proxyFailed, refusal))
        }
    }

    /// RFC 1929: version, the length of the user, the user, the length of the password, the password.
    @Test func userAndPasswordAreGivenToASOCKSProxy() async throws {
        try await withServer { connection in
            #expect(try await connection.read(4) == [5, 2, 0, 2])
            try await connection.send([5, 2])
            #expect(try await connection.read(12) == [1, 3] + Array("joe".utf8) + [6] + Array("secret".utf8))
            try await connection.send([1, 0])
            _ = try await connection.read(18)
            try await connection.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
            try await connection.readHead()
            try await connection.send(Self.answer)
        } _: { transport, server in
            let secret = Credentials.basic(user: "joe", password: "secret")
            let request = try TransportRequest.get("http://far.invalid/x") {
                $0.proxy = proxy(.socks5h, server, credentials: secret)
            }
            #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
        }
    }

    @Test func passwordThatASOCKSProxyRefusesIsFinal() async throws {
        try await withServer { connection in
            _ = try await connection.read(4)
            try await connection.send([5, 2])
            _ = try await connection.read(12)
            try await connection.send([1, 1])
            await connection.waitUntilClosed()
        } _: { transport, server in
            let secret = Credentials.basic(user: "joe", password: "secret")
            let problem = await problem {
                try await transport.fetch(
                    .get("http://far.invalid/") { $0.proxy = proxy(.socks5h, server, credentials: secret) }
                )
            }
            #expect(problem?.failure.code == .notAuthorised)
            #expect(problem?.disposition == .permanent)
            #expect(problem?.failure.message.contains("secret") == false)
        }
    }

    /// SOCKS 4 gets an address that this side has found, 4a the name behind an address that is none.
    @Test(arguments: [Proxy.Scheme.socks4, .socks4a])
    func requestGoesThroughOldSOCKS(scheme: Proxy.Scheme) async throws {
        try await withServer { connection in
            #expect(try await connection.read(4) == [4, 1, 0, 80])
            let name = scheme == .socks4a ? Array("localhost".utf8) + [0] : []
            #expect(try await connection.read(4) == (scheme == .socks4a ? [0, 0, 0, 1] : [127, 0, 0, 1]))
            #expect(try await connection.read(1 + name.count) == [0] + name)
            try await connection.send([0, 90, 0, 0, 0, 0, 0, 0])
            try await connection.readHead()
            try await connection.send(Self.answer)
        } _: { transport, server in
            let request = try TransportRequest.get("http://localhost/x") { $0.proxy = proxy(scheme, server) }
            #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
        }
    }

    /// Plays a SOCKS 5 proxy that is asked for an IPv4 address, and the server behind it.
    @Sendable private static func answerThroughSOCKS(_ connection: SocketConnection) async throws {
        _ = try await connection.read(3)
        try await connection.send([5, 0])
        #expect(try await connection.read(4) == [5, 1, 0, 1])
        #expect(try await connection.read(6) == [127, 0, 0, 1, 0, 80])
        try await connection.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
        try await connection.readHead()
        try await connection.send(answer)
    }

    /// `socks5` gets an address that this side has found.
    @Test func nameIsResolvedHereForSOCKSUnlessTheProxyDoes() async throws {
        try await withServer(Self.answerThroughSOCKS) { transport, server in
            let override = try HostOverride(parsing: "localhost:80:127.0.0.1")
            let request = try TransportRequest.get("http://localhost/x") {
                $0.proxy = proxy(.socks5, server)
                $0.hostOverrides = [override]
            }
            #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
        }
    }

    @Test func theAddressForSOCKSIsOfTheWantedFamily() async throws {
        let override = try HostOverride(parsing: "localhost:80:[::1],127.0.0.1")
        try await withServer(Self.answerThroughSOCKS) { transport, server in
            let request = try TransportRequest.get("http://localhost/x") {
                $0.proxy = proxy(.socks5, server)
                $0.addressFamily = .ipv4
                $0.hostOverrides = [override]
            }
            #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
        }
    }

    @Test func aNameWithoutAnAddressOfTheWantedFamilyIsNotAskedOfSOCKS() async throws {
        let override = try HostOverride(parsing: "localhost:80:[::1]")
        try await withServer { connection in
            try await connection.readHead()
        } _: { transport, server in
            let request = try TransportRequest.get("http://localhost/x") {
                $0.proxy = proxy(.socks5, server)
                $0.addressFamily = .ipv4
                $0.hostOverrides = [override]
            }
            let problem = await problem { try await transport.fetch(request) }
            #expect(problem?.failure.message.contains("localhost") == true)
            #expect(server.connectionCount == 0)
        }
    }
}
