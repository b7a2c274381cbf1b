import Foundation
import Testing

/// What commands open that run nothing, as the kernel sees it.
@Suite(
    "The cost of steering",
    .limitedParallelism,
    .enabled(if: Tool.canTrace, "strace cannot trace here")
)
struct SteeringCostTests {
    /// Things that only running a transfer needs.
    enum Luxury: String, CaseIterable {
        case socket = "socket("
        /// The name that NIO gives the thread of an event loop.
        case eventLoop = "PR_SET_NAME, \"NIO-"
        /// The name that NIO gives the threads of a pool.
        case ioThread = "PR_SET_NAME, \"TP-"
    }

    /// The luxuries that a command opens.
    private func opened(by words: [String], in sandbox: Sandbox) async throws -> Set<Luxury> {
        let log = sandbox.root + "/calls"
        // A question mark lets strace ignore a call that this machine does not have.
        let calls = "trace=socket,?socketpair,prctl,execve"
        let process = try sandbox.launch(
            executable: try Tool.strace.requiredPath(),
            ["-f", "-qq", "-s", "64", "-o", log, "-e", calls, Repository.ferry] + words
        )
        _ = try await process.outcome()
        let text = try String(contentsOfFile: log, encoding: .utf8)
        #expect(text.contains("execve("), "nothing was traced")
        return Set(Luxury.allCases.filter { text.contains($0.rawValue) })
    }

    /// Neither has a part file. To remove one takes an I/O thread.
    private func addTwo(to sandbox: Sandbox) async throws {
        for name in ["a", "b"] { try await sandbox.ferry("add", "http://127.0.0.1:9/\(name)").expect(0) }
    }

    @Test(
        "no socket, no event loop and no I/O thread",
        arguments: [
            "list", "list --all --json", "show 1", "pause 1", "pause --all", "resume --detach 1",
            "resume --detach --all", "retry --detach 1", "edit 1 --priority 3", "cancel 2", "prune --keep 1",
            "queue list", "queue set q --slots 3", "queue pause q", "queue resume q",
        ]
    )
    func opensNothing(_ command: String) async throws {
        try await Sandbox.open { sandbox in
            try await addTwo(to: sandbox)
            let words = command.split(separator: " ").map(String.init)
            let found = try await opened(by: words, in: sandbox)
            #expect(found.isEmpty, "\(command): \(found)")
        }
    }

    @Test("a command that runs a transfer opens all of them, so this test would see them")
    func seesWhatIsOpened() async throws {
        try await Sandbox.open { sandbox in
            let words = ["get", "--retries", "0", "http://127.0.0.1:9/a"]
            let found = try await opened(by: words, in: sandbox)
            #expect(found == Set(Luxury.allCases))
        }
    }
}
