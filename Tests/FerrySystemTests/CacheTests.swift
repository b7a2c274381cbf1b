import Foundation
import Testing

/// `ferry get --cache` and `ferry cache`.
@Suite("The managed cache", .limitedParallelism)
struct CacheTests {
    private static let first = Content(count: 9_000, seed: 81)
    private static let second = Content(count: 12_000, seed: 82)

    /// A server with files whose version is `first`, or `second` from the third request on.
    private func served(
        changing: Bool = false,
        _ body: (Sandbox, ScriptedServer) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(with: body) { request in
            let isNew = changing && request.ordinal > 2
            let (content, tag) = isNew ? (Self.second, "\"b\"") : (Self.first, "\"a\"")
            if request["if-none-match"] == tag { return ScriptedReply(status: 304, fields: [("ETag", tag)]) }
            return ScriptedReply.serving(content, tag: tag, to: request)
        }
    }

    private func files(_ sandbox: Sandbox) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: sandbox.data + "/cache/pool")
    }

    @Test("the second command prints the same path, and asks no server")
    func servesTheFresh() async throws {
        try await served { sandbox, server in
            let url = server.url("file.bin")
            let get = try await sandbox.ferry("get", "--cache", "pool", url)
            get.expect(0)
            let path = get.output.trimmingCharacters(in: .newlines)
            #expect(FileManager.default.contents(atPath: path) == Self.first.bytes)
            let again = try await sandbox.ferry("get", "--cache", "pool", url)
            again.expect(0)
            #expect(again.output == get.output && server.requests.count == 1)
            #expect(again.errors == "Already in pool pool: \(url) (8.8 KiB).\n", "\(again)")
            for option in ["-q", "--json"] {
                let silent = try await sandbox.ferry("get", "--cache", "pool", url, option)
                silent.expect(0)
                #expect(silent.errors.isEmpty && silent.output.contains(path), "\(silent)")
            }
            #expect(try sandbox.fileNames() == [])
        }
    }

    @Test("a trim leaves the files of other programs in the directory of a pool alone")
    func trimsOnlyItsOwn() async throws {
        try await served { sandbox, server in
            let own = sandbox.path(of: "own")
            let foreign = own + "/" + String(repeating: "a", count: 64)
            try await sandbox.ferry("cache", "set", "one", "--dir", own).expect(0)
            let get = try await sandbox.ferry("get", "--cache", "one", server.url("file.bin"))
            get.expect(0)
            let path = get.output.trimmingCharacters(in: .newlines)
            try Data("precious".utf8).write(to: URL(fileURLWithPath: foreign))
            try Data("precious".utf8).write(to: URL(fileURLWithPath: foreign + ".part"))
            try await sandbox.ferry("cache", "trim", "one").expect(0)
            #expect(FileManager.default.contents(atPath: path) == Self.first.bytes)
            for name in [foreign, foreign + ".part"] { #expect(FileManager.default.fileExists(atPath: name)) }
        }
    }

    @Test("no pool gets the directory of another one, under any name")
    func refusesTheDirectoryOfAnotherPool() async throws {
        try await Sandbox.open { sandbox in
            func refuse(_ directory: String, because reason: String) async throws {
                let refused = try await sandbox.ferry("cache", "set", "two", "--dir", directory)
                refused.expect(64)
                #expect(refused.errors.contains(reason), "\(refused)")
            }
            let (own, usual) = (sandbox.path(of: "own"), sandbox.data + "/cache")
            try await sandbox.ferry("cache", "set", "one", "--dir", own).expect(0)
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path(of: "link"),
                withDestinationPath: sandbox.workingDirectory
            )
            for directory in [own, own + "/below", "link/own", "link/own/below", "."] {
                try await refuse(directory, because: "the directory of pool one.")
            }
            for directory in [usual, usual + "/two", sandbox.data] {
                try await refuse(directory, because: "the pools that have none of their own.")
            }
            // The directory that a pool has by default may be a link.
            try FileManager.default.createDirectory(atPath: usual, withIntermediateDirectories: true)
            let linked = sandbox.path(of: "linked")
            try FileManager.default.createDirectory(atPath: linked, withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: usual + "/three",
                withDestinationPath: linked
            )
            try await sandbox.ferry("cache", "set", "three", "--max-bytes", "9").expect(0)
            try await refuse(linked, because: "the directory of pool three.")
            try await sandbox.ferry("cache", "set", "two", "--dir", sandbox.path(of: "other")).expect(0)
        }
    }

    @Test("when the server cannot say whether a file is current, nothing is printed or copied")
    func failedRevalidation() async throws {
        try await ScriptedServer.run { request in
            if request.ordinal > 1 { return ScriptedReply(status: 404) }
            return .serving(Self.first, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            try await sandbox.ferry("cache", "set", "pool", "--fresh-for", "0s").expect(0)
            let get = ["get", "--cache", "pool", server.url("file.bin")]
            try await sandbox.launch(get).outcome().expect(0)
            for words in [[], ["-o", "-"], ["-o", "copy"]] {
                let failed = try await sandbox.launch(get + words).outcome()
                failed.expect(3)
                #expect(failed.output.isEmpty, "\(failed)")
            }
            #expect(try sandbox.fileNames() == [])
            #expect(try files(sandbox).count == 1)
        }
    }

    @Test("a wrong digest fails its own command only, and the former file is not printed for it")
    func wrongDigest() async throws {
        try await served { sandbox, server in
            let get = ["get", "--cache", "pool", server.url("file.bin")]
            let wrong = "sha256=" + String(repeating: "0", count: 64)
            var paths: Set<String> = []
            // The pool lacks the file at first, and then has it.
            for _ in 0..<2 {
                for words in [[], ["-o", "copy"]] {
                    let failed = try await sandbox.launch(get + words + ["--checksum", wrong]).outcome()
                    failed.expect(32)
                    #expect(failed.output.isEmpty, "\(failed)")
                }
                #expect(try sandbox.fileNames() == [])
                let found = try await sandbox.launch(get).outcome()
                found.expect(0)
                let path = found.output.trimmingCharacters(in: .newlines)
                #expect(FileManager.default.contents(atPath: path) == Self.first.bytes)
                paths.insert(path)
                #expect(try files(sandbox).count == 1)
            }
            #expect(paths.count == 1)
            // Each wrong digest asks the server, and only one of the others does.
            #expect(server.requests.count == 5)
        }
    }

    @Test("a link in the place of a file is not followed, and the file takes its place again")
    func replacesALink() async throws {
        try await served { sandbox, server in
            let get = ["get", "--cache", "pool", server.url("file.bin")]
            let first = try await sandbox.launch(get).outcome()
            first.expect(0)
            let path = first.output.trimmingCharacters(in: .newlines)
            // It has what is wanted, so that only the link itself can give it away.
            let outside = sandbox.path(of: "outside.bin")
            try Self.first.bytes.write(to: URL(fileURLWithPath: outside))
            for words in [[], ["-o", "copy.bin", "--overwrite"]] {
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
                let count = server.requests.count
                try await sandbox.launch(get + words).outcome().expect(0)
                #expect(server.requests.count == count + 1)
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.type] as? FileAttributeType == .typeRegular)
                #expect(FileManager.default.contents(atPath: outside) == Self.first.bytes)
            }
            try await sandbox.ferry("cache", "trim", "pool").expect(0)
            #expect(try files(sandbox).count == 1)
        }
    }

    @Test("what is no longer fresh is revalidated, and replaced by another version")
    func revalidates() async throws {
        try await served(changing: true) { sandbox, server in
            let url = server.url("file.bin")
            try await sandbox.ferry("cache", "set", "pool", "--fresh-for", "0s").expect(0)
            var paths: Set<String> = []
            for expected in [Self.first, Self.first, Self.second] {
                let get = try await sandbox.ferry("get", "--cache", "pool", url)
                get.expect(0)
                let path = get.output.trimmingCharacters(in: .newlines)
                #expect(FileManager.default.contents(atPath: path) == expected.bytes)
                paths.insert(path)
            }
            #expect(paths.count == 1)
            #expect(server.requests.map { $0["if-none-match"] } == [nil, "\"a\"", "\"a\""])
        }
    }

    @Test("the list and the doctor say which files are missing or were changed")
    func tellsMissingFiles() async throws {
        try await served { sandbox, server in
            var paths: [String] = []
            for name in ["a.bin", "b.bin", "c.bin"] {
                let get = try await sandbox.ferry("get", "--cache", "pool", server.url(name))
                get.expect(0)
                paths.append(get.output.trimmingCharacters(in: .newlines))
            }
            let sound = try await sandbox.ferry("doctor")
            sound.expect(0)
            #expect(!sound.output.contains("pool pool"), "\(sound)")
            try FileManager.default.removeItem(atPath: paths[0])
            try Data("other".utf8).write(to: URL(fileURLWithPath: paths[1]))
            let list = try await sandbox.ferry("cache", "list", "pool")
            list.expect(0)
            let lines = list.output.split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines.first?.hasSuffix("a.bin (file is missing)") == true, "\(list)")
            #expect(lines.dropFirst().first?.hasSuffix("b.bin (file was changed)") == true, "\(list)")
            #expect(lines.last?.hasSuffix("c.bin") == true, "\(list)")
            let json = try await sandbox.ferry("cache", "list", "pool", "--json")
            let files = json.output.split(separator: "\n").map { $0.split(separator: "\"file\":").last }
            #expect(files == ["\"missing\"}", "\"changed\"}", "\"intact\"}"], "\(json)")
            let doctor = try await sandbox.ferry("doctor")
            doctor.expect(0)
            #expect(doctor.output.contains("pool pool: 2 files are not served"), "\(doctor)")
            try await sandbox.ferry("cache", "trim", "pool").expect(0)
            let trimmed = try await sandbox.ferry("doctor")
            #expect(!trimmed.output.contains("pool pool"), "\(trimmed)")
        }
    }

    @Test("entries whose URLs differ in a secret only are told apart, and no secret is shown")
    func tellsMaskedEntriesApart() async throws {
        try await served { sandbox, server in
            for secret in ["ticket=first", "ticket=second"] {
                try await sandbox.ferry("get", "--cache", "pool", server.url("a.bin?\(secret)")).expect(0)
            }
            try await sandbox.ferry("get", "--cache", "pool", server.url("a.bin?page=7")).expect(0)
            let list = try await sandbox.ferry("cache", "list", "pool")
            let lines = list.output.split(separator: "\n")
            #expect(lines.count == 3 && Set(lines).count == 3, "\(list)")
            #expect(lines.filter { $0.contains("ticket=… (entry ") }.count == 2, "\(list)")
            #expect(lines.last?.hasSuffix("a.bin?page=7") == true, "\(list)")
            let json = try await sandbox.ferry("cache", "list", "pool", "--json")
            #expect(json.output.contains(#""number":1,"key""#), "\(json)")
            for text in [list.output, json.output] {
                #expect(!text.contains("first") && !text.contains("second"))
            }
        }
    }

    @Test("-o copies the file, and -o - prints it")
    func copies() async throws {
        try await served { sandbox, server in
            let url = server.url("file.bin")
            for _ in 0..<2 {
                let get = try await sandbox.ferry(
                    "get",
                    "--cache",
                    "pool",
                    "--overwrite",
                    "-o",
                    "copy.bin",
                    url
                )
                get.expect(0)
                #expect(get.output == "")
                let path = sandbox.path(of: "copy.bin")
                #expect(get.errors.contains("Copied from pool pool: /"), "\(get)")
                #expect(get.errors.hasSuffix("/copy.bin (8.8 KiB).\n"), "\(get)")
                #expect(FileManager.default.contents(atPath: path) == Self.first.bytes)
                // The copy is the user's own.
                try Data("own".utf8).write(to: URL(fileURLWithPath: path))
            }
            let kept = try await sandbox.ferry("get", "--cache", "pool", "-o", "copy.bin", url)
            kept.expect(13)
            let printed = try await sandbox.shell("ferry get --cache pool -o - \(url) | wc -c")
            #expect(printed.output.trimmingCharacters(in: .whitespacesAndNewlines) == "9000")
            #expect(server.requests.count == 1)
        }
    }

    @Test("a pool keeps its limit, and what is pinned")
    func keepsItsLimit() async throws {
        try await served { sandbox, server in
            let urls = (0..<4).map { server.url("\($0).bin") }
            try await sandbox.ferry("cache", "set", "pool", "--max-bytes", "18000").expect(0)
            try await sandbox.ferry("get", "--cache", "pool", urls[0]).expect(0)
            try await sandbox.ferry("cache", "pin", "pool", urls[0]).expect(0)
            for url in urls[1...] { try await sandbox.ferry("get", "--cache", "pool", url).expect(0) }
            #expect(try files(sandbox).count == 3)
            let list = try await sandbox.ferry("cache", "list", "pool")
            list.expect(0)
            #expect(list.output.contains("0.bin (pinned)") && !list.output.contains("1.bin"), "\(list)")
            let size = try await sandbox.ferry("cache", "size", "pool", "--json")
            #expect(
                size.output.contains(#""maxBytes":18000"#) && size.output.contains(#""cachedBytes":18000"#)
                    && size.output.contains(#""pinnedBytes":9000"#),
                "\(size)"
            )
            try await sandbox.ferry("cache", "clear", "pool").expect(0)
            #expect(try files(sandbox).count == 1)
            try await sandbox.ferry("cache", "unpin", "pool", urls[0]).expect(0)
            try await sandbox.ferry("cache", "unpin", "pool", urls[1]).expect(3)
            try await sandbox.ferry("cache", "clear", "pool").expect(0)
            #expect(try files(sandbox) == [])
        }
    }

    @Test("a file that is larger than its pool is served, and is evicted before all others")
    func evictsTheTooLarge() async throws {
        let large = Content(count: 20_000, seed: 83)
        try await ScriptedServer.run { request in
            .serving(request.path.hasSuffix("large.bin") ? large : Self.first, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            try await sandbox.ferry("cache", "set", "pool", "--max-bytes", "18000").expect(0)
            try await sandbox.ferry("get", "--cache", "pool", server.url("a.bin")).expect(0)
            for _ in 0..<2 {
                let get = try await sandbox.ferry("get", "--cache", "pool", server.url("large.bin"))
                get.expect(0)
                let path = get.output.trimmingCharacters(in: .newlines)
                #expect(FileManager.default.contents(atPath: path) == large.bytes)
                #expect(get.errors.contains("`ferry cache pin pool URL` keeps it"), "\(get)")
                #expect(try files(sandbox).count == 2)
            }
            #expect(server.requests.count == 2)
            try await sandbox.ferry("get", "--cache", "pool", server.url("b.bin")).expect(0)
            let list = try await sandbox.ferry("cache", "list", "pool")
            #expect(list.output.contains("a.bin") && list.output.contains("b.bin"), "\(list)")
            #expect(!list.output.contains("large.bin"), "\(list)")
            #expect(try files(sandbox).count == 2)
        }
    }

    @Test(
        "a pool that is not there is not taken for an empty one",
        arguments: ["", "size", "list", "trim", "clear"]
    )
    func refusesAnUnknownPool(_ command: String) async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("cache", "set", "pool", "--fresh-for", "0").expect(0)
            let words = ["cache"] + (command.isEmpty ? [] : [command])
            let outcome = try await sandbox.launch(words + ["lsit"]).outcome()
            outcome.expect(1)
            #expect(outcome.errors.contains("There is no pool lsit"), "\(outcome)")
            try await sandbox.launch(words + (command.isEmpty ? [] : ["pool"])).outcome().expect(0)
        }
    }

    @Test(
        "wrong options and names are refused",
        arguments: [
            "get --cache p -o sub/ --create-dirs http://h/x", "get --cache a/b http://h/x",
            "get --cache p --range 0-1 http://h/x",
            "get --cache p --insecure http://h/x",
            "get --cache p -i list http://h/x", "cache set p", "cache set p --max-bytes x",
            "cache set p --max-age 5",
        ]
    )
    func refuses(_ line: String) async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.shell("ferry \(line)")
            #expect(outcome.status == 64, "\(outcome)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.path(of: "sub")))
        }
    }
}
