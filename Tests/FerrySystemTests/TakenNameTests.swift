import Foundation
import Testing

/// Two downloads with the same file name: neither is lost, and a message says which transfer has the name.
@Suite(
    "Taken names",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
)
struct TakenNameTests {
    @Test(
        "the message about a paused transfer's part file has the transfer's number, and no advice to move the file"
    )
    func pausedPart() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 4 * .mebibyte, seed: 311)
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let first = try sandbox.launch(["get", "-x", "1", relay.url("file.bin")])
                try await relay.holds()
                try await sandbox.ferry("pause", "1").expect(0)
                try await first.outcome().expect(7)
                let second = try await sandbox.ferry("get", server.url("file.bin"))
                second.expect(13)
                #expect(second.errors.contains("Transfer 1 has that name; it is paused"), "\(second)")
                #expect(!second.errors.contains("move it away"), "\(second)")
                try await sandbox.ferry("resume", "1").expect(0)
            }
            try sandbox.expectOnly("file.bin", content)
        }
    }

    @Test(
        "a directory that appears under the name is never replaced, and no hint suggests --overwrite"
    )
    func directoryMeanwhile() async throws {
        let content = Content(count: 300_000, seed: 314)
        for policy in [[], ["--overwrite"]] {
            let gate = Gate()
            try await ScriptedServer.run { request in
                var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
                reply.gates = [(100_000, gate)]
                return reply
            } _: { sandbox, server in
                let line = ["get", "-x", "1", "--retries", "0"] + policy + [server.url("file.bin")]
                let running = try sandbox.launch(line)
                try await sandbox.transferBecomes("begun") { $0.received > 0 }
                try FileManager.default.createDirectory(
                    atPath: sandbox.path(of: "file.bin"),
                    withIntermediateDirectories: false
                )
                gate.open()
                let outcome = try await running.outcome()
                outcome.expect(13)
                #expect(outcome.errors.contains("A directory named"), "\(outcome.errors)")
                #expect(!outcome.errors.contains("--overwrite"), "\(outcome.errors)")
                #expect(outcome.errors.contains("or -o NAME"), "\(outcome.errors)")
            }
        }
    }

    /// A small file gets its name only when it takes longer than expected. By then another file may have the name.
    @Test("with --auto-rename, several slow small files of one name each get a number")
    func slowFilesOfOneName() async throws {
        let contents = (0..<3).map { Content(count: 300_000, seed: 320 + UInt64($0)) }
        let gate = Gate()
        try await ScriptedServer.run { request in
            let number = request.path.split(separator: "/").first.flatMap { Int($0) } ?? 0
            var reply = ScriptedReply.serving(contents[number], tag: "\"\(number)\"", to: request)
            reply.gates = [(100_000, gate)]
            return reply
        } _: { sandbox, server in
            let urls = contents.indices.map { server.url("\($0)/file.bin") }
            let running = try sandbox.launch(
                ["get", "--auto-rename", "--retries", "0", "-x", "1"] + urls
            )
            try await sandbox.transfersBecome("begun") { all in
                all.count == urls.count && all.allSatisfy { $0.received > 0 }
            }
            gate.open()
            try await running.outcome().expect(0)
            let names = try sandbox.fileNames()
            #expect(names.sorted() == ["file.1.bin", "file.2.bin", "file.bin"])
            for content in contents {
                #expect(names.contains { content.isWhole(at: sandbox.path(of: $0)) })
            }
        }
    }

    @Test("the second of two downloads with one name is told which transfer has it, and to number the others")
    func twins() async throws {
        try await ScriptedServer.run { request in
            .serving(Content("abc"), tag: "\"a\"", to: request)
        } _: { sandbox, server in
            let urls = ["a", "b"].map { server.url("\($0)/file.bin") }
            let outcome = try await sandbox.launch(["get", "-j", "1"] + urls).outcome()
            outcome.expect(13)
            // The second may begin before the end of the first is recorded.
            let (saved, fetching) = ("Transfer 1 has saved it since.", "Transfer 1 is fetching")
            #expect([saved, fetching].contains { outcome.errors.contains($0) }, "\(outcome)")
            #expect(outcome.errors.contains("line with --auto-rename to keep both"), "\(outcome)")
            #expect(!outcome.errors.contains("--overwrite"), "\(outcome)")
        }
    }

    @Test(
        "the second of two downloads to which their servers give one name does not replace the first",
        arguments: [[], ["--overwrite"]]
    )
    func nameFromTwoServers(policy: [String]) async throws {
        let contents = [Content("abc"), Content("defg")]
        try await ScriptedServer.run { request in
            let isFirst = request.path == "/a"
            var reply = ScriptedReply.serving(contents[isFirst ? 0 : 1], tag: "\"\(isFirst)\"", to: request)
            reply.fields.append(("Content-Disposition", "attachment; filename=\"file.bin\""))
            return reply
        } _: { sandbox, server in
            let line = ["get", "-j", "1"] + policy
            let urls = ["a", "b"].map { server.url($0) }
            let outcome = try await sandbox.launch(line + urls).outcome()
            outcome.expect(13)
            #expect(outcome.errors.contains("ransfer 1"), "\(outcome)")
            #expect(outcome.errors.contains("--auto-rename"), "\(outcome)")
            #expect(!outcome.errors.contains("--overwrite"), "\(outcome)")
            #expect(contents[0].isWhole(at: sandbox.path(of: "file.bin")))
            #expect(try sandbox.fileNames().sorted() == ["file.bin"])
            // A later command knows the file, and may replace it.
            try await sandbox.launch(["get", "--overwrite", server.url("c")]).outcome().expect(0)
            #expect(contents[1].isWhole(at: sandbox.path(of: "file.bin")))
        }
    }

    @Test(
        "a file that already exists is checked against the requested digest, and kept",
        arguments: [["--no-clobber"], []]
    )
    func skippedWithDigest(policy: [String]) async throws {
        // An example of FIPS 180-4 gives the digest of these three letters.
        let digest = "sha256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        for (mine, status) in [("abc", 0), ("abd", 32)] as [(String, Int32)] {
            try await ScriptedServer.run { request in
                .serving(Content("abc"), tag: "\"a\"", to: request)
            } _: { sandbox, server in
                try Content(mine).bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "file.bin")))
                let line = ["get", "--checksum", digest, server.url("file.bin")] + policy
                let outcome = try await sandbox.launch(line).outcome()
                outcome.expect(status)
                let said = status == 0 ? "(sha-256 verified)." : "It was not changed."
                #expect(outcome.errors.contains(said), "\(outcome)")
                try sandbox.expectOnly("file.bin", Content(mine))
            }
        }
    }

    @Test(
        "a name from a server or a URL is never that of another download's part file",
        arguments: [false, true]
    )
    func nameOfAPartFile(isReversed: Bool) async throws {
        let (x, other) = (Content(count: 700_000, seed: 312), Content(count: 50_000, seed: 313))
        try await ScriptedServer.run { request in
            guard request.path != "/x" else { return .serving(x, tag: "\"x\"", to: request) }
            var reply = ScriptedReply.serving(other, tag: "\"o\"", to: request)
            reply.fields.append(("Content-Disposition", "attachment; filename=\"x.part\""))
            return reply
        } _: { server in
            for policy in [[], ["--overwrite"], ["--no-clobber"]] {
                try await Sandbox.open { sandbox in
                    let urls = [server.url("x"), server.url("other")]
                    let line = ["get"] + policy + (isReversed ? urls.reversed() : urls)
                    try await sandbox.launch(line).outcome().expect(0)
                    #expect(try sandbox.fileNames() == ["x", "x_part"])
                    #expect(
                        x.isWhole(at: sandbox.path(of: "x")) && other.isWhole(at: sandbox.path(of: "x_part"))
                    )
                    try await sandbox.ferry("get", server.url("x.part")).expect(13)
                }
            }
        }
    }
}
