import FerryCore
import Synchronization

/// The rows that were skipped because they cannot be read.
final class DamageLog: Sendable {
    /// Maximum number of rows remembered, so that a ruined file does not fill the memory.
    private static let most = 1_000

    private let rows = Mutex<[TransferID: DamagedTransfer]>([:])

    /// All damaged rows, in order of their numbers.
    var all: [DamagedTransfer] {
        rows.withLock { $0.values.sorted { $0.id < $1.id } }
    }

    /// Removes rows that are no longer damaged or no longer exist.
    func forget(_ ids: [TransferID]) {
        rows.withLock { rows in for id in ids { rows[id] = nil } }
    }

    /// Reads a row; `nil` when it is damaged.
    func reading<Value>(_ id: TransferID, _ body: () throws -> Value?) throws -> Value? {
        do {
            return try body()
        } catch let error as StoreError {
            guard let damaged = DamagedTransfer(id, error) else { throw error }
            rows.withLock { if $0.count < Self.most || $0[id] != nil { $0[id] = damaged } }
            return nil
        }
    }
}
