import FerryCore
import Synchronization

/// Which transfers were given a fresh URL, and how far they had come then.
///
/// A URL that has expired before it brings a byte is no help, and would be refreshed without end.
final class URLRefreshes: Sendable {
    /// The most transfers that are remembered (I9); one that is forgotten is merely asked for once more.
    static let limit = 10_000

    private let received = Mutex<[TransferID: Int64]>([:])

    /// Whether a fresh URL may be asked for; notes that it is.
    func begin(_ id: TransferID, received count: Int64) -> Bool {
        received.withLock { received in
            if let before = received[id], before >= count { return false }
            if received.count >= Self.limit { received = [:] }
            received[id] = count
            return true
        }
    }

    /// A transfer is over.
    func forget(_ id: TransferID) { received.withLock { $0[id] = nil } }
}
