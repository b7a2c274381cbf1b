import Foundation
import Synchronization

/// One run of a ``CrashFlow``: a sandbox, a server with one file, and what went wrong.
final class CrashRun: Sendable {
    let sandbox: Sandbox
    let server: ScriptedServer
    /// The requests that the server has received whole, without those for files.
    let inbox: RequestInbox
    /// What the server holds of uploads.
    let uploads: UploadHost
    /// What the server has.
    private let served: Content
    private let state = Mutex(State())

    private struct State {
        var wrong: [String] = []
        /// The numbers that ferry has reported. These transfers must stay in the list.
        var acknowledged: Set<Int> = []
        /// The numbers of the transfers that existed before the flow. The flow must not change them.
        var former: Set<Int> = []
        /// The error output of the process whose system call failed.
        var words = ""
        /// The process that runs the download while another process is killed.
        var runner: ChildProcess?
    }

    /// Large enough that ferry reserves space and writes in several pieces, and that bytes are left after the break.
    static let content = Content(count: 1_200_000, seed: 161)
    /// Short enough that ferry takes it with its head.
    static let shortContent = Content(count: 20_000, seed: 162)
    /// The SHA-256 of the large one.
    static let digest = "15270a1e89d6faed60c0c888adb2b8b7b685daea4c96fd0caf5fa1fcd8d49907"
    /// The number of its transfer, after the transfers that existed before.
    static let number = "3"
    /// The byte at which the first answer breaks off, in a flow that asks for a break.
    static let breakAt = 700_000
    /// The former content of the final name, in a flow that replaces it.
    static let replaced = Content("former")
    /// Other files in the working directory, which ferry must not touch.
    static let bystanders = ["file.bin.part.txt", "other.part"]

    init(
        _ sandbox: Sandbox,
        _ server: ScriptedServer,
        _ inbox: RequestInbox,
        _ uploads: UploadHost,
        serving served: Content
    ) {
        (self.sandbox, self.server, self.inbox, self.uploads) = (sandbox, server, inbox, uploads)
        self.served = served
    }

    var url: String { server.url("file.bin") }
    var final: String { sandbox.path(of: "file.bin") }
    var part: String { sandbox.path(of: "file.bin.part") }
    /// Calls count only after this file exists, in a flow that arms the fault while ferry runs.
    var arming: String { sandbox.root + "/armed" }

    var wrong: [String] { state.withLock { $0.wrong } }

    /// Records a violation unless `condition` holds.
    func check(_ condition: Bool, _ what: @autoclosure () -> String) {
        guard !condition else { return }
        let what = what()
        state.withLock { $0.wrong.append(what) }
    }

    /// Runs ferry to its end.
    @discardableResult
    func ferry(_ line: [String], expecting statuses: Set<Int32> = [0]) async throws -> Outcome {
        let outcome = try await sandbox.launch(line).outcome()
        check(
            statuses.contains(outcome.status),
            "`\(line.joined(separator: " "))` ended with \(outcome.status): \(outcome.errors.suffix(600))"
        )
        return outcome
    }

    /// Records numbers that must stay in the list.
    func acknowledge(_ numbers: Set<Int>) {
        state.withLock { $0.acknowledged.formUnion(numbers) }
    }

    /// Makes a store with two transfers that do not belong to the flow.
    func addFormer() async throws {
        let directory = sandbox.root + "/former"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try await ferry(["add", "-d", directory, "http://old.example/a.bin", "http://old.example/b.bin"])
        try await ferry(["pause", "1", "2"])
        state.withLock { $0.former = [1, 2] }
        acknowledge(former)
    }

    /// The numbers of the transfers that existed before the flow.
    var former: Set<Int> { state.withLock { $0.former } }

    /// Records the numbers that a process has reported.
    func acknowledge(_ outcome: Outcome) {
        var numbers = outcome.output.split(separator: "\n").compactMap { Int($0) }
        for match in outcome.errors.matches(of: /\(transfer (\d+)\)/) { numbers.append(Int(match.1) ?? 0) }
        acknowledge(Set(numbers))
    }

