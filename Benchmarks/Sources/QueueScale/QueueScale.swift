import FerryCore
import FerrySQLite
import Foundation

/// Measures a store with a great many transfers.
@main
struct QueueScale {
    /// How many are added in one transaction.
    static let batch = 5000
    /// How many a claim takes.
    static let portion = 16
    /// How many claims are timed.
    static let claims = 1000
    /// How many processes complete transfers together, and for how long.
    static let workers = 3
    static let duration: Duration = .seconds(5)

    static let now = Instant(seconds: 1_800_000_000)

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "--complete" { return try await complete(in: arguments[2]) }
        let count = arguments.count > 1 ? Int(arguments[1]) ?? 1_000_000 : 1_000_000
        for crowd in Crowd.allCases { try await measure(crowd, count) }
    }

    private static func measure(_ crowd: Crowd, _ count: Int) async throws {
        let directory =
            FileManager.default.temporaryDirectory.path
            + "/ferry-queue-scale-\(ProcessInfo.processInfo.processIdentifier)"
        try? FileManager.default.removeItem(atPath: directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try await SQLiteTransferStore.open(directory: directory)
        let owner = try await store.join(process, at: now)
        let time = try await ContinuousClock().measure {
            for first in stride(from: 0, to: count, by: batch) {
                let new = try (first..<min(first + batch, count)).map { try crowd.transfer($0, of: count) }
                _ = try await store.add(new, holder: nil, at: now)
            }
        }
        print("\(crowd.rawValue): \(rate(count, time)) added a second")
        try await crowd.prepare(store, owner)
        try await measureClaims(store, owner, min(claims, count / 400))
        if crowd == .plain { try await measureProcesses(directory) }
        await store.close()
        print("    at most \(memory()) MiB of memory")
    }

    /// Claims and completes, and tells how long each claim took.
    private static func measureClaims(
        _ store: SQLiteTransferStore,
        _ owner: OwnerID,
        _ count: Int
    ) async throws {
        var times: [Duration] = []
        for _ in 0..<count {
            let begin = ContinuousClock.now
            let claimed = try await store.claim(upTo: portion, only: nil, for: owner, at: now)
            times.append(begin.duration(to: .now))
            try await settle(claimed, in: store)
            guard !claimed.isEmpty else { fatalError("there was nothing to claim") }
        }
        times.sort()
        let figures = [times[times.count / 2], times[times.count * 99 / 100], times[times.count - 1]]
        let texts = figures.map { String(format: "%.2f ms", $0 / .milliseconds(1)) }
        print("    a claim of \(portion): \(texts[0]), p99 \(texts[1]), at most \(texts[2])")
    }

    /// Lets several processes claim and complete at the same time.
    private static func measureProcesses(_ directory: String) async throws {
        let children = try (0..<workers).map { _ in
            let child = Process()
            child.executableURL = URL(filePath: CommandLine.arguments[0])
            child.arguments = ["--complete", directory]
            let output = Pipe()
            child.standardOutput = output
            try child.run()
            return (child, output)
        }
        var completed = 0
        for (child, output) in children {
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            child.waitUntilExit()
            completed += Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        }
        print("    \(rate(completed, duration)) completed a second by \(workers) processes")
    }

    private static func complete(in directory: String) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory)
        let owner = try await store.join(process, at: now)
        let end = ContinuousClock.now.advanced(by: duration)
        var completed = 0
        while ContinuousClock.now < end {
            let claimed = try await store.claim(upTo: portion, only: nil, for: owner, at: now)
            try await settle(claimed, in: store)
            completed += claimed.count
        }
        print(completed)
        await store.close()
    }

    private static func settle(_ claimed: [Transfer], in store: SQLiteTransferStore) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for claim in claimed.compactMap(\.claim) {
                group.addTask {
                    let settlement = Settlement(.completed, checkpoint: Checkpoint())
                    try await store.settle(claim, as: settlement, at: now)
                }
            }
            try await group.waitForAll()
        }
    }

    private static var process: ProcessIdentity {
        ProcessIdentity(
            pid: ProcessInfo.processInfo.processIdentifier,
            startTime: 1,
            boot: BootID(rawValue: "benchmark")
        )
    }

    private static func rate(_ count: Int, _ time: Duration) -> Int {
        Int((Double(count) / (time / .seconds(1))).rounded())
    }

    /// The most memory that this process ever had, in MiB.
    private static func memory() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (Int(line.split(separator: " ").dropLast().last ?? "") ?? 0) / 1024
    }
}
