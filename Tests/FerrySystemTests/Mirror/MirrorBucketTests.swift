import Foundation
import Synchronization
import Testing

/// `ferry mirror` of objects.
@Suite("Mirrors of buckets", .limitedParallelism)
struct MirrorBucketTests {
    private func ferry(_ sandbox: Sandbox, _ words: [String]) async throws -> Outcome {
        try await sandbox.launch(words, environment: SeaweedFS.keys).outcome()
    }

    @Test(
        "objects of a real store are copied, and only what has changed is fetched again",
        .enabled(if: Tool.seaweed.isInstalled, "SeaweedFS is not installed; scripts/test installs it")
    )
    func store() async throws {
        try await Sandbox.open { sandbox in
            let place = try await sandbox.startStore()
            for path in ["a.txt", "b c.txt", "sub/é.txt", "sub/deep/x+y%20.txt"] {
                try sandbox.publish(Content("of \(path)"), at: path)
            }
            let put = ["put", "-r", sandbox.site, "s3://bucket/photos/"] + place
            try await ferry(sandbox, put).expect(0)
            let mirror = ["mirror", "--json", "s3://bucket/photos/", sandbox.copy] + place
            let first = try await ferry(sandbox, mirror)
            first.expect(0)
            #expect(try first.summary("new") == 4, "\(first)")
            #expect(try sandbox.copiedFiles() == sandbox.publishedFiles())

            let second = try await ferry(sandbox, mirror)
            second.expect(0)
            #expect(try second.summary("unchanged") == 4 && second.summary("received") == 0, "\(second)")

            // Everything is here, but not by this mirror.
            let elsewhere = ["mirror", "--json", "--checksum", "s3://bucket/photos/", sandbox.site] + place
            let compared = try await ferry(sandbox, elsewhere)
            compared.expect(0)
            #expect(
                try compared.summary("unchanged") == 4 && compared.summary("received") == 0,
                "\(compared)"
            )

            // Of the same length, so that only the ETag or the time tells.
            try sandbox.publish(
                Content("OF a.txt"),
                at: "a.txt",
                modified: Date(timeIntervalSince1970: 1.1e9)
            )
            try await ferry(sandbox, put).expect(0)
            let third = try await ferry(sandbox, mirror)
            third.expect(0)
            #expect(try third.summary("changed") == 1 && third.summary("completed") == 1, "\(third)")
            #expect(try sandbox.copiedFiles() == sandbox.publishedFiles())
        }
    }

    /// A store that lists this many pages of two objects.
    private static let pages = 6

    private static func page(_ number: Int) -> ScriptedReply {
        let objects = (0..<2).map { (key: "photos/\(number)/\($0).txt", tag: "\(number)\($0)") }
        return page(of: objects, next: number + 1 == pages ? nil : number + 1)
    }

    /// A page of these objects, and the number of the next one.
    private static func page(of objects: [(key: String, tag: String)], next: Int?) -> ScriptedReply {
        let contents = objects.map { key, tag in
            "<Contents><Key>\(key)</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified>"
                + "<ETag>&quot;\(tag)&quot;</ETag><Size>\(key.utf8.count)</Size></Contents>"
        }
        let rest = next.map { "<NextContinuationToken>page-\($0)</NextContinuationToken>" } ?? ""
        let body =
            "<ListBucketResult><IsTruncated>\(next != nil)</IsTruncated>\(rest)\(contents.joined())</ListBucketResult>"
        return ScriptedReply(fields: [("Content-Type", "application/xml")], body: Array(body.utf8))
    }

    /// An object, whose bytes are its key.
    private static func object(_ request: ScriptedRequest) -> ScriptedReply {
        let key = String(request.path.split(separator: "?")[0].dropFirst("/bucket/".count))
        return ScriptedReply(fields: [("ETag", "\"x\"")], body: Array(key.utf8))
    }

    private static func mirror(_ server: ScriptedServer, _ sandbox: Sandbox) -> [String] {
        [
            "mirror", "--json", "s3://bucket/photos/", sandbox.copy, "--endpoint",
            "http://127.0.0.1:\(server.port)", "--path-style", "--region", "us-east-1",
        ]
    }

    /// Whether a request asks for a page, and for which one.
    private static func asked(_ request: ScriptedRequest) -> Int? {
        guard request.path.contains("list-type=2") else { return nil }
        guard let token = request.path.firstRange(of: "continuation-token=page-") else { return 0 }
        return Int(request.path[token.upperBound...].prefix { $0.isNumber })
    }

    /// Mirrors until the command is killed because it asks for a page. Then mirrors again.
    ///
    /// - Parameters:
    ///   - isForgotten: whether the store refuses that page when it is asked for it first after that.
    ///   - expected: the pages that the second command must ask for.
    private func mirrorTwice(
        killedAt victim: Int,
        isForgotten: Bool = false,
        asking expected: [Int]
    ) async throws {
        let process = Mutex<ChildProcess?>(nil)
        try await ScriptedServer.run { request in
            guard let number = Self.asked(request) else { return Self.object(request) }
            if number == victim {
                process.withLock { running in
                    running?.send(SIGKILL)
                    running = nil
                }
                if isForgotten, request.ordinal == 2 {
                    let body = Array("<Error><Code>InvalidArgument</Code></Error>".utf8)
                    return ScriptedReply(status: 400, body: body)
                }
            }
            return Self.page(number)
        } _: { sandbox, server in
            let mirror = Self.mirror(server, sandbox)
            // The server does not answer before this process is known.
            try process.withLock { running in
                running = try sandbox.launch(mirror, environment: SeaweedFS.keys)
            }
            let child = try #require(process.withLock { $0 })
            #expect(try await child.outcome().exit == .signal(SIGKILL))
            let before = server.requests.count
            let second = try await ferry(sandbox, mirror)
            second.expect(0)
            let asked = server.requests[before...].compactMap(Self.asked)
            #expect(asked == expected, "\(asked)")
            #expect(try second.summary("new") == 2 * Self.pages, "\(second)")
            #expect(try sandbox.copiedFiles().count == 2 * Self.pages)
        }
    }

    @Test("a listing that was killed resumes with the page that was not noted", arguments: [1, 3, 5])
    func resumes(page victim: Int) async throws {
        try await mirrorTwice(killedAt: victim, asking: Array(victim..<Self.pages))
    }

    @Test("a listing whose place the store no longer knows begins again, and nothing is missing")
    func forgottenPlace() async throws {
        try await mirrorTwice(killedAt: 3, isForgotten: true, asking: [3] + Array(0..<Self.pages))
    }

    @Test("hostile keys, keys that differ in case only, a page that comes twice and a changed key do no harm")
    func hostileListing() async throws {
        let names = ["../x.txt", "/etc/passwd", "A.txt", "CON", "a.txt", "dir", "dir/below.txt", "ok.txt"]
        let page = names.map { (key: "photos/\($0)", tag: "1") }
        let pages = [page, page, [(key: "photos/ok.txt", tag: "2"), (key: "photos/z.txt", tag: "1")]]
        try await ScriptedServer.run { request in
            guard let number = Self.asked(request) else { return Self.object(request) }
            return Self.page(of: pages[number], next: number + 1 == pages.count ? nil : number + 1)
        } _: { sandbox, server in
            let outcome = try await ferry(sandbox, Self.mirror(server, sandbox))
            // Here, no name can be that of a file and of a directory.
            outcome.expect(16)
            #expect(try outcome.summary("new") == 7 && outcome.summary("refused") == 4, "\(outcome)")
            #expect(try outcome.summary("notDownloaded") == 1, "\(outcome)")
            let files = try sandbox.copiedFiles().mapValues { String(decoding: $0, as: UTF8.self) }
            let placed = ["A.txt", "CON", "a.txt", "dir/below.txt", "ok.txt", "z.txt"]
            let paths = ["A.txt", "_CON", "a.txt", "dir/below.txt", "ok.txt", "z.txt"]
            #expect(files.keys.sorted() == paths)
            #expect(files.values.sorted() == placed.map { "photos/\($0)" })
            #expect(try sandbox.fileNames() == ["copy"])
            let asked = server.requests.filter { Self.asked($0) == nil }.map(\.path)
            #expect(asked.sorted() == placed.map { "/bucket/photos/\($0)" })
        }
    }
}
