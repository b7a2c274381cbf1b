import FerryCore
import GRDB

/// Pages of transfers.
extension StoreView {
    /// A page of transfers.
    func transfers(_ filter: TransferFilter, in order: ListOrder, limit: Int) throws -> [Transfer] {
        var found: [Transfer] = []
        var order = order
        // Later rows fill the places of damaged ones, so that every page but the last is full.
        while found.count < limit {
            let numbers = try numbers(filter, in: order, limit: limit)
            for number in numbers where found.count < limit {
                if let transfer = try readableTransfer(TransferID(rawValue: number)) {
                    found.append(transfer)
                }
            }
            guard numbers.count == limit, let end = numbers.last else { break }
            order = order.going(past: TransferID(rawValue: end))
        }
        return found
    }

    private func numbers(_ filter: TransferFilter, in order: ListOrder, limit: Int) throws -> [Int64] {
        let (queue, tag) = (filter.queue, filter.tag)
        let names = [queue, tag?.text].compactMap(\.self)
        let values = StatementArguments([order.place, Int64(limit)]) + StatementArguments(names)
        var numbers: [Int64] = []
        for sql in Self.pages(filter, in: order, areFewQueued: try areFewQueued(filter)) {
            let statement = try db.cachedStatement(sql: sql)
            numbers += try Int64.fetchAll(statement, arguments: values)
        }
        // Another program may have left a transfer in both tables.
        let sorted = Set(numbers).sorted {
            order.precedes(TransferID(rawValue: $0), TransferID(rawValue: $1))
        }
        return Array(sorted.prefix(limit))
    }

    /// Whether so few transfers are queued that a list of them is read from the lines and sorted. Otherwise it is read in
    /// the order of the numbers, as nearly all transfers are queued.
    private func areFewQueued(_ filter: TransferFilter) throws -> Bool {
        guard filter.looksForStates, filter.states?.contains(.queued) == true else { return false }
        return try counts()[.queued, default: 0] <= Self.few
    }

    /// Maximum number of queued transfers that are sorted. Each page of a list reads and sorts all of them.
    private static let few = 512

    /// The statements that select the numbers of a page.
    static func pages(
        _ filter: TransferFilter,
        in order: ListOrder,
        areFewQueued: Bool = false
    ) -> [String] {
        filter.sources(areFewQueued).map { $0.page(in: order, of: filter.queue, tagged: filter.tag != nil) }
    }
}

extension ListOrder {
    /// The number next to which a page begins.
    fileprivate var place: Int64 {
        switch self {
        case .oldestFirst(let last): last?.rawValue ?? .min
        case .newestFirst(let last): last?.rawValue ?? .max
        }
    }

    /// How the number of a transfer compares with that place, and the direction of the list, in SQL.
    fileprivate var terms: (comparison: String, direction: String) {
        switch self {
        case .oldestFirst: (">", "")
        case .newestFirst: ("<", " DESC")
        }
    }
}

/// A table that is searched for the transfers of a page, and their states.
private struct PageSource {
    var table: String
    /// The index that finds the states; `nil` for none.
    var index: String?
    /// The states, in SQL; `nil` for all.
    var states: String?

    /// Selects the numbers of a page. Its arguments: the number before the page, the length of the page, then the queue and
    /// the tag, if given.
    func page(in listOrder: ListOrder, of queue: String?, tagged: Bool) -> String {
        let (comparison, direction) = listOrder.terms
        var terms = [states, "\(table).id \(comparison) ?1"].compactMap(\.self)
        if queue != nil { terms.append("queue = ?3") }
        if tagged {
            terms.append("tag = ?\(queue == nil ? 3 : 4)")
        } else if let queue, queue != TransferQueue.usualName, table == "transfer", index == nil {
            // A few in one queue may stand among very many in another.
            terms.append(StoreSchema.isInNamedQueue)
        }
        // Few transfers have a tag, and many share a state.
        let rows =
            tagged
            ? "work INDEXED BY work_tag CROSS JOIN \(table) ON \(table).id = work.id"
            : table + (index.map { " INDEXED BY \($0)" } ?? "")
        let order = (tagged ? "work.id" : "\(table).id") + direction
        return """
            SELECT \(table).id FROM \(rows) WHERE \(terms.joined(separator: " AND ")) ORDER BY \(order) LIMIT ?2
            """
    }

    /// The transfers in the table `transfer`.
    static func transfers(_ states: String? = nil) -> PageSource {
        PageSource(table: "transfer", states: states)
    }

    /// Where to find the transfers in a state.
    static func of(_ state: TransferState.Name, areFewQueued: Bool) -> [PageSource] {
        let isState = "state = '\(state)'"
        let ended = PageSource(table: "ended", states: isState)
        switch state {
        // Nearly all transfers are queued, so they have no index of states.
        case .queued where areFewQueued:
            let isInLine = "runnable = 1 AND \(isState)"
            return [PageSource(table: "transfer", index: "transfer_line", states: isInLine)]
        case .queued: return [transfers(isState)]
        case .active: return [PageSource(table: "transfer", index: "transfer_active", states: isState)]
        case .waiting, .paused, .failed, .completed, .cancelled:
            let indexed = "\(isState) AND \(StoreSchema.isInStateIndex)"
            let transfers = PageSource(table: "transfer", index: "transfer_state", states: indexed)
            return state == .completed || state == .cancelled ? [transfers, ended] : [transfers]
        }
    }
}

extension TransferFilter {
    /// Whether some states are looked for, each where its transfers are.
    fileprivate var looksForStates: Bool {
        condition == nil && states != nil && states != Self.unfinished.states
            && states != Self.unfinishedOrFailed.states
    }

    /// Where to find the transfers that the filter selects.
    fileprivate func sources(_ areFewQueued: Bool) -> [PageSource] {
        if let condition {
            let isWaiting = "condition = '\(condition)'"
            return [PageSource(table: "transfer", index: "transfer_condition", states: isWaiting)]
        }
        guard let states else { return [.transfers(), PageSource(table: "ended")] }
        switch states {
        case Self.unfinished.states: return [.transfers(StoreSchema.isLiving)]
        case Self.unfinishedOrFailed.states: return [.transfers(StoreSchema.isNotOver)]
        default:
            return TransferState.Name.allCases.filter(states.contains)
                .flatMap { PageSource.of($0, areFewQueued: areFewQueued) }
        }
    }
}
