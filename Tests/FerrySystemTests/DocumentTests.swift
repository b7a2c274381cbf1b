import Foundation
import Synchronization
import Testing

/// Documents that are fetched before a transfer exists: Metalinks, checksum files, and the digest beside a download.
@Suite("Documents elsewhere")
struct DocumentTests {
    private static let content = Content("123456789")
    private static let sha256 = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"
    private static let md5 = "25f9e794323b453885f5181f1b624d0b"
    private static let zeros = String(repeating: "0", count: 64)

    /// A server of documents by path. Every other path without a suffix has the content.
    private func served(
        _ documents: [String: String],
        _ body: (Sandbox, ScriptedServer) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(with: body) { request in
            let path = String(request.path.prefix { $0 != "?" })
            let framing: ScriptedReply.Framing = request.path.hasSuffix("?chunked") ? .chunked : .length
            if let text = documents[path] {
                // The port is known only now.
                let here = "http://" + (request["host"] ?? "")
                let filled = text.replacingOccurrences(of: "HERE", with: here)
                let fields = [(name: "Content-Type", value: "text/plain")]
                return ScriptedReply(fields: fields, body: Array(filled.utf8), framing: framing)
            }
            if path.contains(".") { return ScriptedReply(status: 404) }
            return .serving(Self.content, tag: "\"a\"", to: request)
        }
    }

