import FerryCore
import Synchronization

/// The rows that were skipped because they cannot be read.
final class DamageLog: Sendable {
    /// Maximum number of rows remembered, so that a ruined file does not fill the memory.
    private static let most = 1_000

    private let problems = Mutex<[TransferID: String]>([:])

    /// All damaged rows, in order of their numbers.
    var all: [DamagedTransfer] {
        problems.withLock { problems in
            problems.sorted { $0.key < $1.key }.map { DamagedTransfer(id: $0.key, problem: $0.value) }
        }
    }

    /// Removes rows that are no longer damaged or no longer exist.
    func forget(_ ids: [TransferID]) {
        problems.withLock { problems in for id in ids { problems[id] = nil } }
    }

    /// Reads a row; `nil` when it is damaged.
    func reading<Value>(_ id: TransferID, _ body: () throws -> Value?) throws -> Value? {
        do {
            return try body()
        } catch let error as StoreError {
            guard let problem = error.damage else { throw error }
            problems.withLock { if $0.count < Self.most || $0[id] != nil { $0[id] = problem } }
            return nil
        }
    }
}
