package import FerryCore
internal import Synchronization

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// async let work: Void = runner.run(clock: clock)
/// #expect(await clock.nextTimer() == .seconds(1))
/// clock.advance(by: .seconds(1))
/// ```
///
/// ``nextTimer()`` makes sleeping in tests unnecessary: it returns when the code under test has begun to
/// wait.
package final class ManualClock: WallClock {
    private struct Timer {
        var deadline: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Instant
        /// The time passed on the clock that measures waits; a jump of the time of day does not change it.
        var elapsed: Duration = .zero
        /// The part of the passed time that is below a millisecond, the unit of the time of day.
        var rest: Duration = .zero
        var timers: [Int: Timer] = [:]
        var latest = 0
        /// Timers that were set and that no test has asked about yet.
        var unseen: [Duration] = []
        var watchers: [(number: Int, continuation: CheckedContinuation<Duration?, Never>)] = []
    }

    private let state: Mutex<State>

    /// Creates a clock that shows `now`.
    package init(now: Instant = Instant(milliseconds: 1_700_000_000_000)) {
        state = Mutex(State(now: now))
    }

    /// The present moment, as the test has set it.
    package var now: Instant { state.withLock { $0.now } }

    /// The time passed by ``advance(by:)`` alone.
    package var elapsed: Duration { state.withLock { $0.elapsed } }

    /// The number of running waits.
    package var sleepers: Int { state.withLock { $0.timers.count } }

    /// Lets time pass: the time of day advances, and every wait whose time has come ends, the earliest first.
    package func advance(by duration: Duration) {
        precondition(duration >= .zero, "time does not run backwards; use jump(to:) for the time of day")
        let due = state.withLock { state in
            state.elapsed += duration
            let moved = state.now.advanced(by: state.rest + duration)
            state.rest += duration - state.now.duration(to: moved)
            state.now = moved
            let due = state.timers.filter { $0.value.deadline <= state.elapsed }
                .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            for (number, _) in due { state.timers[number] = nil }
            return due
        }
        for (_, timer) in due { timer.continuation.resume() }
    }

    /// Lets time pass like ``advance(by:)``, as soon as a running wait ends within that time.
    ///
    /// A task that is about to wait has often read the time before. If time passed in between, it would wait too long.
    package func advanceOnceAwaited(by duration: Duration) async {
        func isAwaited() -> Bool {
            state.withLock { state in
                state.timers.values.contains { $0.deadline <= state.elapsed + duration }
            }
        }
        while !isAwaited(), await nextTimer() != nil {}
        advance(by: duration)
    }

    /// Lets time pass until the earliest wait ends.
    ///
    /// - Returns: whether anything was waiting.
    package func advanceToNextTimer() -> Bool {
        let rest = state.withLock { state in
            state.timers.values.map(\.deadline).min().map { max(.zero, $0 - state.elapsed) }
        }
        guard let rest else { return false }
        advance(by: rest)
        return true
    }

    /// Sets the time of day, as an operator or a time server does. It does not change the length of a wait.
    package func jump(to now: Instant) {
        state.withLock { $0.now = now }
    }

    /// Takes note of one timer that was set since the last call of this or of ``nextTimer()``.
    ///
    /// - Returns: whether there was one.
    package func seeTimer() -> Bool {
        state.withLock { state in
            guard !state.unseen.isEmpty else { return false }
            state.unseen.removeFirst()
            return true
        }
    }

    /// Returns when the next timer is set, with its length; at once for one that was set since the last call.
    ///
    /// Timers are reported in the order in which they were set, each once. Returns `nil` when the task is
    /// cancelled first.
    @discardableResult
    package func nextTimer() async -> Duration? {
        let number = nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Duration?? = state.withLock { state in
                    if !state.unseen.isEmpty { return .some(state.unseen.removeFirst()) }
                    // Checked under the lock: the cancellation handler below may have run before there was a
                    // watcher.
                    if Task.isCancelled { return .some(nil) }
                    state.watchers.append((number, continuation))
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                state.watchers.firstIndex { $0.number == number }.map { state.watchers.remove(at: $0) }
            }
            watcher?.continuation.resume(returning: nil)
        }
    }

    /// Returns when the test has let `duration` pass.
    package func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let number = nextNumber()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let (isCancelled, watcher) = state.withLock { state in
                    guard !Task.isCancelled else {
                        return (true, CheckedContinuation<Duration?, Never>?.none)
                    }
                    state.timers[number] = Timer(
                        deadline: state.elapsed + duration,
                        continuation: continuation
                    )
                    guard !state.watchers.isEmpty else {
                        state.unseen.append(duration)
                        return (false, nil)
                    }
                    return (false, state.watchers.removeFirst().continuation)
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                watcher?.resume(returning: duration)
            }
        } onCancel: {
            let timer = state.withLock { $0.timers.removeValue(forKey: number) }
            timer?.continuation.resume(throwing: CancellationError())
        }
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.latest += 1
            return state.latest
        }
    }
}
