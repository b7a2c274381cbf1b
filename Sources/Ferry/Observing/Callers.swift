import FerryCore
import Synchronization

/// Counts who has asked this engine for which download, so that the cancel of one caller leaves it to the others.
///
/// Whoever asks is counted before the store is, by what makes two downloads the same one: a cancel that comes while the
/// store answers knows of them.
final class Callers: Sendable {
    private struct State {
        /// How many want a transfer that is not over.
        var counts: [TransferID: Int] = [:]
        /// How many have asked the store for a download, by its identity, and have no answer yet.
        var expected: [String: Int] = [:]
        /// Those that their last caller left to somebody who was expected.
        var deserted: [String: Set<TransferID>] = [:]
    }

    private let state = Mutex(State())

    /// Somebody is about to ask for these downloads.
    func expect(_ identities: [String]) {
        state.withLock { state in
            for identity in identities { state.expected[identity, default: 0] += 1 }
        }
    }

    /// The store has answered with these transfers, which are not over; or with an error, and so with none.
    ///
    /// - Returns: those that were left to whoever was expected and did not get them: nobody wants them any more.
    func arrive(_ identities: [String], at ids: [TransferID]) -> [TransferID] {
        state.withLock { state in
            for id in ids { state.counts[id, default: 0] += 1 }
            var unwanted: [TransferID] = []
            for identity in identities {
                let left = (state.expected[identity] ?? 1) - 1
                state.expected[identity] = left > 0 ? left : nil
                guard left <= 0, let deserted = state.deserted.removeValue(forKey: identity) else { continue }
                unwanted += deserted.filter { state.counts[$0] == 0 }.sorted()
            }
            for id in unwanted { state.counts[id] = nil }
            return unwanted
        }
    }

    /// One of those who asked for a transfer wants it no more.
    ///
    /// - Returns: whether it goes on for others; the last one stays counted.
    func withdraw(from id: TransferID, _ identity: String) -> Bool {
        state.withLock { state in
            guard let count = state.counts[id], count > 1 || count == 1 && state.expected[identity] != nil
            else {
                return false
            }
            state.counts[id] = count - 1
            if count == 1 { state.deserted[identity, default: []].insert(id) }
            return true
        }
    }

    /// A transfer is over, or not there any more.
    func forget(_ id: TransferID) {
        state.withLock { $0.counts[id] = nil }
    }
}
