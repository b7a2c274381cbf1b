import Foundation
import Testing

/// Servers that stop, come back, or come back with another file.
@Suite("Outages", .limitedParallelism, .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"))
struct OutageTests {
    @Test("a download waits for a stopped server, and resumes when it is back")
    func serverComesBack() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 4 * .mebibyte, seed: 41)
            // At this rate, the server stops before the download ends on any machine.
            try await ScriptedServer.run { request in
                var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
                if request.ordinal == 1 { reply.cut = .init(bytes: 2 * .mebibyte, then: .stall) }
                return reply
            } _: { backend in
                let server = try await sandbox.start(Nginx(), ServerOptions(backend: backend.port))
                let process = try sandbox.launch(["get", "-x", "1", server.url("file.bin")])
                let active = try await sandbox.transferBecomes("under way") { $0.received > .mebibyte }
                await server.stop()
                try await sandbox.transferBecomes("waiting") { $0.state == "waiting" }
                try await server.start()
                try await process.outcome().expect(0)
                try sandbox.expectOnly("file.bin", content)
                let resumed = try #require(server.requests.last { $0.sent > 0 })
                #expect(resumed.status == 206)
                #expect(resumed.start >= active.received)
            }
        }
    }

    @Test("a file that is replaced between two attempts ends as the whole new version")
    func replacedFile() async throws {
        let new = Content(count: 3 * .mebibyte + 7, seed: 43)
        try await afterHalf(of: Content(count: 3 * .mebibyte, seed: 42), replacedBy: new) { sandbox, url in
            let again = try await sandbox.ferry("get", url)
            again.expect(0)
            try sandbox.expectOnly("file.bin", new)
            #expect(again.errors.lowercased().contains("changed"), "it does not say so: \(again.errors)")
        }
    }

    @Test("a replacement of the same length is not mixed with the old version")
    func replacedFileOfSameLength() async throws {
        let new = Content(count: 3 * .mebibyte, seed: 45)
        try await afterHalf(of: Content(count: 3 * .mebibyte, seed: 44), replacedBy: new) { sandbox, url in
            try await sandbox.ferry("get", url).expect(0)
            try sandbox.expectOnly("file.bin", new)
        }
    }

    @Test("with --on-change fail, a replaced file fails the download, and the old bytes stay")
    func replacedFileMayFail() async throws {
        let (old, new) = (
            Content(count: 3 * .mebibyte, seed: 46), Content(count: 3 * .mebibyte + 7, seed: 47)
        )
        try await afterHalf(of: old, ["--on-change", "fail"], replacedBy: new) { sandbox, url in
            try await sandbox.ferry("get", "--on-change", "fail", url).expect(8)
            #expect(try sandbox.fileNames() == ["file.bin.part"])
        }
    }

    @Test("a part file that another program cut or replaced is not resumed")
    func damagedPartFile() async throws {
        for damage in [
            "truncate -s 1000 file.bin.part", "rm file.bin.part", "cp file.bin.part x; mv x file.bin.part",
        ] {
            let content = Content(count: 3 * .mebibyte, seed: 48)
            try await afterHalf(of: content) { sandbox, url in
                try await sandbox.shell(damage).expect(0)
                let again = try await sandbox.ferry("get", url)
                // A foreign file in place of the part file may fail the download, but never lead to a wrong file.
                if again.status == 0 {
                    #expect(content.isWhole(at: sandbox.path(of: "file.bin")), "\(damage)")
                } else {
                    #expect(!(try sandbox.fileNames().contains("file.bin")), "\(damage)")
                }
                if !damage.hasPrefix("cp") { again.expect(0) }
            }
        }
    }

    /// Kills a download in the middle, replaces the file on the server, and then runs `body` with its URL.
    private func afterHalf(
        of content: Content,
        _ options: [String] = [],
        replacedBy new: Content? = nil,
        _ body: (Sandbox, String) async throws -> Void
    ) async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let url = relay.url("file.bin")
                let process = try sandbox.launch(["get", "-x", "1"] + options + [url])
                try await relay.holds()
                try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
                process.send(9)
                _ = try await process.outcome()
                if let new {
                    try sandbox.publish(new, as: "file.bin", modified: .init(timeIntervalSince1970: 1.1e9))
                }
                try await body(sandbox, url)
            }
        }
    }
}
