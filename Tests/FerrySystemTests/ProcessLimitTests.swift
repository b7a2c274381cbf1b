import Foundation
import Glibc
import Testing

/// A user's limits (`ulimit`): ferry works within them, or says which limit is too low.
@Suite(
    "Limits of the process",
    .limitedParallelism,
    .enabled(if: Sanitizer.inUse == nil, "sanitizers take all memory")
)
struct ProcessLimitTests {
    static let content = Content(count: 20_000, seed: 801)
    static let count = 200

    private func served(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        try await ScriptedServer.run {
            .serving(Self.content, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            let list = (0..<Self.count).map { server.url("f\($0)") }.joined(separator: "\n")
            try Data(list.utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "list")))
            try await body(sandbox, server)
        }
    }

    @Test(
        "with few descriptors, hundreds of transfers complete, with any number of jobs and connections",
        arguments: [64, 256]
    )
    func fewDescriptors(_ limit: Int) async throws {
        try await served { sandbox, _ in
            let outcome = try await sandbox.shell("ulimit -n \(limit); ferry get -i list -d . -j 100 -x 16")
            outcome.expect(0)
            #expect(try sandbox.fileNames().count == Self.count + 1)
        }
    }

    @Test("with too few descriptors, it says so and starts nothing", arguments: [10, 20, 32])
    func tooFewDescriptors(_ limit: Int) async throws {
        try await served { sandbox, server in
            let outcome = try await sandbox.shell("ulimit -n \(limit); ferry get -i list -j 100")
            outcome.expect(15)
            #expect(outcome.errors.contains("may have \(limit) files open at once"), "\(outcome.errors)")
            #expect(outcome.errors.contains("ulimit -n"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("a command that only reads needs few descriptors")
    func fewDescriptorsToLook() async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("add", server.url("f")).expect(0)
            for command in [
                "list", "list --json", "show 1", "doctor", "config", "queue list",
                "watch 1 --json | head -n 1",
            ] {
                let outcome = try await sandbox.shell("ulimit -n 40; ferry \(command)")
                outcome.expect(0)
                #expect(!outcome.errors.contains("files open at once"), "\(outcome.errors)")
            }
            let refused = try await sandbox.shell("ulimit -n 20; ferry list")
            refused.expect(15)
            #expect(refused.errors.contains("ulimit -n"), "\(refused.errors)")
        }
    }

    @Test("a soft limit of descriptors is raised to the hard one")
    func softLimit() async throws {
        try await served { sandbox, _ in
            try await sandbox.shell("ulimit -S -n 20; ferry get -i list -j 100").expect(0)
            #expect(try sandbox.fileNames().count == Self.count + 1)
        }
    }

    @Test("with too little memory, it says so")
    func tooLittleMemory() async throws {
        try await served { sandbox, server in
            let outcome = try await sandbox.shell("ulimit -v 200000; ferry get -i list")
            outcome.expect(1)
            #expect(outcome.errors.contains("of address space"), "\(outcome.errors)")
            #expect(outcome.errors.contains("ulimit -v"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "with too few threads, it says so",
        .enabled(if: Tool("setpriv").isInstalled && Tool("prlimit").isInstalled && getuid() == 0, "not root"),
        arguments: [2, 6, 12]
    )
    func tooFewThreads(_ limit: Int) async throws {
        try await served { sandbox, server in
            // The limit does not apply to root. No other process has this user number.
            let outcome = try await sandbox.shell(
                "setpriv --reuid 64321 --clear-groups prlimit --nproc=\(limit) "
                    + "'\(Repository.ferry)' get '\(server.url("f"))'"
            )
            outcome.expect(1)
            #expect(outcome.errors.contains("threads"), "\(outcome.errors)")
            #expect(outcome.errors.contains("ulimit -u"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("the file size limit fails the file or the store, and the message names the limit")
    func fileLength() async throws {
        let large = Content(count: 8 * .mebibyte, seed: 802)
        try await ScriptedServer.run {
            .serving(large, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            // In units of 512 bytes.
            let noStore = try await sandbox.shell("ulimit -f 8; ferry get '\(server.url("f"))'")
            noStore.expect(1)
            #expect(noStore.errors.contains("ulimit -f"), "\(noStore.errors)")
            let noFile = try await sandbox.shell("ulimit -f 8192; ferry get '\(server.url("f"))'")
            noFile.expect(16)
            #expect(noFile.errors.contains("ulimit -f"), "\(noFile.errors)")
            try await sandbox.shell("ferry retry 1").expect(0)
            try sandbox.expectOnly("f", large)
        }
    }
}
