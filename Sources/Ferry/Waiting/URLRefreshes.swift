import FerryCore
import Synchronization

/// The transfers that wait for a fresh URL from a refresher, and which of them to ask for now.
///
/// A fresh URL that expires before it brings a byte counts as a failure; otherwise it would be refreshed without end.
final class URLRefreshes: Sendable {
    /// Maximum number of transfers remembered (I9).
    static let limit = 10_000
    /// Maximum number of transfers for which the refresher is asked at once.
    static let mostAtOnce = 8

    /// The next action for a transfer.
    enum Order: Hashable, Sendable {
        /// Ask the refresher.
        case ask(TransferID)
        /// Ask it later.
        case postpone(TransferID, Duration)
    }

    private struct Tries {
        /// The bytes that the transfer had when its URL was found to have expired.
        var received: Int64
        /// Number of failed refreshes since.
        var failed = 0
    }

    private struct State {
        var tries: [TransferID: Tries] = [:]
        /// Transfers for which the refresher is asked, now or later.
        var pending: Set<TransferID> = []
        var postponed: [Order] = []
        var ready: [TransferID] = []
        var asking = 0
        /// Whether earlier waiting transfers have been looked up.
        var hasLooked = false
        var looking: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    /// Yields an element whenever there may be something to do, beginning with one. It serves one run of the engine.
    func begin() -> AsyncStream<Void> {
        let (looks, looking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            let tries = state.tries
            state = State(tries: tries, looking: looking)
        }
        looking.yield()
        return looks
    }

    /// Whether the refresher may still deliver a URL.
    var mayHold: Bool { state.withLock { !$0.hasLooked || !$0.pending.isEmpty } }

    /// Whether the refresher is asked, or will be, for a transfer.
    func isPending(_ id: TransferID) -> Bool { state.withLock { $0.pending.contains(id) } }

    /// Notes that earlier waiting transfers have been looked up.
    func noteLook() { state.withLock { $0.hasLooked = true } }

    /// Asks for another look.
    func look() { state.withLock { $0.looking }?.yield() }

    /// Notes that a transfer waits for a fresh URL.
    ///
    /// - Parameter delay: how long to wait after this number of failures; `nil` to give up.
    /// - Returns: whether the refresher will be asked.
    @discardableResult
    func expect(_ transfer: Transfer, delay: (_ failures: Int) -> Duration?) -> Bool {
        let received = transfer.work.progress.received
        let isExpected = state.withLock { state in
            guard !state.pending.contains(transfer.id) else { return true }
            guard state.pending.count < Self.limit else { return false }
            if var tries = state.tries[transfer.id], tries.received >= received {
                tries.failed += 1
                state.tries[transfer.id] = tries
                guard let delay = delay(tries.failed) else { return false }
                state.postponed.append(.postpone(transfer.id, delay))
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

    /// The next action. A caller that gets ``Order/ask(_:)`` must call ``end(_:)`` or ``fail(_:delay:)``.
    func next(mayAsk: Bool) -> Order? {
        state.withLock { state in
            if let postponed = state.postponed.popLast() { return postponed }
            guard mayAsk, state.asking < Self.mostAtOnce, !state.ready.isEmpty else { return nil }
            state.asking += 1
            return .ask(state.ready.removeFirst())
        }
    }

    /// Notes that the time to ask again has come.
    func resume(_ id: TransferID) {
        state.withLock { $0.ready.append(id) }
        look()
    }

    /// Notes that the refresher gave no URL.
    ///
    /// - Returns: whether it will be asked again.
    func fail(_ id: TransferID, delay: (_ failures: Int) -> Duration?) -> Bool {
        let isAskedAgain = state.withLock { state in
            state.asking -= 1
            state.tries[id]?.failed += 1
            guard let delay = delay(state.tries[id]?.failed ?? 1) else {
                state.pending.remove(id)
                return false
            }
            state.postponed.append(.postpone(id, delay))
            return true
        }
        look()
        return isAskedAgain
    }

    /// Notes that the refresher is no longer asked for this transfer.
    func end(_ id: TransferID) {
        state.withLock { state in
            state.asking -= 1
            state.pending.remove(id)
        }
        look()
    }

    /// Notes that a transfer is over, or that its fresh URL was not used.
    func forget(_ id: TransferID) { state.withLock { $0.tries[id] = nil } }
}
