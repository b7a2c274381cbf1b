import FerryCore
import Synchronization

/// The limits of queues: all transfers of one queue that run in this engine go through the same bucket.
final class QueueRates: Sendable {
    private struct State {
        /// Those that something goes through.
        var buckets: [String: Line] = [:]
        var limits: [String: RateLimit] = [:]
        /// When the limits were looked at last.
        var looked: Instant?
    }

    private struct Line {
        weak var bucket: SharedBucket?
    }

    /// How long a limit that another process has changed may go unnoticed while the store changes all the time.
    private static let interval: Duration = .milliseconds(200)

    private let state = Mutex(State())

    /// What the transfers of a queue go through.
    func bucket(of queue: String) -> SharedBucket {
        state.withLock { state in
            if let known = state.buckets[queue]?.bucket { return known }
            let bucket = SharedBucket(state.limits[queue] ?? .off)
            state.buckets[queue] = Line(bucket: bucket)
            return bucket
        }
    }

    /// Whether the limits are to be looked at: not with every change of the store, most of which are made by what runs.
    func isLookDue(at now: Instant) -> Bool {
        state.withLock { state in
            if let looked = state.looked, looked <= now, looked.duration(to: now) < Self.interval {
                return false
            }
            state.looked = now
            return true
        }
    }

    /// The limits were changed by this engine, and are to be looked at.
    func expectChange() {
        state.withLock { $0.looked = nil }
    }

    /// Lets the limits of these queues hold, and none for any other.
    func set(_ queues: [TransferQueue]) {
        state.withLock { state in
            state.limits = Dictionary(queues.map { ($0.name, $0.rateLimit) }) { $1 }
            state.buckets = state.buckets.filter { $0.value.bucket != nil }
            for (queue, line) in state.buckets { line.bucket?.set(state.limits[queue] ?? .off) }
        }
    }
}
