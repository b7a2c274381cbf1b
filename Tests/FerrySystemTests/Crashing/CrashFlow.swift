import Testing

/// Something that ferry does, in the middle of which it is killed, and how it goes on from there.
struct CrashFlow: Sendable, CustomTestStringConvertible {
    /// What there is in the data directory before.
    enum Store: Sendable {
        /// Nothing.
        case absent
        /// A store with transfers of somebody else's.
        case present
    }

    var name: String
    var store = Store.present
    /// How the first answer of the server ends before its time.
    var firstAnswer: ScriptedReply.Cut.Ending?
    /// Whether another file is under the final name before.
    var replaces = false
    /// What has happened before, unharmed.
    var before: @Sendable (CrashRun) async throws -> Void = { _ in }
    /// The line whose process is killed.
    var line: @Sendable (CrashRun) -> [String]
    /// What is done while it runs. It makes ``CrashRun/arming`` when the part of its life begins that is looked at.
    var meanwhile: (@Sendable (CrashRun, ChildProcess) async throws -> Void)?
    /// How it is brought to its end afterwards.
    var after: @Sendable (CrashRun) async throws -> Void
    /// What is left where ferry runs.
    var leaves = ["file.bin"]
    /// In how many rows, beside those that were there before.
    var rows = 1...1

    var testDescription: String { name }
}

extension CrashFlow {
    private static func get(_ run: CrashRun) -> [String] { ["get", run.url] }

    static let all: [CrashFlow] =
        [
            CrashFlow(
                name: "the first store",
                store: .absent,
                line: { ["add", $0.url] },
                after: { run in
                    // What was acknowledged is the same transfer; else it is added now.
                    try await run.ferry(["get", run.url])
                }
            ),
            CrashFlow(
                name: "add",
                line: { ["add", $0.url] },
                after: { try await $0.ferry(["get", $0.url]) }
            ),
            CrashFlow(name: "download", line: get, after: { try await $0.ferry(get($0)) }),
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
                // Where the first was done, the same line is another download, since it asks for one.
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
                    try await run.ferry(["run"])
                },
                leaves: ["file.bin", "second.bin"],
                rows: 2...2
            ),
        ] + steering
}
