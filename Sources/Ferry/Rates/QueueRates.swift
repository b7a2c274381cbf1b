import FerryCore
import Synchronization

/// The limits of queues: all transfers of one queue that run in this engine go through the same bucket.
final class QueueRates: Sendable {
    private struct State {
        /// Buckets that are in use or have a limit.
        var buckets: [String: Line] = [:]
        var limits: [String: RateLimit] = [:]
        /// The time of the last look at the limits.
        var looked: Instant?
    }

    private struct Line {
        weak var bucket: SharedBucket?
        /// The same bucket while it has a limit. Between two transfers, it knows the bytes for which the next one waits.
        private var kept: SharedBucket?

        init(_ bucket: SharedBucket, _ limit: RateLimit) {
            self.bucket = bucket
            kept = limit == .off ? nil : bucket
        }
    }

    /// Maximum time until a limit changed by another process is noticed, while the store changes all the time.
    private static let interval: Duration = .milliseconds(200)

    private let state = Mutex(State())

    /// The bucket that the transfers of a queue go through.
    func bucket(of queue: String) -> SharedBucket {
        state.withLock { state in
            if let known = state.buckets[queue]?.bucket { return known }
            let limit = state.limits[queue] ?? .off
            let bucket = SharedBucket(limit)
            state.buckets[queue] = Line(bucket, limit)
            return bucket
        }
    }

    /// Whether to read the limits now. They are not read at every change of the store, because running transfers make
    /// most of the changes.
    func isLookDue(at now: Instant) -> Bool {
        state.withLock { state in
            if let looked = state.looked, looked <= now, looked.duration(to: now) < Self.interval {
                return false
            }
            state.looked = now
            return true
        }
    }

    /// Notes that this engine changed the limits, so that they are read at once.
    func expectChange() {
        state.withLock { $0.looked = nil }
    }

    /// Applies the limits of these queues, and no limit to any other.
    func set(_ queues: [TransferQueue]) {
        state.withLock { state in
            state.limits = Dictionary(queues.map { ($0.name, $0.rateLimit) }) { $1 }
            let known = state.buckets.compactMapValues(\.bucket)
            state.buckets = [:]
            for (queue, bucket) in known {
                let limit = state.limits[queue] ?? .off
                bucket.set(limit)
                state.buckets[queue] = Line(bucket, limit)
            }
        }
    }
}
