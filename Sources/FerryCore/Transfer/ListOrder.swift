/// The order of a list of transfers, and where the list begins. A transfer that was added later has a higher ID.
package enum ListOrder: Hashable, Sendable {
    /// By rising IDs, after this one; `nil` begins with the oldest transfer.
    case oldestFirst(after: TransferID?)
    /// By falling IDs, before this one; `nil` begins with the newest transfer.
    case newestFirst(before: TransferID?)

    /// The order of the rest of a list whose latest part ended with this transfer.
    package func going(past last: TransferID) -> ListOrder {
        switch self {
        case .oldestFirst: .oldestFirst(after: last)
        case .newestFirst: .newestFirst(before: last)
        }
    }

    /// Whether a transfer is behind the place where the list begins.
    package func includes(_ id: TransferID) -> Bool {
        switch self {
        case .oldestFirst(let last): last.map { id > $0 } ?? true
        case .newestFirst(let last): last.map { id < $0 } ?? true
        }
    }

    /// Whether one transfer comes before another.
    package func precedes(_ id: TransferID, _ other: TransferID) -> Bool {
        switch self {
        case .oldestFirst: id < other
        case .newestFirst: id > other
        }
    }
}
