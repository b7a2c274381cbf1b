import Foundation
import Glibc
import Testing

/// The output for people and for scripts.
@Suite("Output", .limitedParallelism)
struct OutputTests {
    static let content = Content(count: 300_000, seed: 131)

    private func served(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        try await ScriptedServer.run(with: body) { .serving(Self.content, tag: "\"a\"", to: $0) }
    }

    /// The members of every object about a transfer.
    private static let promised =
        "select(.event != \"summary\") | has(\"id\") and .kind == \"download\" and has(\"state\")"
        + " and has(\"received\") and has(\"total\")"

    @Test(
        "with --json, each line of standard output is an object with the documented members",
        .enabled(if: Tool.jq.isInstalled, "jq is not installed")
    )
    func json() async throws {
        try await served { sandbox, server in
            let lines = try await sandbox.shell(
                "ferry get --json '\(server.url("file.bin"))' > lines; jq -e '\(Self.promised)' lines | sort -u"
            )
            lines.expect(0)
            #expect(lines.output == "true\n")
            let summary = try await sandbox.shell(
                "tail -n 1 lines | jq -e '.event == \"summary\" and .exitStatus == 0'"
            )
            summary.expect(0)
            let list = try await sandbox.shell(
                "ferry list --all --json | jq -e -r '[.state, .received, .total] | @tsv'"
            )
            list.expect(0)
            #expect(list.output == "completed\t300000\t300000\n")
        }
    }

