import FerryCore
import Testing

@testable import FerryIO

@Suite("Ways to a server", .timeLimit(.minutes(10)))
struct PathTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func serve(
        _ body: @escaping @Sendable (WireTransport, SocketServer) async throws -> Void
    ) async throws {
        try await withServer { connection in
            while true {
                try await connection.readHead()
                try await connection.send(Self.answer)
            }
        } _: {
            try await body($0, $1)
        }
    }

    @Test func namesAreReplacedByTheAddressesThatAreGiven() async throws {
        try await serve { transport, server in
            let override = try HostOverride(parsing: "far.invalid:\(server.port):[::1],127.0.0.1")
            let request = try TransportRequest.get(server, host: "far.invalid") {
                $0.hostOverrides = [override]
            }
            #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
            #expect(server.requests.first?.contains("Host: far.invalid:\(server.port)") == true)
            // Another port of the same host is looked up.
            let other = await problem {
                try await transport.fetch(.get("http://far.invalid:1/") { $0.hostOverrides = [override] })
            }
            #expect(other?.failure.code == .nameNotResolved)
        }
    }

    @Test func onlyAddressesOfTheWantedVersionAreTried() async throws {
        try await serve { transport, server in
            let old = try TransportRequest.get(server, host: "localhost") { $0.addressFamily = .ipv4 }
            #expect(try await transport.fetch(old).bytes == Array("ok".utf8))
            let problem = await problem {
                try await transport.fetch(.get(server) { $0.addressFamily = .ipv6 })
            }
            #expect(problem?.failure.message == "127.0.0.1 is no IPv6 address.")
            #expect(problem?.disposition == .permanent)
        }
    }

    @Test func connectionsOfDifferentWaysAreNotShared() async throws {
        try await serve { transport, server in
            for _ in 0..<2 {
                _ = try await transport.fetch(.get(server))
                _ = try await transport.fetch(.get(server) { $0.addressFamily = .ipv4 })
            }
            #expect(server.connectionCount == 2)
        }
    }

    #if os(Linux)
    @Test(arguments: ["127.0.0.9", "lo"])
    func theLocalAddressIsTheOneThatIsAskedFor(local: String) async throws {
        try await serve { transport, server in
            let request = try TransportRequest.get(server) { $0.localAddress = local }
            #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
            #expect(server.peers == [local == "lo" ? "127.0.0.1" : local])
        }
    }
    #endif

    @Test(arguments: [
        ("nosuchif0", "This machine has no interface nosuchif0 with an address."),
        ("192.0.2.1", "This machine has no address 192.0.2.1."),
    ])
    func aLocalAddressThatIsNotThereIsWaitedFor(local: String, message: String) async throws {
        try await serve { transport, server in
            let problem = await problem {
                try await transport.fetch(.get(server) { $0.localAddress = local })
            }
            #expect(problem == .condition(.network, .networkUnreachable, message))
        }
    }
}
