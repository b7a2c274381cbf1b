import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryIO

/// One connection after the other through each kind of proxy, each with a login where the protocol has one.
///
/// The suite makes some. `FERRY_PROXIED_CONNECTIONS=10000 scripts/test --filter ManyProxiedConnectionsTests` makes many,
/// and then counts the descriptors of the whole process as well.
@Suite("Many connections through proxies", .serialized, .timeLimit(.minutes(60)))
struct ManyProxiedConnectionsTests {
    enum Kind: CaseIterable {
        case forwarding, tunnel, socks4, socks4a, socks5, socks5h

        var scheme: Proxy.Scheme {
            switch self {
            case .forwarding, .tunnel: .http
            case .socks4: .socks4
            case .socks4a: .socks4a
            case .socks5: .socks5
            case .socks5h: .socks5h
            }
        }
    }

    /// The client has asked for something else.
    private struct Wrong: Error {
        var bytes: [UInt8]
    }

    private static let wanted =
        ProcessInfo.processInfo.environment["FERRY_PROXIED_CONNECTIONS"].flatMap(Int.init)
    private static let login = Credentials.basic(user: "joe", password: "secret")

    @Test(arguments: Kind.allCases)
    func leaveNothingBehind(kind: Kind) async throws {
        let certificate = try await TestCertificate()
        try await connect(2, through: kind, certificate)
        #if os(Linux)
        let before = Self.descriptors
        #endif
        try await connect(Self.wanted ?? 50, through: kind, certificate)
        if let wanted = Self.wanted {
            #if os(Linux)
            // No other test runs beside this one then.
            let after = Self.descriptors
            #expect(after == before)
            print("proxies: \(wanted) connections, \(kind), \(before) descriptors before and \(after) after")
            #endif
        }
        try certificate.remove()
    }

    /// How many descriptors the process has.
    private static var descriptors: Int {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        } catch {
            Issue.record("the descriptors cannot be counted: \(error)")
            return 0
        }
    }

    private func connect(_ count: Int, through kind: Kind, _ certificate: TestCertificate) async throws {
        let target = try await SocketServer(tls: certificate.serverContext())
        let closed = Watched(0)
        try await target.serve(answer) { target in
            try await withServer { connection in
                try await play(kind, on: connection, before: target)
                await connection.waitUntilClosed()
                closed.withLock { $0 += 1 }
            } _: { transport, server in
                for number in 0..<count {
                    let request = try request(number, through: kind, server, to: target, certificate)
                    let (head, _, bytes) = try await transport.fetch(request)
                    #expect(head.status == 200 && bytes == Array("/\(number)".utf8), "\(kind) \(number)")
                }
                #expect(server.connectionCount == count)
                #expect(target.connectionCount == (kind == .tunnel ? count : 0))
                // While the transport still lives, so its end is not what closes them.
                try await closed.wait { $0 == count }
            }
        }
    }

    private func request(
        _ number: Int,
        through kind: Kind,
        _ server: SocketServer,
        to target: SocketServer,
        _ certificate: TestCertificate
    ) throws -> TransportRequest {
        let origin =
            switch kind {
            case .forwarding, .socks5h: "http://far.invalid"
            case .tunnel: "https://localhost:\(target.port)"
            case .socks4, .socks4a, .socks5: "http://localhost"
            }
        // The address that SOCKS 4 and 5 are asked for is looked up here.
        let override = try HostOverride(parsing: "localhost:80:127.0.0.1")
        return try .get("\(origin)/\(number)") {
            $0.proxy = Proxy(
                scheme: kind.scheme,
                host: "127.0.0.1",
                port: server.port,
                credentials: Self.login
            )
            $0.certificateAuthorityFile = kind == .tunnel ? certificate.certificatePath : nil
            if kind == .socks4 || kind == .socks5 { $0.hostOverrides = [override] }
        }
    }

    /// Answers with the path that was asked for, and with the end of the connection.
    @Sendable private func answer(on connection: SocketConnection) async throws {
        try await answer(to: try await connection.readHead(), on: connection)
        await connection.waitUntilClosed()
    }

    private func answer(to head: String, on connection: SocketConnection) async throws {
        let words = head.split(separator: " ")
        let path = "/" + (words[1].split(separator: "/").last ?? "")
        try await connection.send(
            "HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\nConnection: close\r\n\r\n\(path)"
        )
    }

    /// The proxy's part. For SOCKS and for forwarding, the server's as well.
    private func play(_ kind: Kind, on connection: SocketConnection, before target: SocketServer) async throws
    {
        switch kind {
        case .forwarding:
            let head = try await connection.readHead()
            guard head.hasPrefix("GET http://far.invalid/"), head.contains(Self.login.authorizationFieldValue)
            else { throw Wrong(bytes: Array(head.utf8)) }
            return try await answer(to: head, on: connection)
        case .tunnel:
            let head = try await connection.readHead()
            guard head.hasPrefix("CONNECT localhost:\(target.port) "),
                head.contains(Self.login.authorizationFieldValue)
            else { throw Wrong(bytes: Array(head.utf8)) }
            try await connection.send("HTTP/1.1 200 Connected\r\n\r\n")
            return try await connection.tunnel(to: target.port)
        case .socks4, .socks4a:
            let name: [UInt8] = kind == .socks4a ? Array("localhost\0".utf8) : []
            try await expect(
                [4, 1, 0, 80] + (kind == .socks4a ? [0, 0, 0, 1] : [127, 0, 0, 1]),
                on: connection
            )
            try await expect(Array("joe\0".utf8) + name, on: connection)
            try await connection.send([0, 90, 0, 0, 0, 0, 0, 0])
        case .socks5, .socks5h:
            try await expect([5, 2, 0, 2], on: connection)
            try await connection.send([5, 2])
            try await expect([1, 3] + Array("joe".utf8) + [6] + Array("secret".utf8), on: connection)
            try await connection.send([1, 0])
            let host: [UInt8] = kind == .socks5 ? [1, 127, 0, 0, 1] : [3, 11] + Array("far.invalid".utf8)
            try await expect([5, 1, 0] + host + [0, 80], on: connection)
            try await connection.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
        }
        try await answer(to: try await connection.readHead(), on: connection)
    }

    private func expect(_ bytes: [UInt8], on connection: SocketConnection) async throws {
        let read = try await connection.read(bytes.count)
        guard read == bytes else { throw Wrong(bytes: read) }
    }
}
