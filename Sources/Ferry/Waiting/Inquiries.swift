import FerryCore
import Synchronization

/// The transfers that wait for an answer of the application, and about which of them to ask now.
///
/// An answer after which the transfer waits again without new bytes counts as a failure; otherwise there would be no end
/// of questions.
final class Inquiries: Sendable {
    /// Maximum number of transfers remembered (I9).
    static let limit = 10_000
    /// Maximum number of transfers about which the application is asked at once.
    static let mostAtOnce = 8

    private struct Tries {
        /// The bytes that the transfer had when it began to wait.
        var received: Int64
        /// Number of failures since.
        var failed = 0
        /// The end of the transfer after which the application left the answer to a person.
        var left: Instant?
    }

    private struct State {
        var tries: [TransferID: Tries] = [:]
        /// Transfers about which it is asked, now or later.
        var pending: Set<TransferID> = []
        /// Transfers about which it is asked later, each with the moment, and with the time when it was noted.
        var postponed: [(id: TransferID, retry: WaitCondition, noted: Instant)] = []
        var ready: [TransferID] = []
        var asking = 0
        /// Whether earlier waiting transfers have been looked up.
        var hasLooked = false

        mutating func postpone(_ id: TransferID, by delay: Duration, at now: Instant) {
            postponed.append((id, .retry(at: now.advanced(by: delay)), now))
        }
    }

    private let state = Mutex(State())
    private let signal = LookSignal()

    /// Yields an element whenever there may be something to do, beginning with one. It serves one run of the engine.
    func begin() -> AsyncStream<Void> {
        state.withLock { state in
            let tries = state.tries
            state = State(tries: tries)
        }
        return signal.begin()
    }

    /// Whether an answer may still come.
    var mayHold: Bool { state.withLock { !$0.hasLooked || !$0.pending.isEmpty } }

    /// Whether the application is asked about a transfer, or will be.
    func isPending(_ id: TransferID) -> Bool { state.withLock { $0.pending.contains(id) } }

    /// Whether earlier waiting transfers have been looked up.
    var hasLooked: Bool { state.withLock { $0.hasLooked } }

    /// Notes that earlier waiting transfers have been looked up.
    func noteLook() { state.withLock { $0.hasLooked = true } }

    /// Requests another look.
    func look() { signal.look() }

    /// Notes that a transfer waits for an answer.
    ///
    /// - Parameter delay: how long to wait after this number of failures; `nil` to give up.
    /// - Returns: whether the application will be asked.
    @discardableResult
    func expect(_ transfer: Transfer, at now: Instant, delay: (_ failures: Int) -> Duration?) -> Bool {
        let received = transfer.work.received
        let isExpected = state.withLock { state in
            guard !state.pending.contains(transfer.id) else { return true }
            guard state.pending.count < Self.limit else { return false }
            if let left = state.tries[transfer.id]?.left, left == transfer.finished { return false }
            if var tries = state.tries[transfer.id], tries.received >= received {
                tries.failed += 1
                state.tries[transfer.id] = tries
                guard let delay = delay(tries.failed) else { return false }
                state.postpone(transfer.id, by: delay, at: now)
            } else {
                if state.tries.count >= Self.limit { state.tries = [:] }
                state.tries[transfer.id] = Tries(received: received)
                state.ready.append(transfer.id)
            }
            state.pending.insert(transfer.id)
            return true
        }
        look()
        return isExpected
    }

    /// The next transfer about which to ask. The caller must then call ``end(_:)`` or
    /// ``fail(_:at:delay:)``.
    func next(mayAsk: Bool, at now: Instant) -> TransferID? {
        state.withLock { state in
            state.ready += state.postponed.filter { $0.retry.hasEnded(at: now, noted: $0.noted) }.map(\.id)
            state.postponed.removeAll { $0.retry.hasEnded(at: now, noted: $0.noted) }
            guard mayAsk, state.asking < Self.mostAtOnce, !state.ready.isEmpty else { return nil }
            state.asking += 1
            return state.ready.removeFirst()
        }
    }

    /// The earliest moment at which to ask again.
    var nextMoment: Instant? { state.withLock { $0.postponed.compactMap(\.retry.wakeTime).min() } }

    /// Notes that there was no answer.
    ///
    /// - Returns: whether it will be asked again.
    func fail(_ id: TransferID, at now: Instant, delay: (_ failures: Int) -> Duration?) -> Bool {
        let isAskedAgain = state.withLock { state in
            state.asking -= 1
            state.tries[id]?.failed += 1
            guard let delay = delay(state.tries[id]?.failed ?? 1) else {
                state.pending.remove(id)
                return false
            }
            state.postpone(id, by: delay, at: now)
            return true
        }
        look()
        return isAskedAgain
    }

    /// Notes that the application leaves the answer to a person, as long as the transfer does not begin to wait anew.
    func leave(_ transfer: Transfer) { state.withLock { $0.tries[transfer.id]?.left = transfer.finished } }

    /// Notes that the application is no longer asked about this transfer.
    func end(_ id: TransferID) {
        state.withLock { state in
            state.asking -= 1
            state.pending.remove(id)
        }
        look()
    }

    /// Notes that a transfer is over, or that its answer was not used.
    func forget(_ id: TransferID) { state.withLock { $0.tries[id] = nil } }
}
