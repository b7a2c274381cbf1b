import Foundation
import Testing

/// `ferry mirror` of directories that real servers list.
@Suite("Mirrors of real servers", .limitedParallelism)
struct MirrorServersTests {
    /// A server, and whether its listings tell the times of files.
    private struct Listed {
        let kind: any ServerKind
        var takesFiles = false
        var tellsTimes = true
    }

    /// The site, with names that listings write in different ways.
    private func publish(in sandbox: Sandbox) throws {
        for (number, path) in [
            "a b+c%.txt", "big.bin", "sub/ü&q1.txt", "sub/deep/#hash.txt", "sub/x;y.bin",
        ].enumerated() {
            try sandbox.publish(Content(count: 5_000 + 70_000 * number, seed: UInt64(number + 1)), at: path)
        }
        try FileManager.default.createDirectory(
            atPath: sandbox.site + "/none",
            withIntermediateDirectories: true
        )
    }

    /// Mirrors a server three times: all, nothing new, and what has changed.
    private func mirrors(_ listed: Listed) async throws {
        try await Sandbox.open { sandbox in
            try publish(in: sandbox)
            let server = try await sandbox.start(
                listed.kind,
                ServerOptions(takesFiles: listed.takesFiles, listsDirectories: true)
            )
            // Its log tells what was requested.
            let front = try await sandbox.start(Nginx(), ServerOptions(backend: server.port))
            let mirror = ["mirror", "--json", front.url(""), sandbox.copy]
            let first = try await sandbox.launch(mirror).outcome()
            first.expect(0)
            #expect(try sandbox.copiedFiles() == sandbox.publishedFiles())
            #expect(try first.summary("new") == 5 && first.summary("completed") == 5)

            let records = try await sandbox.transfers().count
            try await front.becomesIdle()
            let before = front.requests.count
            let second = try await sandbox.launch(mirror).outcome()
            second.expect(0)
            #expect(try second.summary("unchanged") == 5 && second.summary("changed") == 0, "\(second)")
            #expect(try await sandbox.transfers().count == records, "an unchanged file adds no record")
            try await front.becomesIdle()
            let files = front.requests[before...].filter { !$0.path.hasSuffix("/") }
            if listed.tellsTimes {
                #expect(files.isEmpty, "\(files)")
            } else {
                #expect(files.count == 5 && files.allSatisfy { $0.status == 304 }, "\(files)")
            }

            let date = Date(timeIntervalSince1970: 1.1e9)
            try sandbox.publish(Content("another version"), at: "sub/deep/#hash.txt", modified: date)
            try sandbox.publish(Content("one more"), at: "added.txt", modified: date)
            let third = try await sandbox.launch(mirror).outcome()
            third.expect(0)
            #expect(try sandbox.copiedFiles() == sandbox.publishedFiles())
            #expect(try third.summary("new") == 1 && third.summary("changed") == 1, "\(third)")
            #expect(try third.summary("unchanged") == 4, "\(third)")
        }
    }

    @Test("pages of nginx", .enabled(if: Tool.nginx.isInstalled))
    func nginx() async throws { try await mirrors(Listed(kind: Nginx())) }

    @Test("pages of Apache", .enabled(if: Tool.apache.isInstalled && Tool.nginx.isInstalled))
    func apache() async throws { try await mirrors(Listed(kind: Apache())) }

    @Test("WebDAV of Apache", .enabled(if: Tool.apache.isInstalled && Tool.nginx.isInstalled))
    func webDAV() async throws { try await mirrors(Listed(kind: Apache(), takesFiles: true)) }

    @Test("pages of lighttpd", .enabled(if: Tool.lighttpd.isInstalled && Tool.nginx.isInstalled))
    func lighttpd() async throws { try await mirrors(Listed(kind: Lighttpd())) }

    @Test("pages of Caddy", .enabled(if: Tool.caddy.isInstalled && Tool.nginx.isInstalled))
    func caddy() async throws { try await mirrors(Listed(kind: Caddy())) }

    @Test(
        "pages of Python, which tell no times",
        .enabled(if: Tool.python.isInstalled && Tool.nginx.isInstalled)
    )
    func python() async throws { try await mirrors(Listed(kind: PythonHTTPServer(), tellsTimes: false)) }
}
