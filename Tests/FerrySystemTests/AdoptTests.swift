import Foundation
import Testing

/// `ferry adopt` and `get --adopt`: unfinished files of other tools.
@Suite("Adopting files", .limitedParallelism)
struct AdoptTests {
    private static let content = Content(count: 300_000, seed: 61)

    private func served(
        _ content: Content = Self.content,
        _ body: (Sandbox, ScriptedServer) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(with: body) { .serving(content, tag: "\"a\"", to: $0) }
    }

    private func leave(_ bytes: Data, as name: String, in sandbox: Sandbox) throws {
        try bytes.write(to: URL(fileURLWithPath: sandbox.path(of: name)))
    }

    /// The SHA-256 of the whole file.
    private func digest(in sandbox: Sandbox) async throws -> Substring {
        try leave(Self.content.bytes, as: "whole", in: sandbox)
        let sum = try await sandbox.shell("sha256sum <whole").output.prefix(64)
        #expect(unlink(sandbox.path(of: "whole")) == 0)
        return sum
    }

    private func isWhole(_ sandbox: Sandbox) -> Bool {
        FileManager.default.contents(atPath: sandbox.path(of: "file.bin")) == Self.content.bytes
    }

    @Test("the file of curl or wget is finished from where it ends", arguments: [true, false])
    func prefix(isCommand: Bool) async throws {
        try await served { sandbox, server in
            try leave(Self.content.bytes.prefix(200_000), as: "file.bin", in: sandbox)
            let url = server.url("file.bin")
            let line = isCommand ? ["adopt", "file.bin", url] : ["get", "--adopt", url]
            let outcome = try await sandbox.launch(line).outcome()
            outcome.expect(0)
            #expect(isWhole(sandbox) && outcome.errors.contains("compared at 2 places"), "\(outcome)")
            #expect(server.requests.map(\.rangeStart) == [200_000 - 65_536, 0])
            #expect(try sandbox.fileNames() == ["file.bin"])
        }
    }

    /// curl and aria2 continue a file even if it has changed on the server meanwhile.
    @Test("a file that is of two versions is fetched again", arguments: [1, 65_537, 130_000])
    func twoVersions(count: Int) async throws {
        try await served { sandbox, server in
            let url = server.url("file.bin")
            let former = Data(Self.content.bytes.prefix(count).map { ~$0 })
            try leave(former + Self.content.bytes[count..<200_000], as: "file.bin", in: sandbox)
            let outcome = try await sandbox.launch(["adopt", "file.bin", url]).outcome()
            outcome.expect(0)
            let isSaid = outcome.errors.contains("another tool are fetched again")
            #expect(isWhole(sandbox) && isSaid, "\(outcome)")
            #expect(try sandbox.fileNames() == ["file.bin"])
        }
    }

    @Test("a whole file that is of two versions is given back, unless the file is to be fetched anew")
    func wholeOfTwoVersions() async throws {
        try await served { sandbox, server in
            let url = server.url("file.bin")
            let mixed = Data(Self.content.bytes.prefix(1_000).map { ~$0 }) + Self.content.bytes[1_000...]
            try leave(mixed, as: "file.bin", in: sandbox)
            let refused = try await sandbox.launch(["adopt", "file.bin", url]).outcome()
            refused.expect(8)
            #expect(refused.errors.contains("Some bytes of file.bin differ"), "\(refused)")
            #expect(FileManager.default.contents(atPath: sandbox.path(of: "file.bin")) == mixed)
            try await sandbox.ferry("adopt", "--on-change", "restart", "file.bin", url).expect(0)
            #expect(isWhole(sandbox))
        }
    }

    @Test("the bytes of another file are kept, unless the file is to be fetched anew")
    func otherVersion() async throws {
        try await served { sandbox, server in
            let other = Data(repeating: 7, count: 200_000)
            try leave(other, as: "file.bin", in: sandbox)
            let refused = try await sandbox.ferry("adopt", "file.bin", server.url("file.bin"))
            #expect(refused.status == 8, "\(refused.errors)")
            #expect(FileManager.default.contents(atPath: sandbox.path(of: "file.bin")) == other)
            try await sandbox.ferry("adopt", "--on-change", "restart", "file.bin", server.url("file.bin"))
                .expect(0)
            #expect(isWhole(sandbox))
        }
    }

