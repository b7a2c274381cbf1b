/// Which transfers to list, to steer or to add up, for example `TransferFilter.unfinished.of(tag: tag)`.
public struct TransferFilter: Hashable, Sendable {
    /// The states of the transfers; `nil` for all.
    package private(set) var states: Set<TransferState.Name>?
    /// The condition for which the transfers wait; `nil` for any or none.
    package private(set) var condition: WaitCondition.Name?
    /// The queue of the transfers; `nil` for every queue.
    package private(set) var queue: String?
    /// The tag of the transfers; `nil` for any or none.
    package private(set) var tag: TransferTag?

    /// Every transfer.
    public static let all = TransferFilter()
    /// Transfers that are not final: queued, active, waiting or paused.
    public static let unfinished = states(TransferState.Name.allCases.filter { !$0.isFinal })
    /// Transfers that can be resumed: queued, active, waiting, paused or failed.
    public static let unfinishedOrFailed = states(TransferState.Name.allCases.filter { !$0.isOver })

    /// Transfers in one state.
    public static func state(_ name: TransferState.Name) -> TransferFilter { states([name]) }

    /// Transfers in one of these states.
    public static func states(_ names: [TransferState.Name]) -> TransferFilter {
        TransferFilter(states: Set(names))
    }

    /// Transfers that wait for one condition.
    public static func waiting(_ condition: WaitCondition.Name) -> TransferFilter {
        TransferFilter(states: [.waiting], condition: condition)
    }

    /// The transfers of this selection that are in one queue.
    public func of(queue: String) -> TransferFilter {
        var filter = self
        filter.queue = queue
        return filter
    }

    /// The transfers of this selection that have one tag.
    public func of(tag: TransferTag) -> TransferFilter {
        var filter = self
        filter.tag = tag
        return filter
    }

    /// Whether a transfer is selected.
    package func passes(_ transfer: Transfer) -> Bool {
        if let states, !states.contains(transfer.state.name) { return false }
        if let condition {
            guard case .waiting(let wait) = transfer.state, wait.name == condition else { return false }
        }
        if let queue, transfer.queue != queue { return false }
        return tag == nil || transfer.tag == tag
    }
}
