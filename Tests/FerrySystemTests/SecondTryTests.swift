import Foundation
import Testing

/// After a failure, the same command with the options of its hint: the new options count.
@Suite("Second tries", .limitedParallelism)
struct SecondTryTests {
    static let content = Content(count: 50_000, seed: 171)

    private func served(
        _ isOpen: @escaping @Sendable (ScriptedRequest) -> Bool = { _ in true },
        _ body: (Sandbox, ScriptedServer) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(with: body) { request in
            guard isOpen(request) else { return ScriptedReply(status: 401) }
            return .serving(Self.content, tag: "\"a\"", to: request)
        }
    }

    @Test("after 'the file exists', --overwrite, --auto-rename and --no-clobber work")
    func existingFile() async throws {
        for (option, names) in [
            ("--overwrite", ["file.bin"]), ("--auto-rename", ["file.1.bin", "file.bin"]),
            ("--no-clobber", ["file.bin"]),
        ] {
            try await served { sandbox, server in
                let mine = Content("mine")
                try mine.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "file.bin")))
                for words in [[], ["-o", "file.bin"]] {
                    try await sandbox.launch(["get", server.url("file.bin")] + words).outcome().expect(13)
                }
                #expect(try await sandbox.transfers().isEmpty, "a refusal leaves no record")
                try await sandbox.ferry("get", option, server.url("file.bin")).expect(0)
                #expect(try sandbox.fileNames() == names, "\(option)")
                let first = option == "--overwrite" ? Self.content : mine
                #expect(first.isWhole(at: sandbox.path(of: "file.bin")), "\(option)")
            }
        }
    }

    @Test(
        "a refused download that another command asks for meanwhile is reported there, too",
        arguments: ["get", "add"]
    )
    func refusedMeanwhile(_ command: String) async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            gate.pass()
            return .serving(Self.content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            try Content("mine").bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "file.bin")))
            let first = try sandbox.launch(["get", server.url("file.bin")])
            try await sandbox.transferBecomes("active") { $0.state == "active" }
            let second = try sandbox.launch([command, server.url("file.bin")])
            try await Deadline.wait(for: "the second command to find it", said: { second.errorsSoFar }) {
                second.errorsSoFar.contains("Transfer 1 ")
            }
            gate.open()
            try await first.outcome().expect(13)
            let told = try await second.outcome()
            told.expect(command == "get" ? 13 : 0)
            if command == "get" {
                #expect(told.errors.contains("file.bin already exists"), "\(told)")
            } else {
                #expect(try await sandbox.transfers().map(\.state) == ["failed"])
            }
        }
    }

    @Test(
        "after --auto-rename, the command without it refers to the file of that name, and no hint suggests to replace it"
    )
    func afterAutoRename() async throws {
        try await served { sandbox, server in
            let mine = Content("mine")
            try mine.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "file.bin")))
            try await sandbox.ferry("get", "--auto-rename", server.url("file.bin")).expect(0)
            let again = try await sandbox.ferry("get", "--auto-rename", server.url("file.bin"))
            again.expect(0)
            #expect(again.errors.contains("file.1.bin is already complete"), "\(again)")
            #expect(!again.errors.contains("--overwrite"), "\(again)")
            try await sandbox.ferry("get", server.url("file.bin")).expect(13)
            #expect(try sandbox.fileNames() == ["file.1.bin", "file.bin"])
            #expect(mine.isWhole(at: sandbox.path(of: "file.bin")))
        }
    }

    @Test("after 'not authorised', the right password is used")
    func password() async throws {
        try await served({ $0["authorization"] == "Basic YW5uYTpzZWNyZXQ=" }) { sandbox, server in
            try await sandbox.ferry("get", server.url("file.bin")).expect(24)
            try await sandbox.ferry("get", "--user", "anna:wrong", server.url("file.bin")).expect(24)
            try await sandbox.ferry("get", "--user", "anna:secret", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("after a wrong checksum, the right one is used")
    func checksum() async throws {
        try await served { sandbox, server in
            let wrong = "sha256=" + String(repeating: "0", count: 64)
            try await sandbox.ferry("get", "--retries", "0", "--checksum", wrong, server.url("file.bin"))
                .expect(32)
            // The user has not said that a file without this checksum is acceptable.
            let plain = try await sandbox.ferry("get", "--retries", "0", server.url("file.bin"))
            plain.expect(32)
            #expect(plain.errors.contains("`ferry remove 1`, then `ferry get` again"), "\(plain.errors)")
            let copy = sandbox.root + "/copy"
            try Self.content.bytes.write(to: URL(fileURLWithPath: copy))
            let sum = try await sandbox.shell("sha256sum <\"$COPY\"", environment: ["COPY": copy])
            let right = "sha256=" + sum.output.prefix(64)
            try await sandbox.ferry("get", "--checksum", right, server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("removing the transfer removes its digest")
    func checksumTakenBack() async throws {
        try await served { sandbox, server in
            let wrong = "sha256=" + String(repeating: "0", count: 64)
            try await sandbox.ferry("add", "--checksum", wrong, server.url("file.bin")).expect(0)
            try await sandbox.ferry("add", server.url("file.bin")).expect(0)
            try await sandbox.ferry("run").expect(32)
            try await sandbox.ferry("remove", "1").expect(0)
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test(
        "the same command fetches nothing again after completion, and everything after the file was removed"
    )
    func afterDone() async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            #expect(server.requests.count == 1)
            try await sandbox.ferry("add", server.url("file.bin")).expect(0)
            for command in ["resume", "retry"] { try await sandbox.ferry(command, "1").expect(0) }
            #expect(server.requests.count == 1)
            try FileManager.default.removeItem(atPath: sandbox.path(of: "file.bin"))
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test(
        "with -o and the name that the file has anyway, the command resumes the one without, and the other way round",
        arguments: [true, false]
    )
    func withAndWithoutName(isNamedFirst: Bool) async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            // Only the server knows the name of this one.
            if request.path == "/download?id=5" {
                reply.fields.append(("Content-Disposition", "attachment; filename=\"report.bin\""))
            }
            if request.ordinal == 1 { reply.cut = .init(bytes: 30_000, then: .hangUp) }
            return reply
        } _: { server in
            for (path, name) in [("file.bin", "file.bin"), ("download?id=5", "report.bin")] {
                // The name that only the server knows is found in the transfer that has got it.
                if isNamedFirst, path != name { continue }
                try await Sandbox.open { sandbox in
                    let (plain, named) = ([server.url(path)], ["-o", name, server.url(path)])
                    let (first, second) = isNamedFirst ? (named, plain) : (plain, named)
                    let once = ["get", "-x", "1", "--retries", "0"]
                    #expect(try await sandbox.launch(once + first).outcome().status != 0)
                    let resumed = try await sandbox.launch(["get", "-x", "1"] + second).outcome()
                    resumed.expect(0)
                    #expect(server.requests.last?.rangeStart != nil, "\(server.requests)")
                    try sandbox.expectOnly(name, Self.content)
                    let count = server.requests.count
                    for words in [first, second] {
                        try await sandbox.launch(["get"] + words).outcome().expect(0)
                    }
                    #expect(server.requests.count == count, "it is already complete")
                    #expect(try await sandbox.transfers().count == 1)
                }
            }
        }
    }

    @Test("--dry-run says what the command would do with what the store has, and changes nothing")
    func foreseen() async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request["range"] == nil { reply.cut = .init(bytes: 30_000, then: .hangUp) }
            return reply
        } _: { sandbox, server in
            func foresees(_ text: String, _ words: String..., ending status: Int32 = 0) async throws {
                let told = try await sandbox.launch(["get", "-I"] + words).outcome()
                told.expect(status)
                #expect(told.output.contains(text), "\(words): \(told)")
            }
            let (url, other) = (server.url("file.bin"), server.url("other/file.bin"))
            try await foresees("saves a new file", url)
            let first = ["get", "-x", "1", "--retries", "0", url]
            #expect(try await sandbox.launch(first).outcome().status != 0)
            let before = try await sandbox.transfers()
            for words in [[], ["-o", "file.bin"]] {
                let told = try await sandbox.launch(["get", "-I", url] + words).outcome()
                #expect(told.output.contains("resumes transfer 1 at "), "\(told)")
            }
            try await foresees(#""action":"resume","transfer":1"#, "--json", url)
            try await foresees("fails: transfer 1 has this name", other, ending: 13)
            try await foresees("with a number in its name", "--auto-rename", other)
            #expect(try await sandbox.transfers().map(\.state) == before.map(\.state))
            try await sandbox.ferry("get", url).expect(0)
            try await foresees("fetches nothing: transfer 1 has saved this file", url)
            try await foresees("replaces the file", "--overwrite", url)
            try await foresees("if the server has another version", "--update", url)
            try await foresees("fails: the file exists", other, ending: 13)
        }
    }

    @Test("a checksum that is given after completion is checked against the file")
    func checksumAfterDone() async throws {
        // An example of FIPS 180-4 gives the digest of these three letters.
        let abc = Content("abc")
        let right = "sha256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let wrong = "sha256=" + String(repeating: "0", count: 64)
        try await ScriptedServer.run { request in
            .serving(abc, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            let verified = try await sandbox.ferry("get", "--checksum", right, server.url("file.bin"))
            verified.expect(0)
            #expect(verified.errors.contains("file.bin (sha-256 verified)."), "\(verified)")
            #expect(server.requests.count == 1)
            let refused = try await sandbox.ferry("get", "--checksum", wrong, server.url("file.bin"))
            refused.expect(32)
            for digest in [right, wrong] {
                #expect(refused.errors.contains(String(digest.suffix(64))), "\(refused)")
            }
            #expect(refused.errors.contains("It was not changed."), "\(refused)")
            #expect(refused.errors.contains("another --checksum if this one is wrong"), "\(refused)")
            #expect(try await sandbox.transfers().count == 1, "nothing is left to resume")
            try sandbox.expectOnly("file.bin", abc)
        }
    }

    @Test("a file that changed after its download is not replaced")
    func changedAfterDone() async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            let mine = Content("edited since")
            try mine.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "file.bin")))
            try await sandbox.ferry("get", server.url("file.bin")).expect(13)
            try sandbox.expectOnly("file.bin", mine)
        }
    }

    @Test("a connection that is too slow is closed, and its bytes are kept", arguments: [1, 4])
    func tooSlow(connections: Int) async throws {
        let content = Content(count: 3 * .mebibyte, seed: 46)
        try await ScriptedServer.run {
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: $0)
            if $0.ordinal == 1 { reply.cut = .init(bytes: .mebibyte, then: .stall) }
            return reply
        } _: { sandbox, server in
            let outcome = try await sandbox.launch([
                "get", "-x", "\(connections)", "--low-speed-limit", "1k", "--low-speed-time", "1",
                server.url("file.bin"),
            ]).outcome()
            outcome.expect(0)
            try sandbox.expectOnly("file.bin", content)
            let requests = server.requests
            #expect(requests.count > 1)
            #expect(requests.dropFirst().allSatisfy { $0["range"] != nil }, "\(requests)")
        }
    }
}
