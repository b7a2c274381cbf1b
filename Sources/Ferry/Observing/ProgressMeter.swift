import FerryCore
import Synchronization

/// The watermarks of one running attempt: raised by the I/O threads after every write, read by everybody else.
final class ProgressMeter: Sendable {
    private struct State {
        /// What the machine has taken note of.
        var received: Int64
        var total: Int64?
        /// How far each connection has written, and how much of that the machine knows.
        var watermarks: [ConnectionID: Int64] = [:]
        var known: [ConnectionID: Int64] = [:]
        var speed = SpeedEstimate()

        var liveReceived: Int64 {
            watermarks.reduce(received) { $0 + max(0, $1.value - (known[$1.key] ?? $1.value)) }
        }
    }

    private let state: Mutex<State>

    init(received: Int64, total: Int64?) {
        state = Mutex(State(received: received, total: total))
    }

    /// A connection begins to write at `offset`; what lies before `known` is there already.
    func begin(_ id: ConnectionID, at offset: Int64, known: Int64) {
        state.withLock { state in
            state.watermarks[id] = offset
            state.known[id] = known
        }
    }

    /// A connection has written everything before `offset`.
    func advance(_ id: ConnectionID, to offset: Int64) {
        state.withLock { $0.watermarks[id] = offset }
    }

    /// How far a connection has written; `nil` when it never began.
    func watermark(of id: ConnectionID) -> Int64? {
        state.withLock { $0.watermarks[id] }
    }

    /// A connection is over.
    func end(_ id: ConnectionID) {
        state.withLock { state in
            state.watermarks[id] = nil
            state.known[id] = nil
        }
    }

    /// Every watermark, for the machine.
    func watermarks() -> [ConnectionID: Int64] {
        state.withLock { $0.watermarks }
    }

    /// The machine has taken note of `watermarks` and now counts `received` bytes.
    func settle(_ watermarks: [ConnectionID: Int64], received: Int64, total: Int64?) {
        state.withLock { state in
            for (id, offset) in watermarks where state.known[id] != nil {
                state.known[id] = max(state.known[id] ?? 0, offset)
            }
            state.received = received
            state.total = total
        }
    }

    /// Takes a sample for the speed.
    func sample(at now: Instant) {
        state.withLock { $0.speed.sample($0.liveReceived, at: now) }
    }

    /// How far the transfer has come at this moment.
    var progress: TransferProgress {
        state.withLock {
            TransferProgress(
                received: $0.liveReceived,
                total: $0.total,
                bytesPerSecond: $0.speed.bytesPerSecond
            )
        }
    }
}
