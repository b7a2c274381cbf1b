import FerryCore
import FerrySQLite
import Foundation

extension HotPaths {
    private static let added = 50_000
    private static let batch = 5000
    private static let held = 16
    private static let rounds = 250

    /// What a transfer costs the store: its adding, in batches that survive power loss; the records of its progress, which need not;
    /// and its claim and end, sixteen under way at once.
    static func measureStore() async throws {
        let directory =
            FileManager.default.temporaryDirectory.path
            + "/ferry-hot-paths-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try await SQLiteTransferStore.open(directory: directory)
        let now = Instant(seconds: 1_800_000_000)
        let process = ProcessIdentity(pid: 1, startTime: 1, boot: BootID(rawValue: "benchmark"))
        let owner = try await store.join(process, at: now)

        try await tell("store.add", added) {
            for first in stride(from: 0, to: added, by: batch) {
                _ = try await store.add(try transfers(first..<first + batch), holder: nil, at: now)
            }
        }
        let claims = try await store.claim(upTo: held, only: nil, for: owner, at: now).compactMap(\.claim)
        try await tell("store.record", rounds * held) {
            for _ in 0..<rounds {
                try await together(claims) {
                    try await store.record(
                        .download(DownloadProgress()),
                        for: $0,
                        durability: .process,
                        at: now
                    )
                }
            }
        }
        try await tell("store.claim-and-complete", rounds * held) {
            for _ in 0..<rounds {
                let claims = try await store.claim(upTo: held, only: nil, for: owner, at: now).compactMap(
                    \.claim
                )
                try await together(claims) {
                    _ = try await store.settle(
                        $0,
                        as: Settlement(.completed, progress: .download(DownloadProgress())),
                        at: now
                    )
                }
            }
        }
        await store.close()
    }

    private static func transfers(_ numbers: Range<Int>) throws -> [NewTransfer] {
        try numbers.map { number in
            let url = try HTTPURL(parsing: "https://example.org/files/\(number).bin")
            return NewTransfer(
                DownloadSpecification(url: url, destination: .file(directory: "/srv", name: nil))
            )
        }
    }

    private static func together(
        _ claims: [Claim],
        _ work: @escaping @Sendable (Claim) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for claim in claims { group.addTask { try await work(claim) } }
            try await group.waitForAll()
        }
    }

    private static func tell(_ name: String, _ count: Int, _ work: () async throws -> Void) async throws {
        let time = try await ContinuousClock().measure(work)
        let rate = Double(count) / (time / .seconds(1))
        let padding = String(repeating: " ", count: max(1, 28 - name.count))
        print("\(name)\(padding)\(Int(rate.rounded())) a second")
    }
}
