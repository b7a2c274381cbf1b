import Foundation
import Glibc
import Testing

/// HTTPS with a certificate that no authority has signed.
@Suite(
    "TLS",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled && Tool.openssl.isInstalled, "needs nginx and openssl")
)
struct EncryptionTests {
    static let content = Content(count: 2 * .mebibyte, seed: 141)

    private func served(_ body: (Sandbox, Server, Certificate) async throws -> Void) async throws {
        try await Sandbox.open { sandbox in
            let certificate = try await Certificate.selfSigned(in: sandbox)
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx(), ServerOptions(certificate: certificate))
            try await body(sandbox, server, certificate)
        }
    }

    @Test("a certificate that cannot be verified ends with 6 and a hint, without a retry")
    func unverified() async throws {
        try await served { sandbox, server, _ in
            let outcome = try await sandbox.ferry("get", server.url("file.bin"))
            outcome.expect(6)
            #expect(outcome.errors.contains("certificate"))
            #expect(outcome.errors.contains("--cacert"), "no hint: \(outcome.errors)")
            #expect(try sandbox.fileNames() == [])
            #expect(server.requests.isEmpty)
        }
    }

    @Test("with --cacert the certificate is trusted")
    func trusted() async throws {
        try await served { sandbox, server, certificate in
            try await sandbox.ferry("get", "--cacert", certificate.path, server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("--cacert trusts no other certificate")
    func otherAuthority() async throws {
        try await served { sandbox, server, certificate in
            let other = try await sandbox.shell(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
                    + "-subj /CN=other -keyout other.key -out other.pem 2>/dev/null; rm other.key"
            )
            other.expect(0)
            try await sandbox.ferry("get", "--cacert", "other.pem", server.url("file.bin")).expect(6)
            #expect(try sandbox.fileNames() == ["other.pem"])
        }
    }

    @Test("with --insecure nothing is verified")
    func insecure() async throws {
        try await served { sandbox, server, _ in
            try await sandbox.ferry("get", "--insecure", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test(
        "a verified download shares nothing with an unverified one, neither during it nor afterwards"
    )
    func insecureAndSecure() async throws {
        try await served { sandbox, server, certificate in
            try await Relay.run(to: server, holdingAfter: [.mebibyte]) { relay in
                let url = "https://127.0.0.1:\(relay.port)/file.bin"
                let first = try sandbox.launch(["get", "-x", "1", "--insecure", url])
                try await relay.holds()
                try await sandbox.transferBecomes("half done") { $0.received > 0 }
                for command in ["get", "add"] {
                    let second = try await sandbox.ferry(command, url)
                    second.expect(1)
                    #expect(second.errors.contains("without verifying"), "\(second)")
                    #expect(second.errors.contains("ferry pause 1"), "\(second)")
                }
                first.send(SIGKILL)
                _ = try await first.outcome()
                // It takes over the rest, but no byte that came unverified.
                try await sandbox.ferry("get", "--retries", "0", url).expect(6)
                #expect(try await sandbox.transfers().map(\.received) == [0])
                let before = relay.passed
                try await sandbox.ferry("get", "--cacert", certificate.path, url).expect(0)
                #expect(relay.passed - before > Self.content.count)
            }
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("if --insecure has no effect on an existing transfer, a message says so and names the next command")
    func insecureAfterAdd() async throws {
        try await served { sandbox, server, _ in
            let url = server.url("file.bin")
            try await sandbox.ferry("add", url).expect(0)
            let strict = try await sandbox.ferry("get", "--retries", "0", "--insecure", url)
            strict.expect(6)
            #expect(strict.errors.contains("--insecure has no effect"), "\(strict.errors)")
            #expect(strict.errors.contains("`ferry pause 1`"), "\(strict.errors)")
            #expect(server.requests.isEmpty)
            // It has failed, so no command depends on it any more.
            let insecure = try await sandbox.ferry("get", "--insecure", url)
            insecure.expect(0)
            #expect(!insecure.errors.contains("no effect"), "\(insecure.errors)")
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test(
        "after a killed --insecure download, --cacert works and discards the unverified bytes"
    )
    func authorityAfterKilledInsecure() async throws {
        try await served { sandbox, server, certificate in
            try await Relay.run(to: server, holdingAfter: [.mebibyte]) { relay in
                let url = "https://127.0.0.1:\(relay.port)/file.bin"
                let first = try sandbox.launch(["get", "-x", "1", "--insecure", url])
                try await relay.holds()
                try await sandbox.transferBecomes("half done") { $0.received > 0 }
                let other = try await sandbox.ferry("get", "--cacert", certificate.path, url)
                other.expect(1)
                #expect(
                    other.errors.contains("without verifying")
                        && !other.errors.contains("trusted certificates"),
                    "\(other.errors)"
                )
                first.send(SIGKILL)
                _ = try await first.outcome()
                let before = relay.passed
                try await sandbox.ferry("get", "--cacert", certificate.path, url).expect(0)
                #expect(relay.passed - before > Self.content.count)
            }
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("a file fetched unverified does not count as verified, unless a digest proves it")
    func insecureBefore() async throws {
        try await served { sandbox, server, certificate in
            let url = server.url("file.bin")
            try await sandbox.ferry("get", "--insecure", url).expect(0)
            try await sandbox.ferry("get", "--insecure", url).expect(0)
            try await sandbox.ferry("get", "--cacert", certificate.path, url).expect(13)
            let digest = try await sandbox.shell("sha256sum file.bin | cut -d' ' -f1").output
            let checksum = "sha256=" + digest.filter { !$0.isWhitespace }
            try await sandbox.ferry("get", "--cacert", certificate.path, "--checksum", checksum, url).expect(
                0
            )
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("a missing or malformed certificate file fails without a request")
    func badAuthorityFile() async throws {
        try await served { sandbox, server, _ in
            try await sandbox.ferry("get", "--cacert", "missing.pem", server.url("file.bin")).expect(15)
            let outcome = try await sandbox.ferry(
                "get",
                "--retries",
                "0",
                "--cacert",
                "/etc/hostname",
                server.url("file.bin")
            )
            #expect(outcome.status != 0)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("a client certificate opens a server that requires one, and show prints its paths only")
    func clientCertificate() async throws {
        try await Sandbox.open { sandbox in
            let certificate = try await Certificate.selfSigned(in: sandbox)
            let client = try await Certificate.selfSigned(in: sandbox, prefix: "client-")
            try sandbox.publish(Self.content, as: "file.bin")
            let options = ServerOptions(certificate: certificate, client: client)
            let server = try await sandbox.start(Nginx(), options)
            let words = ["--cacert", certificate.path, server.url("file.bin")]
            try await sandbox.launch(["get", "--retries", "0"] + words).outcome().expect(22)
            #expect(try sandbox.fileNames() == [])
            let key = try String(contentsOfFile: client.keyPath, encoding: .utf8).split(separator: "\n")[1]
            let identity = ["--cert", client.path, "--cert-key", client.keyPath]
            try await sandbox.launch(["add"] + identity + words).outcome().expect(0)
            let shown = try await sandbox.ferry("show", "1")
            #expect(shown.output.contains("\(client.path), with the key in \(client.keyPath)"), "\(shown)")
            #expect(!shown.output.contains(key))
            try await sandbox.ferry("run").expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }
}
