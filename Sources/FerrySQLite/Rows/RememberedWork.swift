import FerryCore

/// The request of a transfer as a claim has read it. The settlement reuses it unless the request was edited.
///
/// A class, because it is large and its rows are copied.
final class RememberedWork: Sendable {
    /// The request, without queue and priority, which are in the table `transfer`.
    let new: NewTransfer
    /// When it was added.
    let added: Instant
    /// The number of its changes.
    let revision: Int64

    /// Creates it from the columns that were read.
    init(new: NewTransfer, added: Instant, revision: Int64) {
        self.new = new
        self.added = added
        self.revision = revision
    }
}

/// The requests of the latest claims, in a ring.
struct RememberedWorks {
    /// Maximum number of requests: more than the number of simultaneous attempts.
    static let most = 256

    private var works: [TransferID: RememberedWork] = [:]
    private var ring: [TransferID] = []
    private var oldest = 0

    /// The request of a transfer, if it is remembered.
    subscript(id: TransferID) -> RememberedWork? { works[id] }

    /// Remembers a request; replaces the oldest one when the ring is full.
    mutating func remember(_ work: RememberedWork, of id: TransferID) {
        guard works.updateValue(work, forKey: id) == nil else { return }
        if ring.count < Self.most { return ring.append(id) }
        works[ring[oldest]] = nil
        ring[oldest] = id
        oldest = (oldest + 1) % Self.most
    }
}
