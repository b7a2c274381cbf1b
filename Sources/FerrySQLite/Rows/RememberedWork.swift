import FerryCore

/// What a transfer is asked to do, as it was read for a claim. It is the same for the settlement, unless it was edited.
///
/// It is a class since it is large, and a row that has it is copied.
final class RememberedWork: Sendable {
    /// What was asked for, without queue and priority, which stand elsewhere.
    let new: NewTransfer
    /// When it was added.
    let added: Instant
    /// The number of changes that it had been through.
    let revision: Int64

    /// Remembers what was read.
    init(new: NewTransfer, added: Instant, revision: Int64) {
        self.new = new
        self.added = added
        self.revision = revision
    }
}

/// What was read for the latest claims, in a ring.
struct RememberedWorks {
    /// How many are remembered: those of the attempts that run at the same time, and some more.
    static let most = 256

    private var works: [TransferID: RememberedWork] = [:]
    private var ring: [TransferID] = []
    private var oldest = 0

    /// What is remembered of a transfer.
    subscript(id: TransferID) -> RememberedWork? { works[id] }

    /// Remembers one, in place of the oldest if there are many.
    mutating func remember(_ work: RememberedWork, of id: TransferID) {
        guard works.updateValue(work, forKey: id) == nil else { return }
        if ring.count < Self.most { return ring.append(id) }
        works[ring[oldest]] = nil
        ring[oldest] = id
        oldest = (oldest + 1) % Self.most
    }
}
