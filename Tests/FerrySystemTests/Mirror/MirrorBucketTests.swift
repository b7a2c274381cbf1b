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
        let objects = (0..<2).map { index in
            let key = "photos/\(number)/\(index).txt"
            return "<Contents><Key>\(key)</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified>"
                + "<ETag>&quot;\(number)\(index)&quot;</ETag><Size>\(key.utf8.count)</Size></Contents>"
        }
        let isLast = number + 1 == pages
        let rest = isLast ? "" : "<NextContinuationToken>page-\(number + 1)</NextContinuationToken>"
        let body =
            "<ListBucketResult><IsTruncated>\(!isLast)</IsTruncated>\(rest)\(objects.joined())</ListBucketResult>"
        return ScriptedReply(fields: [("Content-Type", "application/xml")], body: Array(body.utf8))
    }

    /// Whether a request asks for a page, and for which one.
    private static func asked(_ request: ScriptedRequest) -> Int? {
        guard request.path.contains("list-type=2") else { return nil }
        guard let token = request.path.firstRange(of: "continuation-token=page-") else { return 0 }
        return Int(request.path[token.upperBound...].prefix { $0.isNumber })
    }

    @Test("a listing that was killed resumes with the page that was not noted", arguments: [1, 3, 5])
    func resumes(page victim: Int) async throws {
        let process = Mutex<ChildProcess?>(nil)
        try await ScriptedServer.run { request in
            guard let number = Self.asked(request) else {
                let key = String(request.path.split(separator: "?")[0].dropFirst("/bucket/".count))
                return ScriptedReply(fields: [("ETag", "\"x\"")], body: Array(key.utf8))
            }
            if number == victim {
                process.withLock { running in
                    running?.send(SIGKILL)
                    running = nil
                }
            }
            return Self.page(number)
        } _: { server in
            try await Sandbox.open { sandbox in
                let mirror = [
                    "mirror", "--json", "s3://bucket/photos/", sandbox.copy, "--endpoint",
                    "http://127.0.0.1:\(server.port)", "--path-style", "--region", "us-east-1",
                ]
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
                #expect(asked == Array(victim..<Self.pages), "\(asked)")
                #expect(try second.summary("new") == 2 * Self.pages, "\(second)")
                #expect(try sandbox.copiedFiles().count == 2 * Self.pages)
            }
        }
    }
}
