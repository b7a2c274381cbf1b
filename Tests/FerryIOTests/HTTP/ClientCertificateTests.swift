import FerryCore
import Foundation
import NIOSSL
import Subprocess
import Synchronization
import Testing

@testable import FerryIO

@Suite("Client certificates", .timeLimit(.minutes(10)))
struct ClientCertificateTests {
    private static let versions: [TLSVersion] = [.tlsv12, .tlsv13]

    /// Certificates of a server and two clients, and a server that accepts the first client only.
    private func withDemandingServer(
        over version: TLSVersion = .tlsv13,
        _ body: @Sendable (Setting) async throws -> Void
    ) async throws {
        let (site, own, other) = try await (TestCertificate(), TestCertificate(), TestCertificate())
        let server = try await SocketServer(tls: site.serverContext(demanding: own, over: version))
        try await server.serve { connection in
            while true {
                try await connection.readHead()
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        } while: { server in
            try await withTransport { transport in
                try await body(
                    Setting(transport: transport, server: server, site: site, own: own, other: other)
                )
            }
        }
        for certificate in [site, own, other] { try certificate.remove() }
    }

    private struct Setting: Sendable {
        let transport: WireTransport
        let server: SocketServer
        let site: TestCertificate
        /// The certificate that the server accepts, and another one.
        let own: TestCertificate
        let other: TestCertificate

        func request(
            _ certificate: ClientCertificate?,
            host: String = "localhost"
        ) throws -> TransportRequest {
            try .get(server, host: host, scheme: "https") {
                $0.certificateAuthorityFile = site.certificatePath
                $0.clientCertificate = certificate
            }
        }

        func fetch(_ certificate: ClientCertificate?) async throws -> [UInt8] {
            try await transport.fetch(request(certificate)).bytes
        }
    }

    @Test(arguments: versions)
    func acceptedCertificateOpensTheWay(version: TLSVersion) async throws {
        try await withDemandingServer(over: version) { setting in
            #expect(try await setting.fetch(setting.own.asClient) == Array("ok".utf8))
            // One file may hold both.
            let both = setting.own.directory.appending(path: "both.pem").path
            let parts = [setting.own.keyPath, setting.own.certificatePath]
            let text = try parts.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
            try text.write(toFile: both, atomically: true, encoding: .utf8)
            let one = ClientCertificate(certificateFile: both)
            #expect(try await setting.fetch(one) == Array("ok".utf8))
            // Two identities, two connections; an identity keeps its own.
            #expect(setting.server.connectionCount == 2)
            for certificate in [setting.own.asClient, one] { _ = try await setting.fetch(certificate) }
            #expect(setting.server.connectionCount == 2)
        }
    }

    @Test(arguments: versions, [true, false])
    func missingCertificateOrOneOfAnotherAuthorityIsFinal(version: TLSVersion, isMissing: Bool) async throws {
        let text = isMissing ? "requires a client certificate" : "the client certificate"
        let remedy = isMissing ? Remedy.giveClientCertificate : .giveOtherClientCertificate
        try await withDemandingServer(over: version) { setting in
            let problem = await problem {
                try await setting.fetch(isMissing ? nil : setting.other.asClient)
            }
            #expect(problem?.failure.code == .tlsFailed)
            #expect(problem?.disposition == .permanent)
            #expect(problem?.failure.message.contains(text) == true, "\(problem?.failure.message ?? "")")
            #expect(problem?.failure.remedies == [remedy, .retry])
            #expect(setting.server.requests.isEmpty && setting.server.connectionCount == 1)
        }
    }

    @Test func refusalOfARequestWithABodyIsNoLostConnection() async throws {
        try await withDemandingServer { setting in
            var request = try setting.request(setting.other.asClient)
            request.method = .post
            // Just too short to be announced, so that it leaves with the head.
            request.body = .bytes([UInt8](repeating: 0x61, count: (1 << 20) - 1))
            let departures = Departures()
            request.listener = departures
            let sent = request
            let problem = await problem { try await setting.transport.fetch(sent) }
            #expect(problem?.failure.code == .tlsFailed, "\(problem?.failure.message ?? "")")
            // The alert may come before the first byte leaves.
            #expect(departures.count == 0 || problem?.precedesRequest == true)
            #expect(setting.server.requests.isEmpty)
        }
    }

    @Test func certificateIsNotPresentedToAServerThatAsksForNone() async throws {
        let (site, own) = try await (TestCertificate(), TestCertificate())
        try await withServer(tls: site) { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        } _: { transport, server in
            let request = try TransportRequest.get(server, scheme: "https") {
                $0.certificateAuthorityFile = site.certificatePath
                $0.clientCertificate = own.asClient
            }
            #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
        }
        for certificate in [site, own] { try certificate.remove() }
    }

    @Test func renewedFilesAreReadAgain() async throws {
        try await withDemandingServer { setting in
            let files = [(setting.other, "first"), (setting.own, "second")]
            let (chain, key) = ("\(setting.own.directory.path)/chain", "\(setting.own.directory.path)/key")
            let certificate = ClientCertificate(certificateFile: chain, keyFile: key)
            for (source, name) in files {
                for (path, copy) in [(source.certificatePath, chain), (source.keyPath, key)] {
                    try String(contentsOfFile: path, encoding: .utf8)
                        .write(toFile: copy, atomically: true, encoding: .utf8)
                }
                if name == "first" {
                    let problem = await problem { try await setting.fetch(certificate) }
                    #expect(problem?.failure.code == .tlsFailed)
                } else {
                    #expect(try await setting.fetch(certificate) == Array("ok".utf8))
                }
            }
        }
    }

    /// A renewal replaces two files, one after the other.
    @Test func aNewCertificateMayGetItsKeyInAMoment() async throws {
        try await withDemandingServer { setting in
            let (chain, key) = ("\(setting.own.directory.path)/chain", "\(setting.own.directory.path)/key")
            let certificate = ClientCertificate(certificateFile: chain, keyFile: key)
            func replace(_ path: String, by source: String) throws {
                try String(contentsOfFile: source, encoding: .utf8)
                    .write(toFile: path, atomically: true, encoding: .utf8)
            }
            try replace(key, by: setting.other.keyPath)
            try replace(chain, by: setting.own.certificatePath)
            let problem = await problem { try await setting.fetch(certificate) }
            #expect(problem?.failure.code == .cannotOpen)
            #expect(problem?.disposition == .transient(retryAfter: nil))
            #expect(problem?.failure.message.contains("does not belong to the certificate") == true)
            try replace(key, by: setting.own.keyPath)
            #expect(try await setting.fetch(certificate) == Array("ok".utf8))
        }
    }

    /// A renewal may delete the old file first. A file that was never there is one that was named wrongly.
    @Test(arguments: [true, false], [true, false])
    func aFileThatIsBeingReplacedMayBeMissingForAMoment(isKey: Bool, wasThere: Bool) async throws {
        try await withDemandingServer { setting in
            let (chain, key) = ("\(setting.own.directory.path)/chain", "\(setting.own.directory.path)/key")
            let certificate = ClientCertificate(certificateFile: chain, keyFile: key)
            func copy(_ source: TestCertificate) throws {
                for (path, copy) in [(source.certificatePath, chain), (source.keyPath, key)] {
                    try String(contentsOfFile: path, encoding: .utf8)
                        .write(toFile: copy, atomically: true, encoding: .utf8)
                }
            }
            if wasThere {
                try copy(setting.other)
                let refusal = await problem { try await setting.fetch(certificate) }
                #expect(refusal?.failure.code == .tlsFailed)
            } else {
                try copy(setting.own)
            }
            try FileManager.default.removeItem(atPath: isKey ? key : chain)
            let problem = await problem { try await setting.fetch(certificate) }
            #expect(problem?.failure.code == .cannotOpen)
            #expect(problem?.disposition == (wasThere ? .transient(retryAfter: nil) : .permanent))
            #expect(problem?.failure.message.contains("No such file or directory") == true)
            try copy(setting.own)
            #expect(try await setting.fetch(certificate) == Array("ok".utf8))
        }
    }

    /// A renewal writes a file in several steps.
    @Test(arguments: [true, false], [0, 100])
    func aFileThatIsBeingWrittenMayBeWholeInAMoment(isKey: Bool, length: Int) async throws {
        try await withDemandingServer { setting in
            let path = isKey ? setting.own.keyPath : setting.own.certificatePath
            let whole = try String(contentsOfFile: path, encoding: .utf8)
            try String(whole.prefix(length)).write(toFile: path, atomically: true, encoding: .utf8)
            let problem = await problem { try await setting.fetch(setting.own.asClient) }
            #expect(problem?.failure.code == .cannotOpen)
            #expect(problem?.disposition == .transient(retryAfter: nil))
            try whole.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(try await setting.fetch(setting.own.asClient) == Array("ok".utf8))
        }
    }

    // MARK: Files

    /// What is wrong with the files of a client, and the text and the first remedy that say so.
    private static let flaws: [(flaw: String, text: String, first: Remedy?)] = [
        ("no certificate file", "No such file or directory", nil),
        ("no key file", "No such file or directory", nil),
        ("no certificate", "no usable certificate in", nil),
        ("device", "is not a file", nil),
        ("no key", "no usable private key in", nil),
        ("other key", "does not belong to the certificate", nil),
        ("certificate of an unknown kind", "cannot be used for TLS", nil),
        ("encrypted key", "is encrypted", .decryptKey(path: "")),
        ("encrypted legacy key", "is encrypted", .decryptKey(path: "")),
    ]

    @Test(arguments: flaws)
    func unusableFilesAreNamed(flaw: String, text: String, first: Remedy?) async throws {
        let (own, other) = try await (TestCertificate(), TestCertificate())
        var client = own.asClient
        switch flaw {
        case "no certificate file": client.certificateFile += ".none"
        case "no key file": client.keyFile += ".none"
        case "no certificate": client.certificateFile = own.keyPath
        case "device": client.keyFile = "/dev/zero"
        case "no key": client.keyFile = own.certificatePath
        case "other key": client.keyFile = other.keyPath
        case "certificate of an unknown kind":
            client.certificateFile = try await own.certificateOfAnUnknownKind()
        case "encrypted key":
            client.keyFile = try await own.encryptedKey(["pkcs8", "-topk8", "-passout", "pass:secret"])
        default: client.keyFile = try await own.encryptedKey(["ec", "-aes128", "-passout", "pass:secret"])
        }
        // Files that were just changed may be in the middle of a renewal.
        for certificate in [own, other] { try certificate.age(by: 3600) }
        let certificate = client
        try await withTransport { transport in
            let problem = await problem {
                try await transport.fetch(.get("https://127.0.0.1:1/") { $0.clientCertificate = certificate })
            }
            #expect(problem?.failure.code == .cannotOpen)
            #expect(problem?.disposition == .permanent)
            let message = try #require(problem?.failure.message)
            #expect(message.contains(text), "\(message)")
            let isOfTheChain = certificate.certificateFile != own.certificatePath
            #expect(
                message.contains(isOfTheChain ? certificate.certificateFile : certificate.keyFile),
                "\(message)"
            )
            let before: [Remedy] = first == nil ? [] : [.decryptKey(path: certificate.keyFile)]
            #expect(problem?.failure.remedies == before + [.giveClientCertificate, .retry])
        }
        for certificate in [own, other] { try certificate.remove() }
    }
}

