import Foundation
import Testing

/// Invalid command lines and lists: ferry opens and writes no file, and sends no request.
@Suite("Bad input", .limitedParallelism)
struct BadInputTests {
    static let senseless: [[String]] = [
        ["get"],
        ["get", "not a url"],
        ["get", "http://"],
        ["get", "http://[::1/file"],
        ["get", "http://host:99999/file"],
        ["get", "ftp://example.org/file"],
        ["get", "file:///etc/passwd"],
        ["get", "-H", "X-Bad: one\r\nTwo: three", "http://127.0.0.1:1/file"],
        ["get", "-H", "no colon here", "http://127.0.0.1:1/file"],
        ["get", "-H", "X-Null: a\u{1}b", "http://127.0.0.1:1/file"],
        ["get", "--checksum", "sha256=abc", "http://127.0.0.1:1/file"],
        ["get", "--checksum", "crc16=e306", "http://127.0.0.1:1/file"],
        ["get", "--checksum", "md5", "http://127.0.0.1:1/file"],
        ["get", "--timeout", "soon", "http://127.0.0.1:1/file"],
        ["get", "--retries", "-1", "http://127.0.0.1:1/file"],
        ["get", "-j", "0", "http://127.0.0.1:1/file"],
        ["get", "-o", "name", "http://127.0.0.1:1/a", "http://127.0.0.1:1/b"],
        ["get", "-o", "", "http://127.0.0.1:1/a"], ["get", "http://127.0.0.1:1/[1-"],
        ["get", "--overwrite", "--no-clobber", "http://127.0.0.1:1/a"],
        ["get", "--mirror", "http://127.0.0.1:1/a", "http://127.0.0.1:1/a"],
        ["get", "--mirror", "http://127.0.0.1:1/c", "http://127.0.0.1:1/a", "http://127.0.0.1:1/b"],
        ["get", "--metalink", "/etc/hostname"],
        ["get", "--metalink", "http://[::1/m.meta4"],
        ["get", "--checksum-sidecar", "--checksum-file", "/etc/hostname", "http://127.0.0.1:1/a"],
        ["get", "--checksum-sidecar", "http://127.0.0.1:1/"],
        ["verify", "--checksum-file", "/etc/hostname"],
        ["get", "--no-such-option", "http://127.0.0.1:1/a"],
        ["fetch", "http://127.0.0.1:1/a"],
        ["show", "nonsense"],
    ]

