import FerryCore
import GRDB
import Synchronization

/// How SQLite synchronizes each commit, as SQLite says at that moment.
final class SynchronizedCommits: TransactionObserver, Sendable {
    /// SQLite's number for `FULL`.
    private static let full = 2

    private let state = Mutex<[Durability]>([])

    /// What the commits so far survive.
    var durabilities: [Durability] { state.withLock { $0 } }

    /// Forgets everything so far.
    func clear() {
        state.withLock { $0 = [] }
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) {
        // No number means that nothing is known, which no test expects.
        let number = (try? Int.fetchOne(db, sql: "PRAGMA synchronous")) ?? -1
        state.withLock { $0.append(number >= Self.full ? .power : .process) }
    }

    func databaseDidRollback(_ db: Database) {}
}