    @Test("a retry says what to type while a file that was given back has the name, then fetches the whole")
    func retriedAfterGivingBack() async throws {
        try await served { sandbox, server in
            let other = Data(repeating: 7, count: 200_000)
            try leave(other, as: "file.bin", in: sandbox)
            try await sandbox.ferry("adopt", "file.bin", server.url("file.bin")).expect(8)
            let asked = server.requests.count
            for line in [["retry", "1"], ["retry", "--detach", "1"], ["resume", "1"]] {
                let refused = try await sandbox.launch(line).outcome()
                refused.expect(8)
                #expect(refused.errors.contains("file.bin was given back"), "\(refused)")
                #expect(refused.errors.contains("`ferry adopt` line"), "\(refused)")
                #expect(refused.errors.contains("`ferry retry 1` fetches"), "\(refused)")
            }
            #expect(FileManager.default.contents(atPath: sandbox.path(of: "file.bin")) == other)
            #expect(server.requests.count == asked)
            #expect(rename(sandbox.path(of: "file.bin"), sandbox.path(of: "other.bin")) == 0)
            try await sandbox.ferry("retry", "1").expect(0)
            #expect(isWhole(sandbox))
        }
    }

    @Test(
        "a file that is not the server's is never lost, whatever ends its transfer",
        arguments: ["remove", "cancel"]
    )
    func otherFile(_ ending: String) async throws {
        try await served { sandbox, server in
            let thesis = Data("my thesis\n".utf8)
            func isThere() -> Bool {
                FileManager.default.contents(atPath: sandbox.path(of: "thesis")) == thesis
            }
            try leave(thesis, as: "thesis", in: sandbox)
            let line = ["get", "-sS", "-o", "thesis", "--adopt", server.url("file.bin")]
            let refused = try await sandbox.launch(line).outcome()
            refused.expect(8)
            #expect(refused.errors.contains("thesis is not the beginning of"), "\(refused)")
            #expect(refused.errors.contains("`ferry get --adopt` line"), "\(refused)")
            #expect(isThere() && !refused.errors.contains("has changed"), "\(refused)")
            _ = try await sandbox.ferry(ending, "1")
            #expect(isThere())

            // A server that never answers.
            let nowhere = ["get", "-o", "thesis", "--adopt", "http://127.0.0.1:1/x", "--retries", "0"]
            try await sandbox.launch(nowhere).outcome().expect(6)
            try await sandbox.ferry(ending, "2").expect(0)
            #expect(isThere())
            #expect(try sandbox.fileNames() == ["thesis"])
        }
    }

    @Test(
        "the pieces of aria2 before the first gap count, and with a digest all of them",
        arguments: [false, true]
    )
    func aria2(isVerified: Bool) async throws {
        try await served { sandbox, server in
            var bytes = Self.content.bytes
            // The second of five pieces is missing.
            bytes.replaceSubrange(65_536..<131_072, with: Data(count: 65_536))
            let sum = try await digest(in: sandbox)
            try leave(bytes, as: "file.bin", in: sandbox)
            let control = Aria2File.control(
                of: [true, false, true, true, true],
                length: Self.content.count
            )
            try leave(control, as: "file.bin.aria2", in: sandbox)
            let digest = isVerified ? ["--checksum", "sha256=\(sum)"] : []
            let line = ["adopt", "file.bin", server.url("file.bin")] + digest
            try await sandbox.launch(line).outcome().expect(0)
            #expect(isWhole(sandbox))
            let first = try #require(server.requests.first)
            #expect(first["range"] == (isVerified ? "bytes=0-131071" : "bytes=0-"))
            #expect(try sandbox.fileNames() == ["file.bin"], "the control file is not needed any more")
        }
    }

    @Test(
        "a file with a wrong digest is given back, and fetched anew if that is typed",
        arguments: [false, true]
    )
    func wrongDigest(isOfAria2: Bool) async throws {
        try await served { sandbox, server in
            let sum = try await digest(in: sandbox)
            let wrong = Data(count: 1_000) + Self.content.bytes[1_000..<200_000]
            try leave(wrong, as: "file.bin", in: sandbox)
            if isOfAria2 {
                let control = Aria2File.control(
                    of: [true, true, true, false, false],
                    length: Self.content.count
                )
                try leave(control, as: "file.bin.aria2", in: sandbox)
            }
            let line = ["adopt", "file.bin", server.url("file.bin"), "--checksum", "sha256=\(sum)"]
            let refused = try await sandbox.launch(line).outcome()
            refused.expect(32)
            #expect(refused.errors.contains("file.bin is given back"), "\(refused)")
            #expect(refused.errors.contains("`ferry adopt` line with --on-change restart"), "\(refused)")
            let left = FileManager.default.contents(atPath: sandbox.path(of: "file.bin"))
            // What aria2 has not fetched of its fourth piece may be Ferry's now.
            let known = isOfAria2 ? 196_608 : 200_000
            #expect(left?.count == 200_000 && left?.prefix(known) == wrong.prefix(known))
            try await sandbox.launch(line + ["--on-change", "restart"]).outcome().expect(0)
            #expect(isWhole(sandbox))
            #expect(try sandbox.fileNames() == ["file.bin"])
        }
    }

