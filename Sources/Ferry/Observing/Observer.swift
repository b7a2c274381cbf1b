import FerryCore

/// Somebody who is told of updates: whom they are about, and of whom nothing was told yet.
struct Observer {
    /// Whom it is about and may still hear of; `nil` for all.
    private(set) var ids: Set<TransferID>?
    /// The one that it was opened for, where it was a single one.
    let only: TransferID?
    /// Those whose present state is yet to be told,
    private var untold: Set<TransferID> = []
    /// and in which order their rows are read for that; some may have been told of already.
    private var asked: ArraySlice<TransferID> = []
    private(set) weak var buffer: UpdateBuffer?

    init(_ ids: Set<TransferID>?, _ buffer: UpdateBuffer) {
        self.ids = ids
        only = ids?.count == 1 ? ids?.first : nil
        self.buffer = buffer
    }

    /// Whether it hears of a transfer.
    func isAbout(_ id: TransferID) -> Bool { ids?.contains(id) ?? true }

    /// Asks for the present state of these, in this order.
    mutating func ask(_ ids: [TransferID]) {
        untold.formUnion(ids)
        asked += ids
    }

    /// Takes those whose rows are to be read next; none while it has not taken what was told already, unless this is the last
    /// time.
    mutating func takeAsked(upTo limit: Int, isLast: Bool) -> [TransferID] {
        guard isLast || hasRoom else { return [] }
        let next = asked.prefix(limit)
        asked = next.count < asked.count ? asked.dropFirst(next.count) : []
        return next.filter(untold.contains)
    }

    /// Whether it waits for rows to be read, and has room for what they tell.
    var canBeTold: Bool { !asked.isEmpty && hasRoom }

    private var hasRoom: Bool { buffer?.hasRoom() ?? false }

    /// Tells it, where that is news to it.
    mutating func tell(_ update: TransferUpdate, isNews: Bool) {
        let wasUntold = untold.remove(update.transfer.id) != nil
        if isNews || wasUntold { buffer?.put(update) }
    }

    /// Nothing more will be heard of a transfer.
    mutating func leave(_ id: TransferID) {
        ids?.remove(id)
        untold.remove(id)
    }
}
