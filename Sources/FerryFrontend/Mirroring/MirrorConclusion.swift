package import Ferry

/// Notes what a mirror has placed, removes what is gone if that was asked for, and counts.
package struct MirrorConclusion {
    private let plan: MirrorPlan
    private let engine: TransferEngine
    private let tree: TransferTree
    private let state: MirrorState
    private let tell: @Sendable (MirrorEvent) -> Void
    private var tally: MirrorTally
    /// Nodes that the source had in a dry run.
    private let seen: Set<Int64>
    /// Directories that the source no longer has, in the order of the walk.
    private var goneDirectories: [(path: String, isMade: Bool)] = []

    private init(
        _ plan: MirrorPlan,
        _ engine: TransferEngine,
        _ tree: TransferTree,
        _ outcome: MirrorDiscovery.Outcome,
        _ tell: @escaping @Sendable (MirrorEvent) -> Void
    ) {
        (self.plan, self.engine, self.tree, self.tell) = (plan, engine, tree, tell)
        (state, tally, seen) = (outcome.state, outcome.tally, outcome.seen)
    }

    /// Ends a pass.
    ///
    /// - Parameter outcome: of its listing.
    /// - Returns: what became of the files. In a dry run nothing is changed.
    package static func conclude(
        _ plan: MirrorPlan,
        _ outcome: MirrorDiscovery.Outcome,
        by engine: TransferEngine,
        _ tell: @escaping @Sendable (MirrorEvent) -> Void
    ) async throws -> MirrorTally {
        let tree = try await MirrorTree(of: plan, in: engine)
        guard tree.state != nil else { return outcome.tally }
        var conclusion = MirrorConclusion(plan, engine, tree.nodes, outcome, tell)
        try await conclusion.settle(isOver: true)
        return conclusion.tally
    }

    /// Notes what was placed so far, before more is downloaded.
    package static func note(
        _ plan: MirrorPlan,
        _ outcome: MirrorDiscovery.Outcome,
        by engine: TransferEngine
    ) async throws {
        let tree = try await MirrorTree(of: plan, in: engine)
        guard tree.state != nil else { return }
        var conclusion = MirrorConclusion(plan, engine, tree.nodes, outcome) { _ in }
        try await conclusion.settle(isOver: false)
    }

    private mutating func settle(isOver: Bool) async throws {
        var walk = NodeWalk()
        while !walk.isDone {
            let page: [WalkedNode]
            (page, walk) = try await tree.page(of: walk)
            try await settle(page, isOver: isOver)
        }
        guard isOver, !plan.isDryRun else { return }
        if plan.deletes { try await removeDirectories() }
        var ended = state
        ended.phase = .over
        let top = try await tree.nodes([NodeID(MirrorPath.top)])[0]
        try await tree.discover([MirrorTree.top(ended, at: top?.node.source)])
    }

    /// A file of the tree.
    private typealias File = (node: Node, entry: MirrorEntry)

    private mutating func settle(_ page: [WalkedNode], isOver: Bool) async throws {
        var (placed, gone): ([File], [File]) = ([], [])
        let numbers = plan.isDryRun ? try await tree.nodes(page.map(\.node.id)).map { $0?.number } : []
        for (index, visited) in page.enumerated() {
            let path = visited.node.id.text
            guard path != MirrorPath.top, let entry = MirrorEntry(visited.node.payload) else { continue }
            let isListed =
                plan.isDryRun ? numbers[index].map(seen.contains) ?? true : entry.pass == state.pass
            if !isListed {
                // What a listing that failed would have named is not gone, and what a filter leaves out is not looked at.
                guard isOver, state.isComplete else { continue }
                switch entry.kind {
                case .file: if plan.filter.takes(path) { gone.append((visited.node, entry)) }
                case .directory: if plan.filter.enters(path) { goneDirectories.append((path, entry.isMade)) }
                }
            } else if entry.kind == .file, !plan.isDryRun {
                if entry.isPending, visited.mark == nil {
                    placed.append((visited.node, entry))
                } else if isOver {
                    count(entry, isMarked: visited.mark != nil)
                }
            }
        }
        try await note(placed, isOver: isOver)
        try await part(with: gone)
    }

    private mutating func count(_ entry: MirrorEntry, isMarked: Bool) {
        // What was not downloaded may be up to date or not.
        let standing = entry.standing == .asked ? .changed : entry.standing
        tally.count(isMarked ? standing : entry.standing)
        if isMarked { tally.unfinished += 1 }
    }

    // MARK: Placed files

    /// Notes the files that completed transfers have placed.
    private mutating func note(_ files: [File], isOver: Bool) async throws {
        guard !files.isEmpty else { return }
        let saved = try await MirrorTree.saved(files.map(\.node), of: plan, by: engine)
        var discoveries: [NodeDiscovery] = []
        for (node, entry) in files {
            var entry = entry
            let now = saved[node.id.text]?.placedFile
            let isReplaced = now != entry.placed
            switch entry.standing {
            case .asked: entry.standing = isReplaced ? .changed : .unchanged
            case .changed where !isReplaced:
                // The listing and the file do not agree, for example because the server keeps one of them for a while.
                // The next pass asks again.
                (entry.standing, entry.version) = (.unchanged, ListedVersion())
            default: break
            }
            (entry.placed, entry.isPending) = (now, false)
            discoveries.append(
                NodeDiscovery(MirrorTree.node(node.id.text, entry, at: node.source))
            )
            if isOver { count(entry, isMarked: false) }
        }
        try await tree.discover(discoveries)
    }

    // MARK: What is gone

    /// Takes files into account that the source no longer has.
    private mutating func part(with files: [File]) async throws {
        var forgotten: [NodeID] = []
        for (node, entry) in files {
            let path = node.id.text
            tally.gone += 1
            guard plan.deletes || entry.placed == nil else {
                tell(.gone(path: path))
                continue
            }
            if plan.isDryRun {
                tell(plan.deletes && entry.placed != nil ? .deleted(path: path) : .gone(path: path))
                continue
            }
            // Without a file, a node is only a download that has nothing to fetch any more.
            forgotten.append(node.id)
            guard let placed = entry.placed else { continue }
            if let reason = try await delete(path, placed) {
                tally.spared += 1
                tell(.spared(path: path, reason: reason))
            } else {
                tally.deleted += 1
                tell(.deleted(path: path))
            }
        }
        if !forgotten.isEmpty { try await tree.remove(forgotten) }
    }

    /// Removes a file that was not changed since it was placed.
    ///
    /// - Returns: why it stays; `nil` if it is gone.
    private func delete(_ path: String, _ placed: PlacedFile) async throws -> String? {
        do {
            let place = try plan.folder.place(of: path)
            if let found = try await engine.entry(at: place), !placed.isStill(found) {
                return "It was changed since the mirror placed it."
            }
            let isGone = try plan.folder.remove(path, ifStill: placed)
            return isGone ? nil : "It was changed since the mirror placed it."
        } catch let obstacle as MirrorFolder.Obstacle {
            return obstacle.isMissing ? nil : obstacle.reason
        } catch let problem as StorageProblem {
            return problem.isMissing ? nil : problem.problem.failure.message
        }
    }

    /// Removes the empty ones among the directories that the mirror made, the deepest first.
    private func removeDirectories() async throws {
        for (path, isMade) in goneDirectories.reversed() where isMade {
            do throws(MirrorFolder.Obstacle) {
                try plan.folder.removeDirectory(path)
            } catch {
                // It is no longer empty, or no longer there.
                continue
            }
        }
        for (path, _) in goneDirectories.reversed() {
            // What a filter leaves out may still be below it.
            var count = 0
            try await tree.walk(under: NodeID(path)) { _ in
                count += 1
                return count == 1 ? .descend : .stop
            }
            if count == 1 { try await tree.remove([NodeID(path)]) }
        }
    }
}

extension StorageProblem {
    /// Whether a directory on the way is not there.
    fileprivate var isMissing: Bool { errno == 2 }
}