    @Test("a file with a hole, whose control file is lost, is finished from the hole")
    func sparse() async throws {
        let content = Content(count: 8 << 20, seed: 63)
        try await served(content) { sandbox, server in
            let (hole, end) = (2 << 20, 6 << 20)
            try leave(content.bytes.prefix(hole), as: "file.bin", in: sandbox)
            let path = sandbox.path(of: "file.bin")
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seek(toOffset: UInt64(end))
            try file.write(contentsOf: content.bytes.suffix(content.count - end))
            try file.close()
            try await sandbox.ferry("adopt", "file.bin", server.url("file.bin")).expect(0)
            #expect(content.isWhole(at: path))
            #expect(server.requests.first?.rangeStart == hole - 65_536)
        }
    }

    @Test(
        "a long run of aria2 behind a gap is compared at both ends and within, and fetched only if it differs",
        arguments: [false, true]
    )
    func longRun(differs: Bool) async throws {
        let content = Content(count: 3_000_000, seed: 62)
        try await served(content) { sandbox, server in
            var bytes = content.bytes
            bytes.replaceSubrange(65_536..<131_072, with: Data(count: 65_536))
            if differs { bytes[bytes.count - 1] ^= 1 }
            try leave(bytes, as: "file.bin", in: sandbox)
            let pieces = (0..<46).map { $0 != 1 }
            let control = Aria2File.control(of: pieces, length: content.count)
            try leave(control, as: "file.bin.aria2", in: sandbox)
            let line = ["adopt", "file.bin", server.url("file.bin")]
            try await sandbox.launch(line).outcome().expect(0)
            let path = sandbox.path(of: "file.bin")
            #expect(content.isWhole(at: path))
            #expect(try sandbox.fileNames() == ["file.bin"])
            let ranges = Set(server.requests.compactMap { $0["range"] })
            let places: Set = [
                "bytes=0-131071", "bytes=131072-196607", "bytes=1565536-1631071", "bytes=2934464-2999999",
            ]
            #expect((ranges == places) == !differs, "\(ranges)")
        }
    }

    @Test("the same command again changes nothing, and the file of another transfer is left alone")
    func repeated() async throws {
        try await served { sandbox, server in
            try leave(Self.content.bytes.prefix(200_000), as: "file.bin", in: sandbox)
            let line = ["adopt", "file.bin", server.url("file.bin")]
            try await sandbox.launch(line).outcome().expect(0)
            let asked = server.requests.count
            try await sandbox.launch(line).outcome().expect(0)
            #expect(isWhole(sandbox) && server.requests.count == asked)

            let missing = server.url("status/404")
            try leave(Self.content.bytes.prefix(200_000), as: "other.bin", in: sandbox)
            try await sandbox.ferry("adopt", "other.bin", "http://127.0.0.1:1/x", "--retries", "0").expect(6)
            let refused = try await sandbox.ferry("adopt", "other.bin", missing)
            refused.expect(8)
            #expect(refused.errors.contains("transfer 2"), "\(refused)")
            #expect(try sandbox.fileNames() == ["file.bin", "other.bin.part"])
        }
    }

    @Test("a download that failed because of the file takes it over")
    func afterFailure() async throws {
        try await served { sandbox, server in
            try leave(Self.content.bytes.prefix(200_000), as: "file.bin", in: sandbox)
            let url = server.url("file.bin")
            try await sandbox.ferry("get", url).expect(13)
            try await sandbox.ferry("adopt", "file.bin", url).expect(0)
            #expect(isWhole(sandbox))
            // The download had asked for the name before it met the file.
            #expect(server.requests.map(\.rangeStart) == [nil, 200_000 - 65_536, 0])
        }
    }

