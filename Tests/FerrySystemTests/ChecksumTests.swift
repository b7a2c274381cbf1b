import Foundation
import Testing

/// A file is published only if it has the requested digest, by any algorithm.
@Suite("Checksums")
struct ChecksumTests {
    static let content = Content("123456789")

    /// The published check values of these algorithms for the nine digits.
    static let digests: [(option: String, name: String, hex: String)] = [
        (
            "sha512", "sha-512",
            "d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274a"
                + "d27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85"
        ),
        (
            "SHA-384", "sha-384",
            "eb455d56d2c1a69de64e832011f3393d45f3fa31d6842f21af92d2fe469c499d"
                + "a5e3179847334a18479c8d1dedea1be3"
        ),
        ("sha256", "sha-256", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"),
        ("sha1", "sha-1", "f7c3bc1d808e04732adf679965ccc34ca7ae3441"),
        ("MD5", "md5", "25f9e794323b453885f5181f1b624d0b"),
        ("crc64nvme", "crc64nvme", "ae8b14860a799888"),
        ("crc64", "crc64ecma", "995dc9bbdf1939fa"),
        ("crc32c", "crc32c", "e3069283"),
        ("CRC-32", "crc32", "cbf43926"),
    ]

    private func served(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        try await ScriptedServer.run(with: body) { .serving(Self.content, tag: "\"a\"", to: $0) }
    }

    @Test("a file with its digest is published", arguments: digests)
    func match(option: String, name: String, hex: String) async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", "--checksum", "\(option)=\(hex)", server.url("file")).expect(0)
            try sandbox.expectOnly("file", Self.content)
            let shown = try await sandbox.ferry("show", "--json", "1")
            #expect(shown.output.contains("\"\(name)=\(hex)\""))
        }
    }

    @Test(
        "a file with another digest ends with 32 and is not published, and the message names both digests",
        arguments: digests
    )
    func mismatch(option: String, name: String, hex: String) async throws {
        try await served { sandbox, server in
            // Only the last digit differs, so a comparison that stops early would pass.
            let wrong = hex.dropLast() + (hex.last == "0" ? "1" : "0")
            let line = ["get", "--retries", "0", "--checksum", "\(option)=\(wrong)", server.url("file")]
            let outcome = try await sandbox.launch(line).outcome()
            outcome.expect(32)
            #expect(outcome.errors.contains(hex) && outcome.errors.contains(wrong))
            #expect(outcome.errors.contains(name))
            #expect(try !sandbox.fileNames().contains("file"))
        }
    }

    @Test("a stream is digested while it is written", arguments: digests)
    func stream(option: String, name: String, hex: String) async throws {
        try await served { sandbox, server in
            let right = "\(option)=\(hex)"
            let outcome = try await sandbox.ferry("get", "-o", "-", "--checksum", right, server.url("file"))
            outcome.expect(0)
            #expect(outcome.output == "123456789")
            let wrong = "\(option)=\(String(repeating: "0", count: hex.count))"
            let line = ["get", "--retries", "0", "-o", "-", "--checksum", wrong, server.url("other")]
            try await sandbox.launch(line).outcome().expect(32)
        }
    }

    private static let sha256 = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"
    private static let zeros = String(repeating: "0", count: 64)

    private func write(_ text: String, as name: String, _ sandbox: Sandbox) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: sandbox.root + "/" + name))
    }

    @Test("a checksum file gives each download its digest, by its URL or its file name")
    func checksumFile() async throws {
        try await served { sandbox, server in
            try write(
                "\(Self.sha256)  dir/one\n\(Self.sha256) *two\n\(Self.zeros)  three\n",
                as: "SUMS",
                sandbox
            )
            let option = ["--checksum-file", sandbox.root + "/SUMS"]
            let both = ["get"] + option + [server.url("one"), server.url("two?token=1")]
            try await sandbox.launch(both).outcome().expect(0)
            try await sandbox.launch(["get", "-o", "one.iso"] + option + [server.url("download.php")])
                .outcome()
                .expect(64)
            try await sandbox.launch(
                ["get", "-o", "two"] + option + ["--overwrite", server.url("download.php")]
            )
            .outcome().expect(0)
            try await sandbox.launch(["get", "--retries", "0"] + option + [server.url("three")]).outcome()
                .expect(32)
            #expect(try sandbox.fileNames().filter { !$0.hasSuffix(".part") } == ["one", "two"])
            let shown = try await sandbox.ferry("show", "--json", "1")
            #expect(shown.output.contains("sha-256=\(Self.sha256)"))
        }
    }

    @Test("if the checksum file lacks the digest, no request is sent")
    func unlisted() async throws {
        try await served { sandbox, server in
            try write("\(Self.sha256)  a/f\n\(Self.zeros)  b/f\n", as: "SUMS", sandbox)
            let sums = sandbox.root + "/SUMS"
            for name in ["f", "other"] {
                try await sandbox.ferry("get", "--checksum-file", sums, server.url(name)).expect(64)
            }
            try await sandbox.ferry("get", "--checksum-file", sums + "-", server.url("f")).expect(15)
            #expect(server.requests.isEmpty)
            try write(Self.sha256, as: "f.sha256", sandbox)
            try await sandbox.ferry("get", "--checksum-file", sums, server.url("f")).expect(64)
            let alone = sandbox.root + "/f.sha256"
            try await sandbox.ferry("get", "--checksum-file", alone, server.url("f")).expect(0)
        }
    }

    @Test("a finished file is verified again by number and by path, and a change is reported")
    func verify() async throws {
        try await served { sandbox, server in
            let right = "crc32c=e3069283"
            try await sandbox.ferry("get", "--checksum", right, server.url("file")).expect(0)
            try await sandbox.ferry("get", server.url("bare")).expect(0)
            let outcome = try await sandbox.ferry("verify", "1", "./file")
            outcome.expect(0)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix("file: OK") }, "\(lines)")
            let record = try await sandbox.ferry("verify", "--json", "1")
            #expect(record.output.contains("e3069283"), "\(record.output)")
            let bare = try await sandbox.ferry("verify", "./bare")
            bare.expect(1)
            #expect(bare.output.isEmpty && bare.errors.contains("nothing was compared"), "\(bare)")
            #expect(bare.errors.contains("`ferry verify --checksum sha256=HEX 2`"), "\(bare)")
            try await sandbox.ferry("verify", "nothing").expect(1)
            try await sandbox.ferry("verify", "--checksum", "sha256=\(Self.sha256)", "2").expect(0)
            try await sandbox.ferry("verify", "--checksum", "sha256=00", "2").expect(64)
            // The same length, but one bit differs.
            try Data("123456788".utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "file")))
            let changed = try await sandbox.ferry("verify", "--json", "1")
            changed.expect(32)
            #expect(changed.output.contains("\"isRight\":false") && changed.output.contains("e3069283"))
            #expect(changed.errors.contains("checksumMismatch"))
            #expect(try sandbox.fileNames() == ["bare", "file"], "nothing was removed")
            try FileManager.default.removeItem(atPath: sandbox.path(of: "file"))
            try await sandbox.ferry("verify", "1").expect(15)
        }
    }

    @Test("any file is verified against a digest that is given, without a store")
    func foreignFile() async throws {
        try await Sandbox.open { sandbox in
            try Self.content.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "file")))
            let line = "mkdir folder; ln -s file link; sha256sum file > SUMS; cp SUMS folder"
            try await sandbox.shell(line).expect(0)
            let right = ["verify", "--checksum", "sha256=\(Self.sha256)"]
            let outcome = try await sandbox.launch(right + ["file", "link"]).outcome()
            outcome.expect(0)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix("/file: OK") }, "\(outcome)")
            let record = try await sandbox.launch(right + ["--json", "file"]).outcome()
            #expect(record.output.contains("\"id\":null"), "\(record.output)")
            try await sandbox.ferry("verify", "--checksum-file", "SUMS").expect(0)
            try await sandbox.ferry("verify", "--checksum-file", "folder/SUMS", "./file").expect(0)
            // Two names to Linux, and one `String`.
            let (one, other) = ("d\u{E9}", "de\u{301}")
            let twins = "cp file \(one); echo > \(other); sha256sum \(one) > TWINS"
            try await sandbox.shell(twins + "; sed s/\(one)/\(other)/ TWINS >> TWINS").expect(0)
            try await sandbox.ferry("verify", "--checksum-file", "TWINS").expect(32)
            for (name, status) in [("SUMS", Int32(32)), ("folder", 15), ("missing", 15), ("folder/x", 15)] {
                try await sandbox.launch(right + [name]).outcome().expect(status)
            }
            // A file that differs counts more than one that is missing.
            try await sandbox.launch(right + ["missing", "SUMS", "file"]).outcome().expect(32)
            #expect(!FileManager.default.fileExists(atPath: sandbox.data), "no store was made")
            let unknown = try await sandbox.ferry("verify", "file")
            unknown.expect(1)
            #expect(unknown.errors.contains("--checksum"), "\(unknown)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.data), "no store was made")
        }
    }

    @Test("a CRC-64 of Alibaba may be decimal, as its servers print it")
    func decimal() async throws {
        try await served { sandbox, server in
            let right = "crc64ecma=11051210869376104954"
            try await sandbox.ferry("get", "--checksum", right, server.url("file")).expect(0)
            try sandbox.expectOnly("file", Self.content)
        }
    }
}
