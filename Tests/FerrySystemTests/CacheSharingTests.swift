import Foundation
import Testing

/// Several `ferry get --cache` with one pool, and what they say when they cannot serve a file.
@Suite("A pool of several commands", .limitedParallelism)
struct CacheSharingTests {
    private static let content = Content(count: 9_000, seed: 91)
    private static let large = Content(count: 3_000_000, seed: 92)
    private static let count = 6

    /// A server whose answers stop in the middle until the gate is open.
    private func gated(_ body: (Sandbox, ScriptedServer, Gate) async throws -> Void) async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            reply.gates = [(4_000, gate)]
            return reply
        } _: { server in
            try await Sandbox.open { try await body($0, server, gate) }
        }
    }

    private func files(_ sandbox: Sandbox) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: sandbox.data + "/cache/pool")
    }

    @Test("commands that copy from a small pool at once all get their files, and the pool keeps its limit")
    func copiesAtOnce() async throws {
        try await gated { sandbox, server, gate in
            try await sandbox.ferry("cache", "set", "pool", "--max-bytes", "9000").expect(0)
            let commands = try (0..<Self.count).map { number in
                let line = ["get", "-q", "--cache", "pool", "-o", "\(number).bin", server.url("\(number)")]
                return try sandbox.launch(line)
            }
            try await Deadline.wait(for: "all requests", said: { "\(server.requests.count)" }) {
                server.requests.count >= Self.count
            }
            gate.open()
            for command in commands {
                let outcome = try await command.outcome()
                outcome.expect(0)
                #expect(outcome.errors.isEmpty, "\(outcome)")
            }
            for number in 0..<Self.count {
                #expect(Self.content.isWhole(at: sandbox.path(of: "\(number).bin")), "\(number)")
            }
            #expect(try files(sandbox).count == 1)
            let list = try await sandbox.ferry("cache", "list", "pool")
            #expect(!list.output.contains("in use"), "\(list)")
        }
    }

    @Test("a file that was evicted before its path was printed is a failure, also with -q")
    func tellsWhatWasEvicted() async throws {
        try await gated { sandbox, server, gate in
            gate.open()
            try await sandbox.ferry("cache", "set", "pool", "--max-bytes", "18000").expect(0)
            let urls = (0..<3).map { server.url("\($0)") }
            let get = try await sandbox.launch(["get", "-q", "--cache", "pool"] + urls).outcome()
            get.expect(1)
            #expect(get.output.split(separator: "\n").count == 2, "\(get)")
            #expect(get.errors.contains("it was evicted or removed"), "\(get)")
        }
    }

    @Test("a download that another command cancels is a failure, also with -q")
    func tellsWhatWasCancelled() async throws {
        try await gated { sandbox, server, _ in
            let get = try sandbox.launch(["get", "-q", "--cache", "pool", "-o", "copy", server.url("a")])
            try await sandbox.transferBecomes("active") { $0.state == "active" }
            try await sandbox.ferry("cancel", "1").expect(0)
            let outcome = try await get.outcome()
            outcome.expect(1)
            #expect(outcome.errors.contains("cancelled"), "\(outcome)")
            #expect(try sandbox.fileNames() == [])
        }
    }

    @Test(
        "a copy that fills its disk leaves nothing there, and the file stays in the pool",
        .enabled(if: SmallDisk.isAllowed, "this user may not mount a file system")
    )
    func copiesToAFullDisk() async throws {
        try await ScriptedServer.run { request in
            .serving(Self.large, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            try await SmallDisk.run(at: sandbox.path(of: "disk"), kibibytes: 2_048) { disk in
                try await sandbox.ferry("get", "--cache", "pool", server.url("a")).expect(0)
                let count = server.requests.count
                let line = ["get", "-q", "--cache", "pool", "-o"]
                for _ in 0..<2 {
                    let full = try await sandbox.launch(line + ["disk/copy", server.url("a")]).outcome()
                    full.expect(9)
                    #expect(!full.errors.isEmpty)
                    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [])
                }
                try await sandbox.launch(line + ["copy", server.url("a")]).outcome().expect(0)
                #expect(Self.large.isWhole(at: sandbox.path(of: "copy")))
                #expect(server.requests.count == count)
            }
        }
    }
}