    /// Runs ferry, and expects an exit status, no added transfer and no file.
    private func refused(
        _ sandbox: Sandbox,
        _ status: Int32,
        _ arguments: String...,
        saying words: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for command in ["get", "add"] {
            let outcome = try await sandbox.launch([command] + arguments).outcome()
            outcome.expect(status, sourceLocation: sourceLocation)
            #expect(
                outcome.errors.contains(words.isEmpty ? "ferry: " : words),
                "\(outcome.errors)",
                sourceLocation: sourceLocation
            )
            #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
        }
        #expect(try await sandbox.transfers().isEmpty, sourceLocation: sourceLocation)
        #expect(try sandbox.fileNames() == [], sourceLocation: sourceLocation)
    }

    private static func metalink(
        _ hash: String,
        _ urls: [String],
        name: String = "file.iso",
        size: Int = 9
    )
        -> String
    {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="\(name)"><size>\(size)</size>
        <hash type="sha-256">\(hash)</hash>\(urls.map { "<url>\($0)</url>" }.joined())</file></metalink>
        """
    }

    // MARK: Metalinks

    @Test("a Metalink at a URL, in a file or on standard input gives the name and the digest of a download")
    func metalink() async throws {
        let text = Self.metalink(Self.sha256, ["HERE/one"])
        try await served(["/m.meta4": text]) { sandbox, server in
            try await sandbox.ferry("get", "--metalink", server.url("m.meta4")).expect(0)
            try sandbox.expectOnly("file.iso", Self.content)
            let path = sandbox.root + "/m.meta4"
            let local = text.replacingOccurrences(of: "HERE/", with: server.url(""))
            try local.write(toFile: path, atomically: true, encoding: .utf8)
            try await sandbox.ferry("get", "--metalink", path, "-o", "two").expect(0)
            try await sandbox.ferry("get", "--metalink", "-", "-o", "three", input: path).expect(0)
            #expect(try sandbox.fileNames() == ["file.iso", "three", "two"])
            let shown = try await sandbox.ferry("show", "--json", "1", "2", "3").output
            #expect(shown.components(separatedBy: "\"checksum\":\"sha-256=\(Self.sha256)\"").count == 4)
        }
    }

    @Test("a folder of a Metalink that has become a link since it was made is not followed")
    func linkedFolder() async throws {
        let text = Self.metalink(Self.sha256, ["HERE/one"], name: "sub/file.iso")
        try await served(["/m.meta4": text]) { sandbox, server in
            try await sandbox.ferry("add", "--metalink", server.url("m.meta4")).expect(0)
            let (folder, outside) = (sandbox.path(of: "sub"), sandbox.root + "/outside")
            let files = FileManager.default
            try files.removeItem(atPath: folder)
            try files.createDirectory(atPath: outside, withIntermediateDirectories: false)
            try files.createSymbolicLink(atPath: folder, withDestinationPath: outside)
            let run = try await sandbox.ferry("run")
            run.expect(16)
            #expect(run.errors.contains("a link or a file is in the place of a directory"), "\(run)")
            #expect(try files.contentsOfDirectory(atPath: outside) == [])
            try files.removeItem(atPath: folder)
            try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try await sandbox.ferry("retry", "1").expect(0)
            try await sandbox.ferry("run").expect(0)
            #expect(Self.content.isWhole(at: folder + "/file.iso"))
        }
    }

    @Test(
        "folders of a Metalink, and those of --create-dirs, are synced once, before a file is saved into them",
        .enabled(if: FaultInjection.isAllowed, "processes cannot be traced here")
    )
    func synchronizesFolders() async throws {
        let (one, two) = (
            Self.metalink(Self.sha256, ["HERE/one"], name: "sub/in/file.iso"),
            Self.metalink(Self.sha256, ["HERE/two"], name: "sub/at/file.iso")
        )
        let file = try #require(two.range(of: "<file"))
        let text = one.replacingOccurrences(of: "</metalink>", with: String(two[file.lowerBound...]))
        try await served(["/m.meta4": text]) { sandbox, server in
            let line = ["get", "-d", "new/own", "--create-dirs", "--metalink", server.url("m.meta4")]
            let (run, log) = try sandbox.launch(line, injecting: FaultInjection())
            try await run.outcome().expect(0)
            let (calls, root) = (log.calls, sandbox.workingDirectory)
            let saved = try #require(calls.firstIndex { $0.contains(" \(root)/new/own/sub/in/") })
            for (above, made) in [
                ("", "/new"), ("/new", "/new/own"), ("/new/own", "/new/own/sub"),
                ("/new/own/sub", "/new/own/sub/in"),
            ] {
                let call = try #require(
                    calls.lastIndex { $0.hasPrefix("mkdir") && $0.hasSuffix(" \(root)\(made)") },
                    "\(made)"
                )
                let syncs = calls.indices.filter { calls[$0] == "fsync \(root)\(above)" }
                #expect(syncs.count == 1, "\(above)")
                #expect(syncs.allSatisfy { call < $0 && $0 < saved }, "\(above)")
            }
        }
    }

    @Test(
        "a file system that cannot sync directories gets new folders all the same, and one that fails gets no transfer",
        .enabled(if: FaultInjection.isAllowed, "processes cannot be traced here"),
        arguments: [(EINVAL, 0), (EINTR, 0), (EIO, 16)] as [(Int32, Int32)]
    )
    func failsToSynchronizeFolders(number: Int32, status: Int32) async throws {
        try await served([:]) { sandbox, server in
            let root = sandbox.workingDirectory
            let fault = FaultInjection(point: 1, fault: .error(number), call: "fsync", paths: [root])
            let line = ["get", "-d", "new", "--create-dirs", "-o", "file", server.url("one")]
            let (run, log) = try sandbox.launch(line, injecting: fault)
            try await run.outcome().expect(status)
            #expect(log.faultedCall?.hasSuffix("fsync \(root) <-") == true)
            #expect(Self.content.isWhole(at: sandbox.path(of: "new/file")) == (status == 0))
        }
    }

    @Test("a file without the digest of its Metalink is not published")
    func wrongMetalink() async throws {
        try await served(["/m.meta4": Self.metalink(Self.zeros, ["HERE/one"])]) { sandbox, server in
            let line = ["get", "--retries", "0", "--metalink", server.url("m.meta4")]
            try await sandbox.launch(line).outcome().expect(32)
            #expect(try !sandbox.fileNames().contains("file.iso"))
        }
    }

    @Test("a compressed Metalink is decoded")
    func compressedMetalink() async throws {
        let compressed = Mutex<[UInt8]>([])
        try await ScriptedServer.run { request in
            guard request.path == "/m.meta4" else { return .serving(Self.content, tag: "\"a\"", to: request) }
            return ScriptedReply(fields: [("Content-Encoding", "gzip")], body: compressed.withLock { $0 })
        } _: { sandbox, server in
            let path = sandbox.root + "/m.meta4"
            let text = Self.metalink(Self.sha256, [server.url("one")])
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            try await sandbox.shell("gzip '\(path)'").expect(0)
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path + ".gz")))
            compressed.withLock { $0 = bytes }
            try await sandbox.ferry("get", "--metalink", server.url("m.meta4")).expect(0)
            try sandbox.expectOnly("file.iso", Self.content)
        }
    }

    @Test("the contents of a Metalink are recorded with the transfer, its mirrors without their secrets")
    func recordedMetalink() async throws {
        let urls = ["https://one.example/a", "https://me:hunter2@two.example/a?token=tok3n"]
        try await served(["/m.meta4": Self.metalink(Self.sha256, urls)]) { sandbox, server in
            try await sandbox.ferry("add", "--metalink", server.url("m.meta4")).expect(0)
            let shown = try await sandbox.ferry("show", "--json", "1").output
            #expect(shown.contains("\"url\":\"https://one.example/a\""))
            #expect(
                shown.contains(
                    "\"mirrors\":[{\"url\":\"https://two.example/a?token=…\",\"isDiscovered\":false,\"excluded\":null}]"
                )
            )
            #expect(shown.contains("\"length\":9,") && shown.contains("\"name\":\"file.iso\""))
            let text = try await sandbox.ferry("show", "1").output
            #expect(text.contains("Mirror        https://two.example/a?token=…"))
            #expect(!(shown + text).contains("hunter2") && !(shown + text).contains("tok3n"))
        }
    }

    @Test("a Metalink that is malformed, too long, missing or without a URL adds nothing")
    func badMetalink() async throws {
        let documents = [
            "/html.meta4": "<html/>", "/broken.meta4": "<metalink",
            "/ftp.meta4": Self.metalink(Self.zeros, ["ftp://h/f"]),
            "/up.meta4": Self.metalink(Self.zeros, ["HERE/one"], name: "../../evil"),
            "/long.meta4": String(repeating: " ", count: (16 << 20) + 1),
        ]
        try await served(documents) { sandbox, server in
            for name in ["html", "broken", "ftp", "up"] {
                let url = server.url("\(name).meta4")
                try await refused(sandbox, 64, "--metalink", url, saying: url)
            }
            for name in ["long.meta4", "long.meta4?chunked"] {
                try await refused(sandbox, 22, "--metalink", server.url(name), saying: "16.0 MiB")
            }
            try await refused(sandbox, 3, "--metalink", server.url("missing.meta4"), saying: "(404)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.root + "/evil"))
        }
    }

    @Test("the same command resumes even if the Metalink now has its URLs in another order")
    func reorderedMetalink() async throws {
        let long = Content(count: 200_000, seed: 9)
        let isReordered = Flag()
        try await ScriptedServer.run { request in
            if request.path == "/m.meta4" {
                let here = "http://" + (request["host"] ?? "")
                let urls = ["\(here)/one", "\(here)/two"]
                let ordered = (isReordered.isSet ? urls.reversed() : urls).map { "<url>\($0)</url>" }
                let text = """
                    <metalink xmlns="urn:ietf:params:xml:ns:metalink">
                    <file name="file.iso">\(ordered.joined())</file></metalink>
                    """
                return ScriptedReply(body: Array(text.utf8))
            }
            var reply = ScriptedReply.serving(long, tag: "\"a\"", to: request)
            // The first request gets half of the file, from either URL.
            if !isReordered.isSet { reply.cut = .init(bytes: 100_000, then: .hangUp) }
            return reply
        } _: { sandbox, server in
            let line = ["get", "--retries", "0", "--metalink", server.url("m.meta4")]
            let first = try await sandbox.launch(line).outcome()
            #expect(first.exit != .status(0))
            isReordered.set()
            try await sandbox.launch(line).outcome().expect(0)
            try sandbox.expectOnly("file.iso", long)
            #expect(try await sandbox.transfers().map(\.state) == ["completed"])
            #expect(server.requests.contains { $0.rangeStart != nil }, "it went on")
            try await sandbox.launch(line).outcome().expect(0)
            #expect(try await sandbox.transfers().count == 1, "what is complete is not fetched again")
        }
    }

    @Test(
        "the password for a Metalink is not sent to the servers that it names, or to a redirect target"
    )
    func metalinkKeepsSecrets() async throws {
        try await ScriptedServer.run { request in
            let isDocument = request.path == "/m.meta4"
            guard isDocument else { return .serving(Self.content, tag: "\"a\"", to: request) }
            let text = Self.metalink(Self.sha256, ["http://\(request["host"] ?? "")/one"])
            return ScriptedReply(body: Array(text.utf8))
        } _: { other in
            let elsewhere = other.url("m.meta4")
            try await ScriptedServer.run { request in
                ScriptedReply(status: 302, fields: [("Location", elsewhere)])
            } _: { sandbox, first in
                let secrets = ["--user", "anna:s3cret", "-H", "X-Key: k3y"]
                let outcome = try await sandbox.launch(["get", "--metalink", first.url("x")] + secrets)
                    .outcome()
                outcome.expect(0)
                try sandbox.expectOnly("file.iso", Self.content)
                #expect(first.requests.map { $0["authorization"] != nil } == [true])
                #expect(first.requests.map { $0["x-key"] } == ["k3y"])
                #expect(other.requests.count == 2)
                for request in other.requests {
                    #expect(request["authorization"] == nil && request["x-key"] == nil)
                }
                #expect(outcome.errors.contains("are sent to"))
                #expect(!outcome.errors.contains("s3cret") && !outcome.errors.contains("k3y"))
            }
        }
    }

    // MARK: Checksum files

    @Test("a checksum file at a URL works like a local one")
    func checksumFile() async throws {
        let documents = [
            "/SUMS": "\(Self.sha256)  one\n\(Self.zeros) *two\n", "/none": "nothing of use\n",
            "/long": String(repeating: "#", count: (1 << 20) + 1),
            "/exact": "\(Self.sha256)  one\n" + String(repeating: "#", count: (1 << 20) - 70),
        ]
        try await served(documents) { sandbox, server in
            let one = server.url("one")
            try await refused(sandbox, 64, "--checksum-file", server.url("SUMS"), server.url("three"))
            try await refused(
                sandbox,
                64,
                "--checksum-file",
                server.url("none"),
                one,
                saying: "not a checksum file"
            )
            try await refused(sandbox, 22, "--checksum-file", server.url("long"), one, saying: "1.0 MiB")
            try await refused(sandbox, 3, "--checksum-file", server.url("a.sums"), one, saying: "Nothing was")
            #expect(!server.requests.contains { $0.path == "/one" || $0.path == "/three" })
            try await sandbox.ferry("get", "--checksum-file", server.url("SUMS"), one).expect(0)
            try sandbox.expectOnly("one", Self.content)
            try await sandbox.ferry("get", "-o", "1", "--checksum-file", server.url("exact"), one).expect(0)
            let wrong = ["get", "--retries", "0", "--checksum-file", server.url("SUMS"), server.url("two")]
            try await sandbox.launch(wrong).outcome().expect(32)
            #expect(try !sandbox.fileNames().contains("two"))
        }
    }

    @Test("the digest beside a download is found, alone in its file or with a name")
    func sidecar() async throws {
        let documents = [
            "/one.sha256": Self.sha256, "/two.md5": "\(Self.md5)  ./build/two\n",
            "/three.sha1": "nothing of use",
            "/four.sha256": "\(Self.zeros)  four\n", "/five.sha512": "\(Self.sha256)  other\n",
        ]
        try await served(documents) { sandbox, server in
            for (name, status) in [("three", Int32(64)), ("five", 64), ("six", 3)] {
                try await refused(sandbox, status, "--checksum-sidecar", server.url(name), saying: name)
            }
            #expect(!server.requests.contains { !$0.path.contains(".") }, "no download was begun")
            let both = ["get", "--checksum-sidecar", server.url("one?k=1"), server.url("two")]
            try await sandbox.launch(both).outcome().expect(0)
            #expect(try sandbox.fileNames() == ["one", "two"])
            #expect(server.requests.contains { $0.path == "/one.sha256?k=1" })
            let shown = try await sandbox.ferry("show", "--json", "1", "2").output
            #expect(shown.contains("sha-256=\(Self.sha256)") && shown.contains("md5=\(Self.md5)"))
            let wrong = ["get", "--retries", "0", "--checksum-sidecar", server.url("four")]
            try await sandbox.launch(wrong).outcome().expect(32)
            #expect(try !sandbox.fileNames().contains("four"))
        }
    }

    @Test("finished files are verified against a checksum file, local or at a URL, by name or all of them")
    func verify() async throws {
        let documents = [
            "/SUMS": "\(Self.sha256)  one\n\(Self.zeros)  two\n\(Self.zeros)  not-here\n",
            "/RIGHT": "\(Self.sha256)  ./one\n\(Self.sha256)  two\n",
        ]
        try await served(documents) { sandbox, server in
            try await sandbox.ferry("get", server.url("one"), server.url("two")).expect(0)
            let right = try await sandbox.ferry("verify", "--checksum-file", server.url("RIGHT"))
            right.expect(0)
            #expect(right.output.split(separator: "\n").count == 2)
            let sums = server.url("SUMS")
            try await sandbox.ferry("verify", "--checksum-file", sums, "one").expect(0)
            try await sandbox.ferry("verify", "--checksum-file", sums, "1").expect(0)
            try await sandbox.ferry("verify", "--checksum-file", sums, "./two").expect(32)
            let all = try await sandbox.ferry("verify", "--checksum-file", sums)
            all.expect(32)
            #expect(all.output.contains("one: OK") && all.errors.contains("not-here does not exist"))
            let some = try await sandbox.ferry("verify", "--checksum-file", sums, "--ignore-missing")
            some.expect(32)
            #expect(some.errors.contains("do not exist: 1.") && !some.errors.contains("not-here"))
            let path = sandbox.root + "/SUMS"
            // Only by its path can it be told from another one of its name.
            try "\(Self.zeros)  sub/one\n\(Self.sha256)  one\n".write(
                toFile: path,
                atomically: true,
                encoding: .utf8
            )
            try await sandbox.ferry("verify", "--checksum-file", path, "./one").expect(0)
            try await sandbox.ferry("verify", "--checksum-file", path).expect(15)
            try await sandbox.ferry("verify", "--checksum-file", path, "--ignore-missing").expect(0)
            try "\(Self.zeros)  3\n".write(toFile: path, atomically: true, encoding: .utf8)
            try await sandbox.ferry("verify", "--checksum-file", path).expect(15)
            try await sandbox.ferry("verify", "--checksum-file", path, "--ignore-missing").expect(15)
            try await sandbox.ferry("verify", "--checksum-file", path, "--ignore-missing", "1").expect(64)
            try await sandbox.ferry("verify", "--checksum-file", path, "1", "99").expect(64)
            try await sandbox.ferry("verify", "--checksum-file", "-", "1", input: "/dev/null").expect(64)
            try await sandbox.ferry("verify", "--checksum-file", server.url("a.b"), "1").expect(3)
            try await sandbox.ferry("verify", "--checksum-file", path + "-", "1").expect(15)
            try await sandbox.ferry("verify").expect(64)
            try await sandbox.ferry("verify", "--checksum-file", sums, "--checksum", "md5=\(Self.md5)", "1")
                .expect(64)
        }
    }
}
