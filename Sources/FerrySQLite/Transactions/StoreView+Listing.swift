import FerryCore
import GRDB

/// Pages of transfers, in the order of their numbers.
extension StoreView {
    /// A page of transfers.
    func transfers(_ filter: TransferFilter, after: TransferID?, limit: Int) throws -> [Transfer] {
        var found: [Transfer] = []
        var last = after
        // Later rows fill the places of damaged ones, so that every page but the last is full.
        while found.count < limit {
            let numbers = try numbers(filter, after: last, limit: limit)
            for number in numbers where found.count < limit {
                if let transfer = try readableTransfer(TransferID(rawValue: number)) {
                    found.append(transfer)
                }
            }
            guard numbers.count == limit, let end = numbers.last else { break }
            last = TransferID(rawValue: end)
        }
        return found
    }

    private func numbers(_ filter: TransferFilter, after: TransferID?, limit: Int) throws -> [Int64] {
        let after = after?.rawValue ?? .min
        let (queue, tag) = (filter.queue, filter.tag)
        let names = [queue, tag?.text].compactMap(\.self)
        let values = StatementArguments([after, Int64(limit)]) + StatementArguments(names)
        var numbers: [Int64] = []
        for sql in Self.pages(filter) {
            let statement = try db.cachedStatement(sql: sql)
            numbers += try Int64.fetchAll(statement, arguments: values)
        }
        // Another program may have left a transfer in both tables.
        return Array(Set(numbers).sorted().prefix(limit))
    }

    /// The statements that select the numbers of a page.
    static func pages(_ filter: TransferFilter) -> [String] {
        filter.sources.map { $0.page(inQueue: filter.queue != nil, tagged: filter.tag != nil) }
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
    func page(inQueue: Bool, tagged: Bool) -> String {
        var terms = [states, "\(table).id > ?1"].compactMap(\.self)
        if inQueue { terms.append("queue = ?3") }
        if tagged { terms.append("tag = ?\(inQueue ? 4 : 3)") }
        // Few transfers have a tag, and many share a state.
        let rows =
            tagged
            ? "work INDEXED BY work_tag CROSS JOIN \(table) ON \(table).id = work.id"
            : table + (index.map { " INDEXED BY \($0)" } ?? "")
        let order = tagged ? "work.id" : "\(table).id"
        return """
            SELECT \(table).id FROM \(rows) WHERE \(terms.joined(separator: " AND ")) ORDER BY \(order) LIMIT ?2
            """
    }

    /// The transfers in the table `transfer`.
    static func standing(_ states: String? = nil) -> PageSource {
        PageSource(table: "transfer", states: states)
    }

    /// Where to find the transfers in a state.
    static func of(_ state: TransferState.Name) -> [PageSource] {
        let isState = "state = '\(state)'"
        let ended = PageSource(table: "ended", states: isState)
        switch state {
        // Nearly all transfers are queued, so they have no index.
        case .queued: return [standing(isState)]
        case .active: return [PageSource(table: "transfer", index: "transfer_active", states: isState)]
        case .waiting, .paused, .failed, .completed, .cancelled:
            let indexed = "\(isState) AND \(StoreSchema.isInStateIndex)"
            let standing = PageSource(table: "transfer", index: "transfer_state", states: indexed)
            return state == .completed || state == .cancelled ? [standing, ended] : [standing]
        }
    }
}

extension TransferFilter {
    /// Where to find the transfers that the filter selects.
    fileprivate var sources: [PageSource] {
        if let condition {
            let isWaiting = "condition = '\(condition)'"
            return [PageSource(table: "transfer", index: "transfer_condition", states: isWaiting)]
        }
        guard let states else { return [.standing(), PageSource(table: "ended")] }
        switch states {
        case Self.unfinished.states: return [.standing(StoreSchema.isLiving)]
        case Self.incomplete.states: return [.standing(StoreSchema.isNotOver)]
        default: return TransferState.Name.allCases.filter(states.contains).flatMap(PageSource.of)
        }
    }
}