    /// The rows of the store. Checks that no acknowledged transfer is missing.
    @discardableResult
    func rows(_ moment: String) async throws -> [ListedTransfer] {
        let listed = try await ferry(["list", "--all", "--json"])
        let rows = try ListedTransfer.all(in: listed.output)
        let missing = state.withLock { $0.acknowledged }.subtracting(rows.map(\.id))
        check(missing.isEmpty, "\(moment): \(missing.sorted()) acknowledged and not in the list")
        return rows
    }

    /// Checks that a process whose system call failed ended as documented: with a fitting status, a message, and no
    /// internal error.
    func judge(_ outcome: Outcome) {
        state.withLock { $0.words += outcome.errors }
        guard case .status(let status) = outcome.exit else {
            return check(false, "ended by \(outcome.exit): \(outcome.errors.suffix(2000))")
        }
        check([0, 1, 7, 9, 15, 16, 33].contains(status), "ended with \(status): \(outcome.errors)")
        check(status == 0 || !outcome.errors.isEmpty, "ended with \(status) and without a message")
        for word in ["Fatal error", "nknown error", "internalFault", "Error Domain", "DatabaseError"] {
            check(!outcome.errors.contains(word), "ended with \(status): \(outcome.errors)")
        }
    }

    /// Retries the failed transfers, as a user would who read the message. A kill never lets a transfer fail.
    func retryWhatFailed() async throws {
        for row in try await rows("before the retry") where row.state == "failed" {
            guard !former.contains(row.id) else { continue }
            let name = row.name ?? ""
            check(
                state.withLock { $0.words }.contains("ferry: \(name): "),
                "\(name) has failed, and no message said so"
            )
            try await ferry(["retry", "\(row.id)"])
        }
    }

    /// Checks what must hold at every moment, whichever process died.
    func checkFiles(_ moment: String, mayBeFormer: Bool) {
        if FileManager.default.fileExists(atPath: final) {
            let isFormer = mayBeFormer && Self.replaced.isWhole(at: final)
            check(isFormer || served.isWhole(at: final), "\(moment): a file that is not whole")
        } else {
            check(!mayBeFormer, "\(moment): the former file is gone")
        }
        for name in Self.bystanders {
            check(Content(name).isWhole(at: sandbox.path(of: name)), "\(moment): \(name) was touched")
        }
    }

    /// Checks that the data directory holds only ferry's own files when no process runs.
    func checkData(_ moment: String, besides others: Set<String> = []) throws {
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: sandbox.data))
        let strange = names.subtracting(others).subtracting([
            "ferry.sqlite", "ferry.sqlite-wal", "ferry.sqlite-shm", "ferry.lock", "ferry.owners",
            "cache",
        ])
        check(strange.isEmpty, "\(moment): \(strange.sorted()) left in the data directory")
    }

    /// Starts the download, and waits until its first answer breaks off or stalls.
    func downloadToTheBreak() async throws -> ChildProcess {
        let process = try sandbox.launch(["get", url])
        try await reachesTheBreak(process)
        return process
    }

    /// Waits until all bytes before the break are in the part file.
    func reachesTheBreak(_ process: ChildProcess) async throws {
        try await Deadline.wait(for: "the download to reach the break", said: { process.errorsSoFar }) {
            var status = stat()
            return process.hasEnded || stat(part, &status) == 0 && Int(status.st_size) >= Self.breakAt
        }
    }

    /// Starts the download, and leaves it running.
    func startRunner() async throws {
        let process = try await downloadToTheBreak()
        state.withLock { $0.runner = process }
    }

    /// Waits for the end of the process that runs the download.
    func runnerEnds() async throws -> Outcome {
        guard let process = state.withLock({ $0.runner }) else {
            throw Overdue(what: "a runner that was started", after: .zero)
        }
        return try await process.outcome()
    }

    /// Pauses or cancels a running download at the break, and arms the fault right before.
    func steer(_ verb: String, _ process: ChildProcess) async throws {
        try await reachesTheBreak(process)
        check(FileManager.default.createFile(atPath: arming, contents: nil), "not armed")
        try await ferry([verb, Self.number])
    }

    /// Starts a download and interrupts it with Ctrl-C. A part file and a paused row are left.
    func interruptedDownload() async throws {
        let process = try await downloadToTheBreak()
        process.send(SIGINT)
        let outcome = try await process.outcome()
        check(outcome.status == 7, "interrupted, and \(outcome.status): \(outcome.errors)")
        acknowledge(outcome)
    }
}
