import FerryCore
import Synchronization

/// Counts the callers of each download of this engine, so that one caller's cancel leaves it to the others.
///
/// A caller is counted before the store is asked, by the identity of the download. So a cancel that comes while the
/// store answers takes this caller into account.
final class Callers: Sendable {
    private struct State {
        /// The transfers that have not ended and have one caller. There may be very many.
        private var single = TransferIDSet()
        /// Number of callers of each of the others that have not ended.
        private var counts: [TransferID: Int] = [:]
        /// Number of callers that wait for the store's answer, by the download's identity.
        var expected: [String: Int] = [:]
        /// Transfers that their last caller left to an expected caller.
        var deserted: [String: Set<TransferID>] = [:]

        /// Number of callers of a transfer; `nil` for one that is not counted.
        subscript(id: TransferID) -> Int? {
            get { single.contains(id) ? 1 : counts[id] }
            set {
                counts[id] = newValue == 1 ? nil : newValue
                if newValue == 1 { single.insert(id) } else { single.remove(id) }
            }
        }
    }

    private let state = Mutex(State())

    /// Notes that a caller is about to ask for these downloads.
    func expect(_ identities: [String]) {
        state.withLock { state in
            for identity in identities { state.expected[identity, default: 0] += 1 }
        }
    }

    /// Notes the store's answer: these transfers, which are not over; none after an error.
    ///
    /// - Returns: transfers that were left to an expected caller that did not get them. They have no callers.
    func arrive(_ identities: [String], at ids: [TransferID]) -> [TransferID] {
        state.withLock { state in
            for id in ids { state[id] = (state[id] ?? 0) + 1 }
            var unwanted: [TransferID] = []
            for identity in identities {
                let left = (state.expected[identity] ?? 1) - 1
                state.expected[identity] = left > 0 ? left : nil
                guard left <= 0, let deserted = state.deserted.removeValue(forKey: identity) else { continue }
                unwanted += deserted.filter { state[$0] == 0 }.sorted()
            }
            for id in unwanted { state[id] = nil }
            return unwanted
        }
    }

    /// Withdraws one caller of a transfer.
    ///
    /// - Returns: whether the transfer continues for other callers. The last caller stays counted.
    func withdraw(from id: TransferID, _ identity: String) -> Bool {
        state.withLock { state in
            guard let count = state[id], count > 1 || count == 1 && state.expected[identity] != nil
            else {
                return false
            }
            state[id] = count - 1
            if count == 1 { state.deserted[identity, default: []].insert(id) }
            return true
        }
    }

    /// Notes that a transfer is over or removed.
    func forget(_ id: TransferID) {
        state.withLock { $0[id] = nil }
    }
}
