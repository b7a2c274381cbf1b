import FerryCore
import FerrySQLite
import Foundation

/// Puts a great load on one store, a part of it in each process; `Benchmarks/queue` says which.
///
///     QueueLoad DIRECTORY add CROWD COUNT
///     QueueLoad DIRECTORY claim CROWD ROUNDS
///     QueueLoad DIRECTORY complete COUNT
///     QueueLoad DIRECTORY look COUNT
///     QueueLoad DIRECTORY prune COUNT
///     QueueLoad DIRECTORY discover COUNT     discover nodes of a tree, with ids in order
///     QueueLoad DIRECTORY scatter COUNT      the same, with ids in no order
///     QueueLoad DIRECTORY walk COUNT         walk through all of them
///     QueueLoad DIRECTORY search COUNT       find what of them is marked
@main
struct QueueLoad {
    /// How many are added in one transaction.
    static let batch = 5000
    /// How many a claim takes: the slots of one process.
    static let slots = 16
    /// The moment at which all of it happens.
    static let now = Instant(seconds: 1_800_000_000)

    let store: SQLiteTransferStore
    var figures = Figures()

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count >= 4, let count = Int(words[words.count - 1]) else { exit(64) }
        let crowd = words.count == 5 ? Crowd(rawValue: words[3]) : nil
        var load = QueueLoad(store: try await SQLiteTransferStore.open(directory: words[1]))
        switch (words[2], crowd) {
        case ("add", let crowd?): try await load.add(crowd, count)
        case ("claim", let crowd?): try await load.claim(crowd, rounds: count)
        case ("complete", nil): try await load.complete(count)
        case ("look", nil): try await load.look(count)
        case ("prune", nil): try await load.prune(count)
        case ("discover", nil): try await load.discover(count, isScattered: false)
        case ("scatter", nil): try await load.discover(count, isScattered: true)
        case ("walk", nil): try await load.walk(count)
        case ("search", nil): try await load.search(count)
        default: exit(64)
        }
        await load.store.close()
        try load.figures.tell()
    }

    /// Joins as an owner of its own.
    func join() async throws -> OwnerID {
        let pid = ProcessInfo.processInfo.processIdentifier
        let process = ProcessIdentity(pid: pid, startTime: 1, boot: BootID(rawValue: "benchmark"))
        return try await store.join(process, at: Self.now)
    }

    /// Settles what was claimed, all at once, as the attempts of one engine do that end together.
    func settle(_ claimed: [Transfer]) async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for claim in claimed.compactMap(\.claim) {
                group.addTask {
                    let settlement = Settlement(.completed, progress: .download(DownloadProgress()))
                    try await store.settle(claim, as: settlement, at: Self.now)
                }
            }
            try await group.waitForAll()
        }
    }
}