    @Test("of several downloads, each is announced when it starts")
    func starts() async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.path.hasSuffix("a.bin") { reply.cut = .init(bytes: 1_000, then: .stall) }
            return reply
        } _: { sandbox, server in
            let urls = ["a.bin", "b.bin", "c.bin"].map { server.url($0) }
            let get = try sandbox.launch(["get", "-j", "1"] + urls)
            try await Deadline.wait(for: "the first download", said: { get.errorsSoFar }) {
                get.errorsSoFar.contains("Downloading a.bin from ")
            }
            get.send(SIGINT)
            let outcome = try await get.outcome()
            outcome.expect(7)
            for name in ["b.bin", "c.bin"] {
                #expect(!outcome.errors.contains("Downloading \(name)"), "\(outcome)")
            }
        }
    }

    @Test("a failed write to standard output is an error, unless the reader has closed the pipe")
    func lostOutput() async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.shell("ferry add http://127.0.0.1:1/a").expect(0)
            let full = try await sandbox.shell("ferry list --json > /dev/full")
            full.expect(9)
            #expect(full.errors.contains("Standard output could not be written"))
            let closed = try await sandbox.shell("ferry list --json >&-")
            closed.expect(1)
            #expect(closed.errors.contains("Standard output could not be written"))
            let unread = try await sandbox.shell("{ ferry list; echo $? > status; } | true; cat status")
            #expect(unread.output == "0\n")
        }
    }

    @Test(
        "help and the version end with the same status as lists if they cannot be written",
        arguments: ["--version", "--help", "help get", "list --help"]
    )
    func lostHelp(words: String) async throws {
        try await Sandbox.open { sandbox in
            let full = try await sandbox.shell("ferry \(words) > /dev/full")
            full.expect(9)
            let line = "ferry: Standard output could not be written: No space left on device.\n"
            #expect(full.errors == line)
            let unread = try await sandbox.shell("{ ferry \(words); echo $? > status; } | true; cat status")
            #expect(unread.output == "0\n" && unread.errors.isEmpty, "\(unread)")
        }
    }

    @Test("a download to a full device fails and does not wait for space")
    func fullDevice() async throws {
        try await served { sandbox, server in
            for destination in [
                "-o - '\(server.url("a.bin"))' > /dev/full", "-o /dev/full '\(server.url("b.bin"))'",
            ] {
                let full = try await sandbox.shell("ferry get \(destination)")
                full.expect(9)
                #expect(full.errors.contains("no space is left"), "\(full)")
                #expect(full.errors.contains("repeat the `ferry get` line to start over"), "\(full)")
            }
            let states = try await sandbox.ferry("list", "--all", "--json")
            #expect(!states.output.contains(#""state":"waiting""#), "\(states)")
        }
    }

    @Test(
        "with --json, a failure is an object with a code, and the summary has the exit status",
        .enabled(if: Tool.jq.isInstalled, "jq is not installed")
    )
    func jsonFailure() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: 404)
        } _: { sandbox, server in
            let get = try await sandbox.shell("ferry get --json '\(server.url("x"))' > lines")
            get.expect(3)
            let test =
                ".[-2].state == \"failed\" and .[-2].failure.code == \"notFound\" and .[-1].exitStatus == 3"
            try await sandbox.shell("jq -e -s '\(test)' lines").expect(0)
        }
    }

    @Test(
        "with --json, a failed command prints the reason as an object on standard error",
        .enabled(if: Tool.jq.isInstalled, "jq is not installed")
    )
    func jsonRefusal() async throws {
        try await Sandbox.open { sandbox in
            let show = try await sandbox.shell(
                "ferry show --json 4711 2> errors || jq -e -s '.[-1].error.exitStatus == 1' errors"
            )
            show.expect(0)
            #expect(show.output == "true\n")
        }
    }

    @Test("-o - streams only the bytes, and keeps no file")
    func standardOutput() async throws {
        try await served { sandbox, server in
            let piped = try await sandbox.shell("ferry get -o - '\(server.url("file.bin"))' | cat > copy")
            piped.expect(0)
            try sandbox.expectOnly("copy", Self.content)
        }
    }

    @Test("a download to a standard output that is closed fails at once, and one to a file does not need it")
    func closedOutput() async throws {
        try await served { sandbox, server in
            let streamed = try await sandbox.shell("ferry get -o - '\(server.url("file.bin"))' >&-")
            streamed.expect(16)
            #expect(streamed.errors.contains("standard output: it is not open for writing"))
            try await sandbox.shell("ferry get -o copy '\(server.url("file.bin"))' >&-").expect(0)
            try sandbox.expectOnly("copy", Self.content)
        }
    }

    @Test("a reader that closes the pipe early ends the command without a message")
    func closedPipe() async throws {
        try await served { sandbox, server in
            let piped = try await sandbox.shell(
                "ferry get -o - '\(server.url("file.bin"))' | head -c 10 | wc -c"
            )
            piped.expect(0)
            #expect(piped.output.contains("10"))
        }
    }

    @Test("a device is written to, never replaced")
    func device() async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", "-o", "/dev/null", server.url("file.bin")).expect(0)
            var status = stat()
            #expect(stat("/dev/null", &status) == 0)
            #expect(status.st_mode & S_IFMT == S_IFCHR)
        }
    }

    @Test("a FIFO is written to, never replaced")
    func fifo() async throws {
        try await served { sandbox, server in
            let line =
                "mkfifo pipe; cat pipe > copy & ferry get -o pipe '\(server.url("file.bin"))'; wait; test -p pipe"
            try await sandbox.shell(line).expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "copy")))
        }
    }

    @Test("without a terminal, output is plain lines without escapes and carriage returns")
    func plainProgress() async throws {
        try await served { sandbox, server in
            let outcome = try await sandbox.ferry("get", server.url("file.bin"))
            outcome.expect(0)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("file.bin"))
            #expect(!outcome.errors.contains("\u{1B}") && !outcome.errors.contains("\r"))
        }
    }

    @Test("-q prints nothing on success, and the failure otherwise")
    func quiet() async throws {
        try await served { sandbox, server in
            let outcome = try await sandbox.ferry("get", "-q", server.url("file.bin"))
            outcome.expect(0)
            #expect(outcome.errors.isEmpty && outcome.output.isEmpty)
            let failed = try await sandbox.ferry("get", "-q", "-d", "nowhere", server.url("file.bin"))
            #expect(failed.status != 0 && !failed.errors.isEmpty)
        }
    }

    @Test(
        "on a terminal, progress is drawn, and the terminal is restored",
        .enabled(if: Tool.script.isInstalled, "script is not installed")
    )
    func terminal() async throws {
        try await served { sandbox, server in
            let line =
                "script -qec \"'\(Repository.ferry)' get '\(server.url("file.bin"))'\" typescript < /dev/null"
            let outcome = try await sandbox.shell(line, environment: ["TERM": "xterm-256color"])
            outcome.expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "file.bin")))
            #expect(outcome.output.contains("file.bin"))
            let hides = outcome.output.ranges(of: "\u{1B}[?25l").count
            let shows = outcome.output.ranges(of: "\u{1B}[?25h").count
            #expect(hides <= shows, "the cursor stays hidden")
        }
    }

    @Test("--version and --help answer on standard output with status 0")
    func versionAndHelp() async throws {
        try await Sandbox.open { sandbox in
            let version = try await sandbox.ferry("--version")
            version.expect(0)
            #expect(version.output.contains { $0.isNumber })
            for line in [["--help"], ["get", "--help"], ["help", "get"]] {
                let help = try await sandbox.launch(line).outcome()
                help.expect(0)
                #expect(help.output.contains("ferry"))
            }
        }
    }

    @Test(
        "a right checksum is verified, a wrong one ends with 32 and publishes nothing",
        .enabled(if: Tool.sha256sum.isInstalled, "sha256sum is not installed")
    )
    func checksum() async throws {
        try await served { sandbox, server in
            try Self.content.bytes.write(to: URL(fileURLWithPath: sandbox.root + "/reference"))
            let sum = try await sandbox.shell("sha256sum < '\(sandbox.root)/reference' | cut -c1-64")
            let digest = sum.output.prefix(64)
            try await sandbox.ferry("get", "--checksum", "sha256=\(digest)", server.url("right")).expect(0)
            let wrong = String(repeating: "0", count: 64)
            try await sandbox.ferry(
                "get",
                "--retries",
                "0",
                "--checksum",
                "sha256=\(wrong)",
                server.url("wrong")
            ).expect(32)
            #expect(!(try sandbox.fileNames().contains("wrong")))
            #expect(Self.content.isWhole(at: sandbox.path(of: "right")))
        }
    }

    @Test("a 401 is about missing credentials, or about refused ones")
    func credentials() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: 401)
        } _: { sandbox, server in
            let none = try await sandbox.ferry("get", server.url("a"))
            none.expect(24)
            let refusal = "127.0.0.1:\(server.port) requires credentials (401)."
            #expect(none.errors.contains(refusal), "\(none)")
            let wrong = try await sandbox.ferry("get", "--user", "name:secret", server.url("b"))
            wrong.expect(24)
            #expect(wrong.errors.contains("refuses the given credentials (401)."), "\(wrong)")
            #expect(!wrong.errors.contains("secret"), "\(wrong)")
        }
    }

    @Test("among several downloads, the first failure gives the status, and the others complete")
    func severalStatuses() async throws {
        try await ScriptedServer.run { request in
            switch request.path {
            case "/missing": ScriptedReply(status: 404)
            case "/closed": ScriptedReply(status: 401)
            default: .serving(Self.content, tag: "\"a\"", to: request)
            }
        } _: { sandbox, server in
            let line = ["get", "-j", "1", "one", "missing", "closed", "two"]
            let words = line.prefix(3) + line.dropFirst(3).map { server.url($0) }
            try await sandbox.launch(Array(words)).outcome().expect(3)
            #expect(try sandbox.fileNames() == ["one", "two"])
        }
    }
}
