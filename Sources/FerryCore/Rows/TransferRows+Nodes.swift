/// What nodes and transfers (``NodeRows``) do to one another.
extension TransferRows {
    /// Adds the transfers of nodes that need them.
    ///
    /// - Parameters:
    ///   - downloads: the nodes, and how each is downloaded.
    ///   - name: the name of the tree.
    ///   - add: adds transfers; returns `nil` when the write has to be repeated.
    /// - Returns: what became of each, in order; `nil` when the write has to be repeated.
    package func addNeeded(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        in name: String,
        _ add: ([NewTransfer]) throws -> [Addition]?
    ) throws -> [NeededOutcome]? {
        guard let tree = try nodes.tree(named: name) else { return downloads.map { _ in .notNeeded } }
        var outcomes: [NeededOutcome] = []
        var additions: [Addition] = []
        var wave: [(position: Int, link: NodeLink, new: NewTransfer)] = []
        var pending: Set<Int64> = []
        func finishWave() throws -> Bool {
            guard !wave.isEmpty else { return true }
            guard let added = try add(wave.map(\.new)) else { return false }
            for (entry, addition) in zip(wave, added) {
                outcomes[entry.position] = try link(entry.link, addition)
            }
            additions += added
            wave = []
            pending = []
            return true
        }
        for (id, download) in downloads {
            let position = outcomes.count
            outcomes.append(.notNeeded)
            guard let stored = try nodes.node(id, in: tree), !pending.contains(stored.number),
                let components = stored.mark?.components.intersection(download.components),
                !components.isEmpty
            else { continue }
            if let transfer = try unfinishedTransfer(of: stored.number) {
                outcomes[position] = .present(transfer)
                continue
            }
            var new = download.transfer
            new.replacesOrder = true
            // A look before this write might miss the one that ends a node's former transfer.
            if new.work.asksForAnother, let earlier = try completed(like: new.work) {
                new.work.update(earlier.work)
            }
            if download.isAfterParent {
                // The transfer of the parent may only be added with this wave.
                guard try !hasAncestor(stored, in: pending) || finishWave() else { return nil }
                if let parent = try unfinishedTransfer(above: stored) { new.after.append(parent) }
            }
            let link = NodeLink(
                node: stored.number,
                transfer: TransferID(rawValue: 0),
                components: components,
                generation: tree.generation,
                etag: stored.node.etag
            )
            wave.append((position, link, new))
            pending.insert(stored.number)
        }
        return try finishWave() ? current(outcomes, after: additions) : nil
    }

    /// The outcomes with each row as it is after all additions. A new row can only be stale if a later addition met or revived
    /// a transfer, or if one of the queues cancels what is in the way.
    private func current(
        _ outcomes: [NeededOutcome],
        after additions: [Addition]
    ) throws -> [NeededOutcome] {
        let areNew = additions.allSatisfy { if case .added = $0 { true } else { false } }
        let queues = Set(additions.map(\.transfer.queue))
        if areNew, try queues.allSatisfy({ try queue(named: $0).overflow == .wait }) { return outcomes }
        return try outcomes.map { outcome in
            guard case .added(let transfer) = outcome else { return outcome }
            return .added(try existingRow(transfer.id).transfer)
        }
    }

    /// Records which transfer downloads a node. A transfer that runs, or has all its bytes, does not ask the server again. It
    /// may bring the version from before the mark, so its end proves nothing. Any other asks whether its bytes still count.
    private func link(_ link: NodeLink, _ addition: Addition) throws -> NeededOutcome {
        let transfer = addition.transfer
        let progress = transfer.work.progress
        guard transfer.state.name != .active, progress.received != progress.total else {
            return .present(transfer.id)
        }
        var link = link
        link.transfer = transfer.id
        try nodes.put(link)
        if case .attached = addition { return .present(transfer.id) }
        return .added(transfer)
    }

