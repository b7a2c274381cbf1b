import Foundation
import Synchronization
import Testing

/// `ferry mirror` of the files that a manifest names, and `--checksum`.
@Suite("Mirrors of manifests", .limitedParallelism)
struct MirrorManifestTests {
    private static let one = "sha-256=7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    private static let two = "sha-256=3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"

    /// A server of a manifest and of files. Both can be changed.
    private final class Site: Sendable {
        let manifest = Mutex("")
        let files = Mutex(["/pub/one": "one", "/pub/two": "two"])

        func reply(to request: ScriptedRequest) -> ScriptedReply {
            if request.path.hasPrefix("/pub/list.") {
                return ScriptedReply(body: Array(manifest.withLock { $0 }.utf8))
            }
            guard let text = files.withLock({ $0[request.path] }) else { return ScriptedReply(status: 404) }
            // Always the same, so that only digests tell versions apart.
            if request["if-none-match"] == "\"x\"" { return ScriptedReply(status: 304) }
            return ScriptedReply(fields: [("ETag", "\"x\"")], body: Array(text.utf8))
        }
    }

    private func served(_ body: (Site, Sandbox, ScriptedServer) async throws -> Void) async throws {
        let site = Site()
        try await ScriptedServer.run {
            site.reply(to: $0)
        } _: { server in
            try await Sandbox.open { sandbox in try await body(site, sandbox, server) }
        }
    }

