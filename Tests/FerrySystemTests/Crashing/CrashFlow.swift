import Foundation
import Testing

/// A command that is killed at one of its system calls, and the commands that complete its work afterwards.
struct CrashFlow: Sendable, CustomTestStringConvertible {
    /// The state of the data directory before the flow.
    enum Store: Sendable {
        /// There is no data directory.
        case absent
        /// A store with transfers that do not belong to the flow.
        case present
    }

    var name: String
    var store = Store.present
    /// How the first answer of the server ends early; `nil` if it does not.
    var firstAnswer: ScriptedReply.Cut.Ending?
    /// Whether a file already exists under the final name.
    var replaces = false
    /// Whether the file under the final name is unfinished and is taken over.
    var adopts = false
    /// What the server has.
    var content = CrashRun.content
    /// The commands that run before, without a fault.
    var before: @Sendable (CrashRun) async throws -> Void = { _ in }
    /// The command that is killed.
    var line: @Sendable (CrashRun) -> [String]
    /// What happens while the command runs. It creates ``CrashRun/arming`` at the moment from which calls count.
    var meanwhile: (@Sendable (CrashRun, ChildProcess) async throws -> Void)?
    /// The commands that complete the work afterwards.
    var after: @Sendable (CrashRun) async throws -> Void
    /// The files in the working directory at the end.
    var leaves = ["file.bin"]
    /// The number of rows at the end, without those that existed before.
    var rows = 1...1
    /// Whether the flow makes the key that wraps those of unfinished sealed files.
    var makesKey = false

    var testDescription: String { name }
}

extension CrashFlow {
    /// All flows, or those whose names contain the text of an environment variable.
    static let chosen: [CrashFlow] = {
        let text = ProcessInfo.processInfo.environment["FERRY_CRASH_FLOW"] ?? ""
        return text.isEmpty ? all : all.filter { $0.name.contains(text) }
    }()

    private static func get(_ run: CrashRun) -> [String] { ["get", run.url] }

    static let all: [CrashFlow] =
        [
            CrashFlow(
                name: "the first store",
                store: .absent,
                line: { ["add", $0.url] },
                after: { run in
                    // If the add was acknowledged this finds the transfer, and otherwise it adds one.
                    try await run.ferry(["get", run.url])
                }
            ),
            CrashFlow(
                name: "add",
                line: { ["add", $0.url] },
                after: { try await $0.ferry(["get", $0.url]) }
            ),
            CrashFlow(name: "download", line: get, after: { try await $0.ferry(get($0)) }),
            // Its body arrives with its head, and is written and synced where its part file is created.
            CrashFlow(
                name: "download of a short file",
                content: CrashRun.shortContent,
                line: get,
                after: { try await $0.ferry(get($0)) }
            ),
            // Its place is looked at before the request, so its part file is created in another step.
            CrashFlow(
                name: "download of a short file to a given name",
                content: CrashRun.shortContent,
                line: { get($0) + ["-o", "file.bin"] },
                after: { try await $0.ferry(get($0) + ["-o", "file.bin"]) }
            ),
            CrashFlow(
                name: "resume",
                firstAnswer: .stall,
                before: { try await $0.interruptedDownload() },
                line: get,
                after: { try await $0.ferry(get($0)) }
            ),
            CrashFlow(
                name: "replace with checksum",
                replaces: true,
                line: { get($0) + ["--overwrite", "--checksum", "sha256=\(CrashRun.digest)"] },
                after: {
                    try await $0.ferry(get($0) + ["--overwrite", "--checksum", "sha256=\(CrashRun.digest)"])
                },
                // With --overwrite, the same command after a completed download is another download.
                rows: 1...2
            ),
            CrashFlow(
                name: "run the queue",
                before: { run in
                    run.acknowledge(try await run.ferry(["add", run.url]))
                    run.acknowledge(try await run.ferry(["add", "-o", "second.bin", run.url]))
                },
                line: { _ in ["run"] },
                after: { run in
                    try await run.retryWhatFailed()
                    // The transfers that do not belong to the flow are left paused.
                    try await run.ferry(["run"], expecting: [7])
                },
                leaves: ["file.bin", "second.bin"],
                rows: 2...2
            ),
        ] + sealing + adopting + steering + sending + uploading + caching + mirroring
}