/// Counts the requests of which bytes may have left.
private final class Departures: ExchangeListener {
    private let noted = Mutex(0)
    var count: Int { noted.withLock { $0 } }
    func requestMayLeave() { noted.withLock { $0 += 1 } }
}

extension TestCertificate {
    /// The certificate as a client presents it.
    fileprivate var asClient: ClientCertificate {
        ClientCertificate(certificateFile: certificatePath, keyFile: keyPath)
    }

    /// Makes its files look as if they were last changed so many seconds ago.
    fileprivate func age(by seconds: Int) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let time = timeval(tv_sec: time(nil) - seconds, tv_usec: 0)
            try #require(utimes(directory.appending(path: name).path, [time, time]) == 0)
        }
    }

    /// Encrypts a copy of the key with this command of `openssl`, and returns its path.
    fileprivate func encryptedKey(_ command: [String]) async throws -> String {
        try await made("encrypted.pem") { command + ["-in", keyPath, "-out", $0] }
    }

    /// Makes a certificate with a key of which TLS libraries know only the name, and returns its path.
    fileprivate func certificateOfAnUnknownKind() async throws -> String {
        let key = try await made("ed448.pem") { ["genpkey", "-algorithm", "ed448", "-out", $0] }
        return try await made("unknown.pem") {
            ["req", "-x509", "-key", key, "-days", "2", "-subj", "/CN=unknown", "-out", $0]
        }
    }

    /// Makes a file with a command of `openssl`, and returns its path.
    private func made(_ name: String, _ command: (String) -> [String]) async throws -> String {
        let path = directory.appending(path: name).path
        let made = try await run(
            .name("openssl"),
            arguments: Arguments(command(path)),
            output: .discarded,
            error: .discarded
        )
        try #require(made.terminationStatus.isSuccess)
        return path
    }
}
