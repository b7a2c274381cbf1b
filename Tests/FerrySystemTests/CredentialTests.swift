import Foundation
import Testing

/// Passwords from the command line, the URL and ~/.netrc, and the places where they must never appear.
@Suite("Credentials", .limitedParallelism, .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"))
struct CredentialTests {
    static let content = Content(count: 100_000, seed: 151)

    private func served(_ body: (Sandbox, Server) async throws -> Void) async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx(), ServerOptions(credentials: ("anna", "s3cret")))
            try await body(sandbox, server)
        }
    }

    private func writeNetrc(_ sandbox: Sandbox, mode: Int) throws {
        let path = sandbox.home + "/.netrc"
        try "machine 127.0.0.1 login anna password s3cret\n".write(
            toFile: path,
            atomically: true,
            encoding: .utf8
        )
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("without a password, the status is 24")
    func refused() async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", server.url("file.bin")).expect(24)
            try await sandbox.ferry("get", "--user", "anna:wrong", server.url("file.bin")).expect(24)
            #expect(try sandbox.fileNames() == [])
        }
    }

    @Test("--user gives the user and password")
    func user() async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", "--user", "anna:s3cret", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test(
        "a password that was left out is asked for on the terminal, and not shown",
        .enabled(if: Tool.script.isInstalled, "script is not installed")
    )
    func asked() async throws {
        try await served { sandbox, server in
            let command = "'\(Repository.ferry)' get --user anna \(server.url("file.bin"))"
            func typed(_ line: String) async throws -> Outcome {
                try await sandbox.shell("printf '\(line)' | script -qec \"\(command)\" /dev/null")
            }
            try await typed("wrong\\n").expect(24)
            let right = try await typed("s3cret\\n")
            right.expect(0)
            #expect(
                right.output.contains("Password of anna: ") && !right.output.contains("anna: s3cret"),
                "\(right)"
            )
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("without a terminal, a user without a password is refused, and nothing is asked of the server")
    func notAsked() async throws {
        try await served { sandbox, server in
            for command in ["get", "add", "send GET"] {
                let line = "\(command) --user anna \(server.url("file.bin"))"
                let refused = try await sandbox.shell("setsid '\(Repository.ferry)' \(line) < /dev/null")
                refused.expect(64)
                #expect(refused.errors.contains("--user NAME:PASSWORD"), "\(refused)")
                #expect(refused.errors.contains("terminal"), "\(refused)")
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("a URL gives its user and password")
    func userinfo() async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", server.url("file.bin", userinfo: "anna:s3cret")).expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("~/.netrc is used if only its owner can read it")
    func netrc() async throws {
        try await served { sandbox, server in
            try writeNetrc(sandbox, mode: 0o600)
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("~/.netrc is not used if others can read it, and a message says so")
    func openNetrc() async throws {
        try await served { sandbox, server in
            try writeNetrc(sandbox, mode: 0o644)
            let outcome = try await sandbox.ferry("get", server.url("file.bin"))
            outcome.expect(24)
            #expect(outcome.errors.contains("netrc"))
        }
    }

    @Test("no password appears in output, lists or logs")
    func secretsAreNotShown() async throws {
        try await served { sandbox, server in
            let url = server.url("missing.bin?X-Amz-Signature=s1gnature", userinfo: "anna:s3cret")
            let runs = [
                try await sandbox.ferry("get", "-v", "-H", "Cookie: c00kie=1", url),
                try await sandbox.ferry("list", "--all"),
                try await sandbox.ferry("list", "--all", "--json"),
                try await sandbox.ferry("show", "1"),
                try await sandbox.ferry("show", "1", "--json"),
                try await sandbox.ferry("doctor"),
            ]
            for run in runs {
                for secret in ["s3cret", "c00kie", "s1gnature", "YW5uYTpzM2NyZXQ"] {
                    #expect(!(run.output + run.errors).contains(secret), "\(run.commandLine)")
                }
            }
        }
    }

    @Test("only its owner can read the data directory")
    func dataDirectoryIsPrivate() async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", "--user", "anna:s3cret", server.url("file.bin")).expect(0)
            let modes = try await sandbox.shell(
                "stat -c %a '\(sandbox.data)'; stat -c %a '\(sandbox.data)'/* | sort -u"
            )
            #expect(modes.output == "700\n600\n")
        }
    }
}
