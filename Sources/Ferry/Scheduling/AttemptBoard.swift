import FerryCore
import Synchronization

/// The attempts that run, and the slots for more.
final class AttemptBoard: Sendable {
    private struct State {
        var slots: Int
        var running: [TransferID: any AttemptRunner] = [:]
        /// Running transfers that wait only for the disk and the store, except those with small files.
        var finishing: Set<TransferID> = []
        /// The same for those with small files.
        var finishingSmall: Set<TransferID> = []
        /// When the latest attempt ended; `nil` before the first end.
        var latestEnd: Instant?
        /// Tells the present run of the engine of attempts that start.
        var starting: AsyncStream<Void>.Continuation?
    }

    private let state: Mutex<State>

    init(slots: Int) {
        state = Mutex(State(slots: slots))
    }

    /// A stream that has an element after attempts have started. Each run of an engine needs a new one, because the end
    /// of a task that waits in a stream finishes it.
    func starts() -> AsyncStream<Void> {
        let (starts, starting) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.starting = starting }
        return starts
    }

    /// Maximum number of attempts at once, without those that are finishing.
    var slots: Int {
        get { state.withLock { $0.slots } }
        set { state.withLock { $0.slots = newValue } }
    }

    /// The running attempts in the order of adding, so that nothing depends on the layout of a dictionary.
    var runners: [any AttemptRunner] {
        state.withLock { $0.running.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// Number of running attempts.
    var count: Int { state.withLock { $0.running.count } }

    /// Number of attempts that run, and that may start.
    ///
    /// - Parameter most: maximum attempts that may run, finishing or not.
    func room(most: Int) -> (running: Int, free: Int) {
        state.withLock { state in
            let running = state.running.count
            let free = Self.free(
                of: min(state.slots, most),
                running: running,
                finishing: state.finishing.count,
                small: state.finishingSmall.count
            )
            return (running, min(free, most - running))
        }
    }

    /// For each slot, this number of attempts that finish small files do not count.
    static let smallPerSlot = 3

    /// Number of attempts that may start. With one slot, an attempt must be over before the next starts. Otherwise finishing
    /// attempts do not count, up to the number of slots.
    ///
    /// For small files the limit is ``smallPerSlot`` for each slot. Each waits for the store several times, and one commit serves
    /// all that wait: with few of them, disk and processor would be idle between the commits.
    static func free(of slots: Int, running: Int, finishing: Int, small: Int) -> Int {
        guard slots > 1 else { return slots - running }
        return slots - running + min(finishing, slots) + min(small, smallPerSlot * slots)
    }

    /// Notes an attempt that starts. The former attempt at its transfer may be settled, but not yet noted as over. If that
    /// one was finishing, this one is not.
    func begin(_ runner: any AttemptRunner) {
        let id = runner.transfer.id
        let starting = state.withLock { state in
            state.running[id] = runner
            state.finishing.remove(id)
            state.finishingSmall.remove(id)
            return state.starting
        }
        starting?.yield()
    }

    /// Notes that an attempt waits only for the disk and the store.
    ///
    /// - Parameter isSmall: whether it has a small file.
    func noteFinishing(_ id: TransferID, isSmall: Bool) {
        state.withLock { state in
            if isSmall { _ = state.finishingSmall.insert(id) } else { _ = state.finishing.insert(id) }
        }
    }

    /// Whether this is the present attempt at its transfer.
    func holds(_ runner: any AttemptRunner) -> Bool {
        state.withLock { $0.running[runner.transfer.id] === runner }
    }

    /// When the pause after the latest attempt is over; `nil` if an attempt may start now.
    ///
    /// No pause lasts longer because the clock was set back.
    func endOfPause(_ pause: Duration, at now: Instant) -> Instant? {
        state.withLock { state in
            guard let latest = state.latestEnd.map({ min($0, now) }) else { return nil }
            state.latestEnd = latest
            let end = latest.advanced(by: pause)
            return end > now ? end : nil
        }
    }

    /// Notes that an attempt is over.
    ///
    /// - Returns: whether it was the present one. After it was settled, its transfer may have been claimed again.
    func end(_ runner: any AttemptRunner, at now: Instant) -> Bool {
        let id = runner.transfer.id
        return state.withLock { state in
            state.latestEnd = now
            guard state.running[id] === runner else { return false }
            state.running[id] = nil
            state.finishing.remove(id)
            state.finishingSmall.remove(id)
            return true
        }
    }

    /// Asks every attempt to keep what it has and end.
    func releaseAll() {
        for runner in runners { runner.ask(.release) }
    }
}
