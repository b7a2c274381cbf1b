import FerryCore
import Synchronization

/// Which transfers wait for a fresh URL that a refresher may give, and which of them are to be asked for now.
///
/// A URL that has expired again before it brought a byte counts like none at all: it would be refreshed without end.
final class URLRefreshes: Sendable {
    /// The most transfers that are remembered (I9).
    static let limit = 10_000
    /// For how many a refresher is asked at once.
    static let mostAtOnce = 8

    /// What is to be done for a transfer.
    enum Order: Hashable, Sendable {
        /// The refresher is to be asked.
        case ask(TransferID)
        /// It is to be asked later.
        case postpone(TransferID, Duration)
    }

    private struct Tries {
        /// How far the transfer had come when its URL was found to have expired.
        var received: Int64
        /// How often the refresher was of no help since.
        var failed = 0
    }

    private struct State {
        var tries: [TransferID: Tries] = [:]
        /// Those for which it is asked, now or later.
        var pending: Set<TransferID> = []
        var postponed: [Order] = []
        var ready: [TransferID] = []
        var asking = 0
        /// Whether those have been looked for that waited before.
        var hasLooked = false
        var looking: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    /// An element whenever there may be something to do, beginning with one; for one run of the engine.
    func begin() -> AsyncStream<Void> {
        let (looks, looking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            let tries = state.tries
            state = State(tries: tries, looking: looking)
        }
        looking.yield()
        return looks
    }

    /// Whether something may still come of a refresher.
    var mayHold: Bool { state.withLock { !$0.hasLooked || !$0.pending.isEmpty } }

    /// Whether a refresher is asked, or will be, for a transfer.
    func isPending(_ id: TransferID) -> Bool { state.withLock { $0.pending.contains(id) } }

    /// Those that waited before have been looked for.
    func noteLook() { state.withLock { $0.hasLooked = true } }

    /// Lets it be looked for something to do.
    func look() { state.withLock { $0.looking }?.yield() }

    /// A transfer waits for a fresh URL.
    ///
    /// - Parameter delay: how long to wait after so many times in vain; `nil` to give up.
    /// - Returns: whether a refresher will be asked.
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

    /// What is to be done next; whoever takes an ``Order/ask(_:)`` says ``end(_:)``, ``fail(_:delay:)`` or both ends.
    func next(mayAsk: Bool) -> Order? {
        state.withLock { state in
            if let postponed = state.postponed.popLast() { return postponed }
            guard mayAsk, state.asking < Self.mostAtOnce, !state.ready.isEmpty else { return nil }
            state.asking += 1
            return .ask(state.ready.removeFirst())
        }
    }

    /// The time has come to ask again.
    func resume(_ id: TransferID) {
        state.withLock { $0.ready.append(id) }
        look()
    }

    /// The refresher was of no help.
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

    /// It is asked no more for this transfer.
    func end(_ id: TransferID) {
        state.withLock { state in
            state.asking -= 1
            state.pending.remove(id)
        }
        look()
    }

    /// A transfer is over, or what was found out for it was not used.
    func forget(_ id: TransferID) { state.withLock { $0.tries[id] = nil } }
}