    /// The record of a file of a node that an attempt has found up to date, which its own record replaces. Otherwise each pass
    /// over a tree would leave one more record of each file. The new record stays, because the retention counts from its end.
    ///
    /// What was asked for through the queue keeps all records: its callers may look them up.
    ///
    /// - Parameter row: the transfer as the attempt ends it, before it is written.
    func recordReplaced(by row: Stored) throws -> TransferID? {
        guard row.transfer.isUpToDate, !row.former.isForQueue,
            try !nodes.links(of: row.transfer.id).isEmpty,
            let earlier = try completed(like: row.former.work), row.transfer.confirms(earlier)
        else { return nil }
        return earlier.id
    }

    /// The transfer of a node that is not over.
    private func unfinishedTransfer(of number: Int64) throws -> TransferID? {
        guard let link = try nodes.link(of: number), let state = try stateName(of: link.transfer) else {
            return nil
        }
        return state.isFinal ? nil : link.transfer
    }

    /// The unfinished transfer of the nearest node above this one; `nil` if no node above it has one.
    private func unfinishedTransfer(above stored: StoredNode) throws -> TransferID? {
        var transfer: TransferID?
        try follow(stored) { number in
            transfer = try unfinishedTransfer(of: number)
            return transfer == nil
        }
        return transfer
    }

    private func hasAncestor(_ stored: StoredNode, in numbers: Set<Int64>) throws -> Bool {
        var isFound = false
        try follow(stored) { number in
            isFound = numbers.contains(number)
            return !isFound
        }
        return isFound
    }

    /// Visits the nodes above a node, the nearest first, until `visit` returns `false`. Ends in a circle.
    private func follow(_ stored: StoredNode, _ visit: (Int64) throws -> Bool) throws {
        var visited: Set = [stored.number]
        var next: Int64? = stored.parent
        while let number = next, number > 0, visited.insert(number).inserted, try visit(number) {
            next = try nodes.parent(of: number)
        }
    }

    /// Removes nodes and all that is below them, the deepest first, cancels their transfers, and notes the deletion of their entries.
    ///
    /// - Parameter limit: the maximum number of nodes at once. If as many were removed, more may remain.
    package func removeNodes(
        _ ids: [NodeID],
        in name: String,
        upTo limit: Int,
        holder: OwnerID?,
        at now: Instant
    ) throws -> NodeRemoval {
        try requireOwner(holder)
        var removal = NodeRemoval()
        guard let tree = try nodes.tree(named: name) else { return removal }
        for id in ids {
            guard let first = try nodes.number(of: id, in: tree) else { continue }
            var path = [first]
            var onPath: Set = [first]
            while let number = path.last, removal.count < limit {
                if let child = try firstChild(of: number, besides: onPath) {
                    path.append(child)
                    onPath.insert(child)
                    continue
                }
                if let ended = try endTransfer(of: number, holder: holder, at: now) {
                    removal.cancelled.append(ended.id)
                    try cache.abandon(ended)
                }
                try cache.removeEntries(ofNode: number)
                try nodes.delete(number, in: tree)
                removal.count += 1
                path.removeLast()
                onPath.remove(number)
            }
        }
        return removal
    }

    /// A child that is not an ancestor of itself. Only nodes in a circle have one that is.
    private func firstChild(of number: Int64, besides path: Set<Int64>) throws -> Int64? {
        var place: NodePlace?
        while let child = try nodes.children(of: number, after: place, upTo: 1).first {
            if !path.contains(child.number) { return child.number }
            place = NodePlace(child)
        }
        return nil
    }

    /// Cancels the transfer of a node, unless another node has it as well.
    private func endTransfer(of number: Int64, holder: OwnerID?, at now: Instant) throws -> Transfer? {
        guard let link = try nodes.link(of: number) else { return nil }
        try nodes.deleteLink(of: number)
        guard try nodes.links(of: link.transfer).isEmpty, let state = try stateName(of: link.transfer),
            !state.isOver, try undamagedRow(link.transfer) != nil
        else { return nil }
        return try ask(.cancel(keepingPart: false), of: link.transfer, holder: holder, at: now)
    }
}
