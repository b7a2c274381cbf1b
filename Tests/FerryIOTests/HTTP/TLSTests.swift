import FerryCore
import Foundation
import NIOCore
import NIOSSL
import SystemPackage
import Testing

@testable import FerryIO

@Suite("TLS", .timeLimit(.minutes(10)))
struct TLSTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Runs `body` against a TLS server whose certificate no system trusts.
    private func withSecureServer(
        names: String? = "DNS:localhost,IP:127.0.0.1",
        _ script: @escaping @Sendable (SocketConnection) async throws -> Void,
        _ body: @Sendable (WireTransport, SocketServer, TestCertificate) async throws -> Void
    ) async throws {
        let certificate = try await TestCertificate(names: names)
        try await withServer(tls: certificate, script) { transport, server in
            try await body(transport, server, certificate)
        }
        try certificate.remove()
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func certificateOfANamedFileIsTrusted(host: String) async throws {
        try await withSecureServer { connection in
            try await connection.readHead()
            try await connection.send(Self.answer)
        } _: { transport, server, certificate in
            let request = try TransportRequest.get(server, host: host, scheme: "https") {
                $0.certificateAuthorityFile = certificate.certificatePath
            }
            #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
        }
    }

    @Test func unknownCertificateIsFinalAndNothingIsSent() async throws {
        try await withSecureServer { connection in
            try await connection.readHead()
        } _: { transport, server, _ in
            let problem = await problem {
                try await transport.fetch(.get(server, host: "localhost", scheme: "https"))
            }
            #expect(problem?.failure.code == .tlsFailed)
            #expect(problem?.disposition == .permanent)
            #expect(problem?.failure.message.contains("not trusted") == true)
            #expect(problem?.failure.remedies == [.trustCertificates, .skipVerification])
            #expect(server.requests.isEmpty)
        }
    }

    @Test func certificateForAnotherNameIsFinal() async throws {
        try await withSecureServer { connection in
            try await connection.readHead()
        } _: { transport, server, certificate in
            // A proxy leads the connection for another name to the server.
            try await withServer { connection in
                try await connection.readHead()
                try await connection.send("HTTP/1.1 200 OK\r\n\r\n")
                try await connection.tunnel(to: server.port)
            } _: { _, proxy in
                let problem = await problem {
                    try await transport.fetch(
                        .get("https://another.invalid/") {
                            $0.certificateAuthorityFile = certificate.certificatePath
                            $0.proxy = Proxy(scheme: .http, host: "127.0.0.1", port: proxy.port)
                        }
                    )
                }
                #expect(problem?.failure.code == .tlsFailed)
                #expect(problem?.disposition == .permanent)
                #expect(server.requests.isEmpty)
            }
        }
    }

    /// What cannot be provoked on a machine of which no file may be changed.
    @Test func aContextThatCannotBeMadeIsFinalUnlessFilesRanOut() throws {
        let key = WireKey(try HTTPURL(parsing: "https://localhost/"), ConnectionOptions())
        let identity = try #require(key.tls)
        let error = BoringSSLError.unknownError([.eofDuringHandshake])
        let problem = identity.problem(of: error)
        #expect(problem.failure.code == .tlsFailed)
        #expect(problem.disposition == .permanent)
        #expect(problem.failure.remedies == [.trustCertificates, .retry])
        #expect(problem.failure.message.contains("EOF during handshake"), "the reason")
        let file = PEMFile(path: "/etc/ssl/own.pem", remedies: [.trustCertificates])
        #expect(file.unreadable(.permissionDenied).disposition == .permanent)
        let exhausted = [
            identity.problem(of: error, lack: .tooManyOpenFiles), file.unreadable(.tooManyOpenFiles),
        ]
        for problem in exhausted {
            #expect(problem.disposition == .transient(retryAfter: nil))
            #expect(problem.failure.remedies == [.raiseFileLimit, .retry])
        }
        // A text is no reason.
        let other = identity.problem(of: IOError(errnoCode: EMFILE, reason: "\(Errno.tooManyOpenFiles)"))
        #expect(other.disposition == .permanent)
    }

    /// A request that does not use the system's certificates gets no hint about them.
    @Test func theSystemsCertificatesAreNamedOnlyWhereTheyAreUsed() throws {
        for (file, trustsAny) in [(nil, false), ("/own.pem", false), (nil, true)] {
            var options = ConnectionOptions()
            (options.certificateAuthorityFile, options.trustsAnyCertificate) = (file, trustsAny)
            let key = WireKey(try HTTPURL(parsing: "https://localhost/"), options)
            let problem = try #require(key.tls).problem(of: BoringSSLError.unknownError([]))
            let usesSystem = file == nil && !trustsAny
            #expect(problem.failure.message.contains("ca-certificates") == usesSystem)
            #expect(problem.failure.remedies.contains(.trustCertificates) == usesSystem)
            guard let file else { continue }
            let refusal = try #require(key.tls).problem(of: NIOSSLError.failedToLoadCertificate)
            #expect(refusal.failure.code == .cannotOpen && refusal.failure.message.contains(file))
        }
    }

    @Test func certificateWithACommonNameOnlyIsRefused() async throws {
        try await withSecureServer(names: nil) { connection in
            try await connection.readHead()
            try await connection.send(Self.answer)
        } _: { transport, server, certificate in
            let problem = await problem {
                try await transport.fetch(
                    .get(server, host: "localhost", scheme: "https") {
                        $0.certificateAuthorityFile = certificate.certificatePath
                    }
                )
            }
            #expect(problem?.failure.code == .tlsFailed)
            #expect(problem?.disposition == .permanent)
            #expect(
                problem?.failure.message.contains("subjectAltName") == true,
                "\(String(describing: problem))"
            )
            #expect(server.requests.isEmpty)
            // Who verifies nothing needs no name either.
            let trusting = try TransportRequest.get(server, host: "localhost", scheme: "https") {
                $0.trustsAnyCertificate = true
            }
            #expect(try await transport.fetch(trusting).bytes == Array("ok".utf8))
        }
    }

    @Test func anyCertificateWillDoWhenAskedTo() async throws {
        try await withSecureServer { connection in
            try await connection.readHead()
            try await connection.send(Self.answer)
        } _: { transport, server, _ in
            let request = try TransportRequest.get(server, scheme: "https") { $0.trustsAnyCertificate = true }
            #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
            // That choice must not spread to requests that did not make it.
            let problem = await problem { try await transport.fetch(.get(server, scheme: "https")) }
            #expect(problem?.failure.code == .tlsFailed)
        }
    }

    @Test(arguments: [
        "Content-Length: 100", "Transfer-Encoding: chunked", "Connection: close",
    ])
    func bodyThatBreaksOffUnderTLSMayWorkNextTime(framing: String) async throws {
        let sink = MemorySink()
        try await withSecureServer { connection in
            try await connection.readHead()
            let body = framing.contains("chunked") ? "64\r\n0123456789" : "0123456789"
            try await connection.send("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n\(body)")
            try await sink.waitForBytes(10)
            connection.reset()
        } _: { transport, server, _ in
            let problem = await problem {
                try await transport.fetch(
                    .get(server, scheme: "https") { $0.trustsAnyCertificate = true },
                    into: sink
                )
            }
            #expect(problem?.failure.code == .connectionLost)
            #expect(problem?.disposition == .transient(retryAfter: nil))
        }
        #expect(sink.bytes == Array("0123456789".utf8))
    }

    @Test func serverThatSpeaksNoTLSIsFinal() async throws {
        try await withServer { connection in
            try await connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            await connection.waitUntilClosed()
        } _: { transport, server in
            let problem = await problem { try await transport.fetch(.get(server, scheme: "https")) }
            #expect(problem?.failure.code == .tlsFailed)
            #expect(problem?.disposition == .permanent)
        }
    }

    /// How a server ends a connection without a handshake.
    enum Break: CaseIterable {
        case close
        case reset
        /// Fewer bytes than any record of TLS has.
        case strayByte
    }

    @Test(arguments: Break.allCases)
    func handshakeThatBreaksOffIsNamedAndMayWorkNextTime(_ end: Break) async throws {
        try await withServer { connection in
            _ = try await connection.read(5)
            if end == .strayByte { try await connection.send([22]) }
            if end == .reset { connection.reset() } else { await connection.close() }
        } _: { transport, server in
            let problem = await problem { try await transport.fetch(.get(server, scheme: "https")) }
            #expect(problem?.failure.code == .connectionLost)
            #expect(problem?.disposition == .transient(retryAfter: nil))
            let message = "The connection to 127.0.0.1:\(server.port) closed during the TLS handshake."
            #expect(problem?.failure.message == message)
        }
    }

    @Test(arguments: ["/does/not/exist.pem", "/etc/passwd", "/dev/null"])
    func fileWithoutCertificatesIsNamed(path: String) async throws {
        try await withTransport { transport in
            let problem = await problem {
                try await transport.fetch(.get("https://127.0.0.1:1/") { $0.certificateAuthorityFile = path })
            }
            #expect(problem?.failure.code == .cannotOpen)
            #expect(problem?.disposition == .permanent)
            #expect(problem?.failure.message.contains(path) == true)
        }
    }
}