    private func texts(of sandbox: Sandbox) throws -> [String: String] {
        try sandbox.copiedFiles().mapValues { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "files are placed by their paths, verified, replaced when their digests change, and removed with --delete"
    )
    func life() async throws {
        try await served { site, sandbox, server in
            let mirror = ["mirror", "--json", "--delete", server.url("pub/list.json"), sandbox.copy]
            site.manifest.withLock {
                $0 = #"""
                    {"files":[{"name":"a","url":"one","size":3,"checksum":"\#(Self.one)"},
                    {"name":"s/b","url":["two"],"size":3,"checksum":"\#(Self.two)"},
                    {"name":"../c","url":"one"},{"name":"/d","url":"one"}]}
                    """#
            }
            let first = try await sandbox.launch(mirror).outcome()
            // Two names are left out.
            first.expect(22)
            #expect(try texts(of: sandbox) == ["a": "one", "s/b": "two"])
            #expect(first.output.contains("../c") && first.output.contains("/d"), "\(first)")
            #expect(try sandbox.fileNames() == ["copy"])
            let count = server.requests.count

            let second = try await sandbox.launch(mirror).outcome()
            second.expect(22)
            #expect(
                try second.summary("unchanged") == 2 && server.requests.count == count + 1,
                "\(second)"
            )

            site.files.withLock { $0["/pub/one"] = "two" }
            site.manifest.withLock {
                $0 = #"[{"name":"a","url":"one","size":3,"checksum":"\#(Self.two)"}]"#
            }
            let third = try await sandbox.launch(mirror).outcome()
            third.expect(0)
            #expect(try third.summary("changed") == 1 && third.summary("deleted") == 1, "\(third)")
            #expect(try texts(of: sandbox) == ["a": "two"])
        }
    }

    @Test("a file without the promised digest is not saved, and a manifest that is cut off removes nothing")
    func broken() async throws {
        try await served { site, sandbox, server in
            let mirror = ["mirror", "--delete", server.url("pub/list.json"), sandbox.copy]
            let whole = #"[{"name":"a","url":"one"},{"name":"b","url":"two","checksum":"\#(Self.one)"}]"#
            site.manifest.withLock { $0 = whole }
            let wrong = try await sandbox.launch(mirror).outcome()
            wrong.expect(32)
            #expect(try texts(of: sandbox) == ["a": "one"], "\(wrong)")
            for text in [String(whole.dropLast()), "[{}]", "<html></html>"] {
                site.manifest.withLock { $0 = text }
                let refused = try await sandbox.launch(mirror).outcome()
                refused.expect(22)
                #expect(refused.errors.contains("cannot be read"), "\(refused)")
                #expect(try texts(of: sandbox) == ["a": "one"])
            }
        }
    }

    @Test("a file of the user in the place of one with a digest does not hold up the deletion of others")
    func ownFile() async throws {
        try await served { site, sandbox, server in
            let mirror = ["mirror", "--delete", server.url("pub/list.json"), sandbox.copy]
            let wrong = #"{"name":"b","url":"two","checksum":"\#(Self.one)"}"#
            let right = #"{"name":"a","url":"one"}"#
            site.manifest.withLock { $0 = #"[\#(right),{"name":"c","url":"one"},\#(wrong)]"# }
            // It is still to be downloaded in the next pass.
            try await sandbox.launch(mirror).outcome().expect(32)
            try "mine".write(toFile: sandbox.copy + "/b", atomically: true, encoding: .utf8)
            site.manifest.withLock { $0 = "[\(right),\(wrong)]" }
            try await sandbox.launch(mirror).outcome().expect(13)
            #expect(try texts(of: sandbox) == ["a": "one", "b": "mine"])
        }
    }

    @Test("a file with the digest of the manifest is not fetched again because of another ETag")
    func otherETag() async throws {
        try await served { site, sandbox, server in
            let mirror = ["mirror", "--json", server.url("pub/list.json"), sandbox.copy]
            site.manifest.withLock {
                $0 = #"[{"name":"a","url":"one","etag":"\"other\"","checksum":"\#(Self.one)"}]"#
            }
            for standing in ["new", "unchanged", "unchanged"] {
                let outcome = try await sandbox.launch(mirror).outcome()
                outcome.expect(0)
                let count = try outcome.summary(standing)
                #expect(count == 1, "\(outcome)")
            }
            #expect(server.requests.filter { $0.path == "/pub/one" }.count == 1)
        }
    }

    @Test("a path below a file that is gone again does not hold up the mirror")
    func pathBelowAFile() async throws {
        try await served { site, sandbox, server in
            let mirror = ["mirror", "--delete", server.url("pub/list.json"), sandbox.copy]
            for (names, status) in [(["w"], 0), (["w", "w/z"], 16), (["w", "n"], 0), (["w", "n"], 0)]
                as [([String], Int32)]
            {
                let files = names.map { #"{"name":"\#($0)","url":"one","etag":"\"x\""}"# }
                site.manifest.withLock { $0 = "[\(files.joined(separator: ","))]" }
                try await sandbox.launch(mirror).outcome().expect(status)
            }
            #expect(try texts(of: sandbox) == ["w": "one", "n": "one"])
        }
    }

    @Test(
        "secrets stay with the server of the manifest, and a file comes from another URL if the first has none"
    )
    func otherServers() async throws {
        let site = Site()
        try await ScriptedServer.run { _ in
            ScriptedReply(body: Array("one".utf8))
        } _: { other in
            try await ScriptedServer.run {
                site.reply(to: $0)
            } _: { sandbox, server in
                let urls = #"["\#(server.url("none"))","\#(other.url("x"))"]"#
                site.manifest.withLock {
                    $0 = #"""
                        [{"name":"a","url":"\#(other.url("a"))"},
                        {"name":"b","url":\#(urls),"size":3,"checksum":"\#(Self.one)"}]
                        """#
                }
                let words = ["-H", "X-Secret: s3cret", server.url("pub/list.json"), sandbox.copy]
                try await sandbox.launch(["mirror"] + words).outcome().expect(0)
                #expect(try texts(of: sandbox) == ["a": "one", "b": "one"])
                #expect(server.requests.contains { $0["x-secret"] == "s3cret" })
                #expect(!other.requests.isEmpty && other.requests.allSatisfy { $0["x-secret"] == nil })
            }
        }
    }

    @Test("a Metalink keeps its folders, and --checksum finds the file that the disk has damaged")
    func checksum() async throws {
        try await served { site, sandbox, server in
            let files = [("s/a", "one", Self.one), ("own", "two", Self.two)].map { name, url, digest in
                """
                <file name="\(name)"><size>3</size><hash type="sha-256">\(digest.dropFirst(8))</hash>\
                <url>\(server.url("pub/\(url)"))</url></file>
                """
            }
            site.manifest.withLock {
                $0 = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files.joined())</metalink>"
            }
            try FileManager.default.createDirectory(
                atPath: sandbox.copy,
                withIntermediateDirectories: true
            )
            // It has what the source has, so it need not come again, but it is the user's.
            try Data("two".utf8).write(to: URL(fileURLWithPath: "\(sandbox.copy)/own"))
            let mirror = ["mirror", "--json", "--delete", server.url("pub/list.meta4"), sandbox.copy]
            let first = try await sandbox.launch(mirror + ["--checksum"]).outcome()
            first.expect(0)
            #expect(try first.summary("new") == 1 && first.summary("unchanged") == 1, "\(first)")
            #expect(!server.requests.contains { $0.path == "/pub/two" })

            let damaged = "\(sandbox.copy)/s/a"
            try sandbox.damage(damaged)
            let unseen = try await sandbox.launch(mirror).outcome()
            #expect(try texts(of: sandbox)["s/a"] == "onE", "\(unseen)")
            let mended = try await sandbox.launch(mirror + ["--checksum"]).outcome()
            mended.expect(0)
            #expect(try texts(of: sandbox) == ["s/a": "one", "own": "two"], "\(mended)")

            site.manifest.withLock {
                $0 = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files[0])</metalink>"
            }
            try await sandbox.launch(mirror).outcome().expect(0)
            #expect(try texts(of: sandbox)["own"] == "two")
        }
    }
}

extension Sandbox {
    /// Changes the last byte of a file in place, so that neither its identity, its length nor its time tells.
    fileprivate func damage(_ path: String) throws {
        var status = stat()
        try #require(stat(path, &status) == 0)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: 2)
        try handle.write(contentsOf: Data("E".utf8))
        try handle.close()
        let times = [status.st_atim, status.st_mtim]
        try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
    }
}
