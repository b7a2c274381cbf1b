import FerryCore
import Synchronization

/// The watermarks of one running attempt. The I/O threads raise them after every write; other tasks read them.
final class ProgressMeter: Sendable {
    private struct State {
        /// The bytes that the machine has counted.
        var received: Int64
        var total: Int64?
        /// The offset that each connection has written up to, and how much of that the machine knows.
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

    /// Notes that a connection begins to write at `offset`; bytes before `known` are already present.
    func begin(_ id: ConnectionID, at offset: Int64, known: Int64) {
        state.withLock { state in
            state.watermarks[id] = offset
            state.known[id] = known
        }
    }

    /// Notes that a connection has written everything before `offset`.
    func advance(_ id: ConnectionID, to offset: Int64) {
        state.withLock { $0.watermarks[id] = offset }
    }

    /// The offset that a connection has written up to; `nil` if it never began.
    func watermark(of id: ConnectionID) -> Int64? {
        state.withLock { $0.watermarks[id] }
    }

    /// Notes that a connection is over.
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

    /// Notes that the machine has seen `watermarks` and now counts `received` bytes.
    func settle(_ watermarks: [ConnectionID: Int64], received: Int64, total: Int64?) {
        state.withLock { state in
            for (id, offset) in watermarks where state.known[id] != nil {
                state.known[id] = max(state.known[id] ?? 0, offset)
            }
            state.received = received
            state.total = total
        }
    }

    /// Samples the progress for the speed estimate.
    func sample(at now: Instant) {
        state.withLock { $0.speed.sample($0.liveReceived, at: now) }
    }

    /// The progress at this moment.
    var progress: TransferProgress {
        state.withLock { state in
            var progress = TransferProgress(
                received: state.liveReceived,
                total: state.total,
                bytesPerSecond: state.speed.bytesPerSecond
            )
            progress.connections = state.watermarks.isEmpty ? nil : state.watermarks.count
            return progress
        }
    }
}
