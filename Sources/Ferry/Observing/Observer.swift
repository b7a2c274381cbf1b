import FerryCore

/// An observer of updates: the transfers that it observes, and those for which it has no update yet.
struct Observer {
    /// The observed transfers that may still change; `nil` for all.
    private(set) var ids: TransferIDSet?
    /// The observed transfer, if there was exactly one from the beginning.
    private(set) var only: TransferID?
    /// Transfers whose present state has not been delivered.
    private var untold: Set<TransferID> = []
    /// The order in which their rows are read. Some may have been delivered already.
    private var asked: ArraySlice<TransferID> = []
    private(set) weak var buffer: UpdateBuffer?

    init(_ ids: Set<TransferID>?, _ buffer: UpdateBuffer) {
        self.ids = ids.map { TransferIDSet($0) }
        only = ids?.count == 1 ? ids?.first : nil
        self.buffer = buffer
    }

    /// Observes these, too. An observer of all does already.
    mutating func join(_ joining: [TransferID]) {
        for id in joining { ids?.insert(id) }
        only = nil
    }

    /// Whether it observes a transfer.
    func isAbout(_ id: TransferID) -> Bool { ids?.contains(id) ?? true }

    /// Asks for the present state of these, in this order.
    mutating func ask(_ ids: [TransferID]) {
        untold.formUnion(ids)
        asked += ids
    }

    /// Takes the next transfers whose rows to read. Takes none while the observer has not taken its earlier updates,
    /// unless this is the last time.
    mutating func takeAsked(upTo limit: Int, isLast: Bool) -> [TransferID] {
        guard isLast || hasRoom else { return [] }
        let next = asked.prefix(limit)
        asked = next.count < asked.count ? asked.dropFirst(next.count) : []
        return next.filter(untold.contains)
    }

    /// Whether it waits for rows and has room for their updates.
    var canBeTold: Bool { !asked.isEmpty && hasRoom }

    private var hasRoom: Bool { buffer?.hasRoom() ?? false }

    /// Delivers an update if it is new to the observer.
    mutating func tell(_ update: TransferUpdate, isNews: Bool) {
        let wasUntold = untold.remove(update.transfer.id) != nil
        if isNews || wasUntold { buffer?.put(update) }
    }

    /// Notes that a transfer yields no more updates.
    mutating func leave(_ id: TransferID) {
        ids?.remove(id)
        untold.remove(id)
    }
}