    @Test(
        "of a session of aria2, what has not begun is downloaded, and what is paused stays paused",
        arguments: [["adopt"], ["get", "--adopt"]]
    )
    func session(line: [String]) async throws {
        try await served { sandbox, server in
            try leave(Self.content.bytes.prefix(200_000), as: "file.bin", in: sandbox)
            try leave(Data(), as: "empty.bin", in: sandbox)
            let session = """
                \(server.url("file.bin"))\t
                 gid=2089b05ecca3d829
                \(server.url("new.bin"))\t
                \(server.url("empty.bin"))\t
                \(server.url("later.bin"))\t
                 pause=true
                """
            try leave(Data(session.utf8), as: "session", in: sandbox)
            let outcome = try await sandbox.launch(line + ["-i", "session"]).outcome()
            outcome.expect(7)
            let files = ["empty.bin", "file.bin", "new.bin"]
            #expect(try sandbox.fileNames() == files + ["session"])
            for name in files {
                #expect(FileManager.default.contents(atPath: sandbox.path(of: name)) == Self.content.bytes)
            }
            #expect(outcome.errors.contains("new.bin: no tool has begun this file"), "\(outcome)")
            #expect(outcome.errors.contains("empty.bin: none of its bytes can be used"), "\(outcome)")
            #expect(!outcome.errors.contains("later.bin: no tool"), "nothing of it is downloaded now")
            #expect(outcome.errors.contains("later.bin: paused"), "\(outcome)")
            try await sandbox.ferry("resume", "4").expect(0)
            #expect(try sandbox.fileNames() == ["empty.bin", "file.bin", "later.bin", "new.bin", "session"])
        }
    }

    @Test("--dry-run tells what would be taken over or refused, asks no server, and changes nothing")
    func dryRun() async throws {
        try await served { sandbox, server in
            try leave(Self.content.bytes, as: "a.bin", in: sandbox)
            let control = Aria2File.control(of: [true, true, false, true, true], length: Self.content.count)
            try leave(control, as: "a.bin.aria2", in: sandbox)
            try leave(Self.content.bytes.prefix(200_000), as: "b.bin", in: sandbox)
            try leave(Self.content.bytes.prefix(9_000), as: "c.bin.part", in: sandbox)
            let names = ["a.bin", "b.bin", "c.bin", "d.bin"]
            let list = names.map { server.url($0) + "\n" }.joined()
            try leave(Data(list.utf8), as: "list", in: sandbox)
            let before = try sandbox.fileNames()
            let told = try await sandbox.launch(["adopt", "--dry-run", "-i", "list"]).outcome()
            told.expect(8)
            for text in [
                "takes over the file", "a.bin.aria2", "131072 bytes", "200000 bytes", "refuses: ",
                "--checksum", "no tool has begun this file",
            ] {
                #expect(told.output.contains(text), "\(text): \(told)")
            }
            let json = try await sandbox.launch(["adopt", "--dry-run", "--json", "-i", "list"]).outcome()
            json.expect(8)
            let lines = json.output.split(separator: "\n")
            let actions = ["adopt", "adopt", "refuse", "download"]
            #expect(lines.count == actions.count, "\(json)")
            for (line, action) in zip(lines, actions) {
                #expect(line.contains("\"action\":\"\(action)\""), "\(line)")
            }
            let url = server.url("b.bin")
            try await sandbox.ferry("adopt", "--dry-run", "b.bin", url).expect(0)
            try await sandbox.ferry("adopt", "--dry-run", "none.bin", url).expect(8)
            #expect(try sandbox.fileNames() == before && server.requests.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: sandbox.data))
            // Afterwards, the file is complete.
            try await sandbox.ferry("adopt", "b.bin", url).expect(0)
            let complete = try await sandbox.ferry("adopt", "--dry-run", "b.bin", url)
            complete.expect(0)
            #expect(complete.output.contains("fetches nothing: transfer 1"), "\(complete)")
        }
    }

    @Test("a part file needs a digest, and what cannot be taken over is not changed")
    func refused() async throws {
        try await served { sandbox, server in
            let url = server.url("file.bin")
            let none = try await sandbox.ferry("adopt", "file.bin", url)
            none.expect(8)
            try leave(Self.content.bytes.prefix(9_000), as: "file.bin.part", in: sandbox)
            let part = try await sandbox.ferry("adopt", "file.bin.part", url)
            part.expect(8)
            #expect(part.errors.contains("--checksum"), "\(part)")
            try leave(Data("x".utf8), as: "other", in: sandbox)
            try leave(Data("x".utf8), as: "other.aria2", in: sandbox)
            try await sandbox.ferry("adopt", "other", url).expect(8)
            #expect(try sandbox.fileNames() == ["file.bin.part", "other", "other.aria2"])
            #expect(server.requests.isEmpty)
        }
    }
}