    @Test("an invalid command line ends with 64 and a reason, and does nothing", arguments: senseless)
    func senselessLines(_ line: [String]) async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.launch(line).outcome()
            outcome.expect(64)
            #expect(outcome.errors.contains("ferry: "), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
            #expect(try sandbox.fileNames() == [])
            #expect(
                !outcome.errors.contains { $0 != "\n" && $0.isControl },
                "control characters reach the terminal"
            )
        }
    }

    @Test("with --json an invalid command line is one JSON object, with 64", arguments: senseless)
    func senselessLinesInJSON(_ line: [String]) async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.launch(line + ["--json"]).outcome()
            outcome.expect(64)
            #expect(outcome.output.isEmpty)
            let object = try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8)) as? [String: Any]
            let error = try #require(object?["error"] as? [String: Any], "\(outcome.errors)")
            #expect(error["code"] as? String == "usage")
            #expect(error["exitStatus"] as? Int == 64)
            #expect((error["message"] as? String)?.isEmpty == false)
        }
    }

    @Test(
        "without readable arguments, ferry does nothing and fails",
        .enabled(if: Tool.canChangeBoot, "this user may not unmount /proc")
    )
    func withoutProc() async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.launch(
                executable: Tool.unshare.requiredPath(),
                ["-m", "sh", "-c", "umount -l /proc && exec \"$@\"", "sh", Repository.ferry, "list"]
            ).outcome()
            outcome.expect(15)
            #expect(outcome.output.isEmpty && outcome.errors.contains("/proc/self/cmdline"))
        }
    }

    @Test("an error names the number of a bad list line, and no transfer of the list starts")
    func badListLine() async throws {
        let content = Content(count: 100, seed: 71)
        try await ScriptedServer.run {
            .serving(content, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            let list =
                "# a comment\n\n\(server.url("one"))\n  out=first\n\nnot a url at all\n\(server.url("two"))\n"
            try list.write(toFile: sandbox.root + "/list", atomically: true, encoding: .utf8)
            let outcome = try await sandbox.ferry("get", "-i", sandbox.root + "/list")
            outcome.expect(64)
            #expect(outcome.errors.contains("line 6"), "\(outcome.errors)")
            #expect(try sandbox.fileNames() == [])
            #expect(server.requests.isEmpty)
            #expect(try await sandbox.transfers().isEmpty)
        }
    }

    @Test(
        "a list with comments, blank lines and options is downloaded, from a file or standard input",
        arguments: [true, false]
    )
    func goodList(_ fromInput: Bool) async throws {
        let content = Content(count: 10_000, seed: 72)
        try await ScriptedServer.run {
            .serving(content, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            let list = "# a comment\r\n\r\n\(server.url("one"))\r\n  out=first\r\n\n\(server.url("two"))"
            let path = sandbox.root + "/list"
            try list.write(toFile: path, atomically: true, encoding: .utf8)
            let outcome =
                fromInput
                ? try await sandbox.ferry("get", "-i", "-", input: path)
                : try await sandbox.ferry("get", "-i", path)
            outcome.expect(0)
            #expect(try sandbox.fileNames() == ["first", "two"])
            #expect(content.isWhole(at: sandbox.path(of: "first")))
            #expect(content.isWhole(at: sandbox.path(of: "two")))
        }
    }

    @Test("a long list is added once, from a file or standard input", arguments: [true, false])
    func longList(_ fromInput: Bool) async throws {
        try await Sandbox.open { sandbox in
            let path = sandbox.root + "/list"
            let lines = (0..<12_000).map { "http://127.0.0.1:1/\($0)\n" }
            try lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
            func add() async throws -> [Substring] {
                let outcome =
                    fromInput
                    ? try await sandbox.shell("cat '\(path)' | ferry add -q -i -")
                    : try await sandbox.ferry("add", "-q", "-i", path)
                outcome.expect(0)
                return outcome.output.split(separator: "\n")
            }
            let ids = try await add()
            #expect(ids.count == 12_000 && Set(ids).count == 12_000)
            #expect(try await add() == ids)
        }
    }

    @Test("a list of several pages is downloaded whole, and its first failure decides the status")
    func longDownload() async throws {
        try await ScriptedServer.run { request in
            switch request.path {
            case "/1": ScriptedReply(status: 404)
            case "/2050": ScriptedReply(status: 403)
            default: ScriptedReply(body: Array("a".utf8))
            }
        } _: { sandbox, server in
            let path = sandbox.root + "/list"
            let lines = (0..<2_100).map { server.url("\($0)") + "\n" }
            try lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
            let outcome = try await sandbox.ferry("get", "-i", path)
            outcome.expect(3)
            #expect(outcome.errors.contains("2098 completed, 2 failed"), "\(outcome)")
            #expect(try sandbox.fileNames().count == 2_098)
            let again = try await sandbox.ferry("get", "-i", path)
            again.expect(3)
            #expect(
                again.errors.contains("2098 completed (2098 already complete), 2 failed"),
                "\(again)"
            )
        }
    }

    @Test("nothing of a list is added if the directory of its last download is missing")
    func missingDirectory() async throws {
        try await Sandbox.open { sandbox in
            let path = sandbox.root + "/list"
            let lines = (0..<6_000).map { "http://127.0.0.1:1/\($0)\n" }
            let list = lines.joined() + "http://127.0.0.1:1/last\n dir=no-such-directory\n"
            try list.write(toFile: path, atomically: true, encoding: .utf8)
            let outcome = try await sandbox.ferry("add", "-i", path)
            outcome.expect(16)
            #expect(outcome.output.isEmpty)
            #expect(try await sandbox.transfers().isEmpty)
        }
    }

    @Test("each line of a list whose directory is missing is named, and nothing is downloaded")
    func missingDirectories() async throws {
        try await Sandbox.open { sandbox in
            let path = sandbox.root + "/list"
            let url = "http://127.0.0.1:1"
            let list = "\(url)/a\n dir=no\n\(url)/b\n\(url)/c\n dir=neither\n"
            try list.write(toFile: path, atomically: true, encoding: .utf8)
            let outcome = try await sandbox.ferry("get", "-i", path)
            outcome.expect(16)
            let lines = outcome.errors.split(separator: "\n")
            #expect(lines.count == 3, "\(outcome)")
            #expect(lines.first?.contains("line 1: ") == true, "\(outcome)")
            #expect(lines.dropFirst().first?.contains("line 4: ") == true, "\(outcome)")
            #expect(lines.last?.hasSuffix("Nothing was downloaded or added.") == true, "\(outcome)")
            #expect(try await sandbox.transfers().isEmpty)
        }
    }

    @Test("a missing directory is named with the option that makes it", arguments: ["get", "add"])
    func namesTheOptionForDirectories(_ command: String) async throws {
        try await Sandbox.open { sandbox in
            for option in [["-d", "none"], ["-o", "none/a"], ["-o", "none/"]] {
                let outcome = try await sandbox.launch([command] + option + ["http://127.0.0.1:1/a"])
                    .outcome()
                outcome.expect(16)
                #expect(outcome.errors.contains("/none does not exist."), "\(outcome)")
                #expect(outcome.errors.contains("--create-dirs"), "\(outcome)")
            }
            #expect(try await sandbox.transfers().isEmpty)
        }
    }

    @Test("a missing list ends with 15")
    func missingList() async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("get", "-i", "no-such-list").expect(15)
        }
    }

    @Test("a data directory with foreign files is refused and not changed")
    func foreignStore() async throws {
        try await Sandbox.open { sandbox in
            try FileManager.default.createDirectory(atPath: sandbox.data, withIntermediateDirectories: true)
            let first = try await sandbox.ferry("add", "http://127.0.0.1:1/a")
            first.expect(0)
            let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.data)
            let store = try #require(
                names.first { $0.hasSuffix(".sqlite") || $0.hasSuffix(".db") },
                "\(names)"
            )
            for name in names { try FileManager.default.removeItem(atPath: "\(sandbox.data)/\(name)") }
            let foreign = Content(
                "This is not a database, but somebody's letters. " + String(repeating: "x", count: 5000)
            )
            try foreign.bytes.write(to: URL(fileURLWithPath: "\(sandbox.data)/\(store)"))
            let outcome = try await sandbox.ferry("list")
            outcome.expect(15)
            #expect(foreign.isWhole(at: "\(sandbox.data)/\(store)"))
        }
    }

    @Test(
        "paths that are not UTF-8 are refused, and nothing is written under another name",
        arguments: [
            "ferry get -o \"$(printf 'n\\377')\" http://127.0.0.1:1/a",
            "ferry get -d \"$(printf 'n\\377')\" http://127.0.0.1:1/a",
            "ferry get --data-dir \"$(printf 'n\\377')\" http://127.0.0.1:1/a",
            "ferry get --cacert \"$(printf 'n\\377')\" http://127.0.0.1:1/a",
            "ferry get --netrc-file \"$(printf 'n\\377')\" http://127.0.0.1:1/a",
            "ferry get -i \"$(printf 'n\\377')\"",
            "printf 'http://127.0.0.1:1/a\\n  out=n\\377\\n' >list; ferry get -i list",
            "export HOME=\"$PWD/$(printf 'n\\377')\"; ferry get http://127.0.0.1:1/a",
            "unset FERRY_DATA_DIR; export XDG_STATE_HOME=\"$PWD/$(printf 'n\\377')\"; ferry list",
            "export FERRY_DATA_DIR=\"$PWD/$(printf 'n\\377')\"; ferry list",
            "mkdir \"$(printf 'n\\377')\"; cd \"$(printf 'n\\377')\"; ferry get http://127.0.0.1:1/a",
        ]
    )
    func notUTF8(line: String) async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.shell(line)
            outcome.expect(64)
            #expect(outcome.errors.contains("not UTF-8"), "\(outcome)")
            #expect(!outcome.errors.contains("\u{FFFD}"), "\(outcome)")
        }
    }

    @Test("a link to a directory whose path is not UTF-8 works")
    func linkToAPathThatIsNotUTF8() async throws {
        try await ScriptedServer.run { request in
            .serving(Content("abc"), tag: "\"a\"", to: request)
        } _: { sandbox, server in
            let outcome = try await sandbox.shell(
                "mkdir \"$(printf 'n\\377')\"; ln -s \"$(printf 'n\\377')\" link; ferry get -d link \"$URL\"; cat link/a",
                environment: ["URL": server.url("a")]
            )
            outcome.expect(0)
            #expect(outcome.output.hasSuffix("abc"))
            try await sandbox.shell("rm -r \"$(printf 'n\\377')\"").expect(0)
        }
    }
}

extension Character {
    /// Whether it is a control character.
    fileprivate var isControl: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
