package import Ferry

/// Notes what a mirror has placed, removes what is gone if that was asked for, and counts.
package struct MirrorConclusion {
    private let mirror: MirrorTree
    private let state: MirrorState
    private let tell: @Sendable (MirrorEvent) -> Void
    private var tally: MirrorTally
    /// Whether files that the source no longer has are removed.
    private var removes = false
    /// Nodes that the source had in a dry run.
    private let seen: NodeNumbers
    /// Directories that the source no longer has, in the order of the walk; none if nothing is removed.
    private var goneDirectories: [(path: String, isMade: Bool)] = []

    private var plan: MirrorPlan { mirror.plan }
    private var tree: TransferTree { mirror.nodes }

    private init(
        _ mirror: MirrorTree,
        _ outcome: MirrorDiscovery.Outcome,
        _ tell: @escaping @Sendable (MirrorEvent) -> Void
    ) {
        (self.mirror, self.tell) = (mirror, tell)
        (state, tally, seen) = (outcome.state, outcome.tally, outcome.seen)
    }

    /// Ends a pass.
    ///
    /// - Parameters:
    ///   - outcome: of its listing.
    ///   - isDownloaded: whether all downloads have succeeded, besides those of files that are not replaced. Otherwise nothing is
    ///     removed.
    /// - Returns: what became of the files. In a dry run nothing is changed.
    package static func conclude(
        _ mirror: MirrorTree,
        _ outcome: MirrorDiscovery.Outcome,
        isDownloaded: Bool,
        _ tell: @escaping @Sendable (MirrorEvent) -> Void
    ) async throws -> MirrorTally {
        guard let state = mirror.state else { return outcome.tally }
        guard mirror.plan.isDryRun || state.pass == outcome.state.pass else {
            throw mirror.plan.otherProcess
        }
        var conclusion = MirrorConclusion(mirror, outcome, tell)
        conclusion.removes = try await conclusion.mayRemove(isDownloaded)
        try await conclusion.settle()
        return conclusion.tally
    }

    /// Notes which of some files were placed, before more is downloaded.
    package static func note(
        _ ids: [NodeID],
        of mirror: MirrorTree,
        _ outcome: MirrorDiscovery.Outcome
    ) async throws {
        guard mirror.state != nil else { return }
        var conclusion = MirrorConclusion(mirror, outcome) { _ in }
        for start in stride(from: 0, to: ids.count, by: pageLength) {
            let page = ids[start..<min(start + pageLength, ids.count)]
            let placed = try await mirror.nodes.nodes(Array(page)).compactMap { stored -> File? in
                guard let stored, stored.mark == nil, let entry = MirrorEntry(stored.node.payload),
                    entry.kind == .file, entry.isPending, entry.pass >= conclusion.state.pass
                else { return nil }
                return (stored.node, entry)
            }
            try await conclusion.note(placed, isOver: false)
        }
    }

    /// Notes which files earlier commands have placed in this pass. They count as unchanged, because this command does not
    /// download them.
    package static func noteEarlier(of mirror: MirrorTree, _ outcome: MirrorDiscovery.Outcome) async throws {
        guard mirror.state != nil else { return }
        var conclusion = MirrorConclusion(mirror, outcome) { _ in }
        var walk = NodeWalk()
        while !walk.isDone {
            try Task.checkCancellation()
            let page: [WalkedNode]
            (page, walk) = try await mirror.nodes.page(of: walk)
            try await conclusion.noteEarlier(page)
        }
    }

    private mutating func noteEarlier(_ page: [WalkedNode]) async throws {
        var placed: [File] = []
        var noted: [NodeDiscovery] = []
        for visited in page where visited.mark == nil && visited.node.id.text != MirrorPath.top {
            guard var entry = MirrorEntry(visited.node.payload), entry.kind == .file,
                entry.pass >= state.pass
            else { continue }
            if entry.isPending {
                placed.append((visited.node, entry))
            } else if entry.comparison.isCopied {
                entry.comparison = .unchanged
                let node = MirrorTree.settledNode(visited.node.id.text, entry, at: visited.node.source)
                noted.append(NodeDiscovery(node))
            }
        }
        try await note(placed, isOver: false, isEarlier: true)
        if !noted.isEmpty { try await tree.discover(noted) }
    }

    /// Number of files that are noted in one commit.
    private static let pageLength = 1_000

    /// Whether files that the source no longer has may be removed. If that was asked for and is not safe, says why.
    private func mayRemove(_ isDownloaded: Bool) async throws -> Bool {
        guard plan.deletes, state.isComplete else { return false }
        let reason: String
        if !isDownloaded {
            reason = "Not everything could be downloaded"
        } else if state.collides {
            reason = "Some files of the source have the same path here"
        } else if try await !hasListedFile() {
            reason = "The source lists no file at all"
        } else {
            return true
        }
        tell(.withheld(reason: "\(reason), so nothing is removed."))
        return false
    }

    private func hasListedFile() async throws -> Bool {
        // A dry run notes no file in the tree, and counts each while it is listed.
        guard !plan.isDryRun else { return tally.listedCount > 0 }
        var hasFile = false
        try await tree.walk { visited in
            guard let entry = MirrorEntry(visited.node.payload), entry.kind == .file,
                entry.pass >= state.pass
            else { return .descend }
            hasFile = true
            return .stop
        }
        return hasFile
    }

    private mutating func settle() async throws {
        var walk = NodeWalk()
        while !walk.isDone {
            try Task.checkCancellation()
            let page: [WalkedNode]
            (page, walk) = try await tree.page(of: walk)
            try await settle(page)
        }
        guard !plan.isDryRun else { return }
        if removes { try await removeDirectories() }
        let top = try await tree.nodes([NodeID(MirrorPath.top)])[0]
        guard var ended = top.flatMap({ MirrorState($0.node.payload) }), ended.pass == state.pass else {
            throw plan.otherProcess
        }
        ended.phase = .over
        ended.disk = plan.folder.disk(at: SystemTime.now) ?? ended.disk
        try await tree.discover([MirrorTree.top(ended, at: top?.node.source)])
    }

    /// A file of the tree.
    private typealias File = (node: Node, entry: MirrorEntry)

    private mutating func settle(_ page: [WalkedNode]) async throws {
        var (placed, gone): ([File], [File]) = ([], [])
        let numbers = plan.isDryRun ? try await tree.nodes(page.map(\.node.id)).map { $0?.number } : []
        for (index, visited) in page.enumerated() {
            let path = visited.node.id.text
            guard path != MirrorPath.top, let entry = MirrorEntry(visited.node.payload) else { continue }
            let isListed =
                plan.isDryRun ? numbers[index].map(seen.contains) ?? true : entry.pass >= state.pass
            if !isListed {
                // What a listing that failed would have named is not gone, and what a filter leaves out is not looked at.
                guard state.isComplete else { continue }
                let listedPath = entry.sourcePath(of: path)
                switch entry.kind {
                case .file: if plan.filter.takes(listedPath) { gone.append((visited.node, entry)) }
                case .directory where removes && !plan.isDryRun:
                    if plan.filter.enters(listedPath) { goneDirectories.append((path, entry.isMade)) }
                case .directory: break
                }
            } else if entry.kind == .file, !plan.isDryRun {
                if entry.isPending, visited.mark == nil {
                    placed.append((visited.node, entry))
                } else {
                    count(entry, isMarked: visited.mark != nil)
                }
            }
        }
        try await note(placed, isOver: true)
        try await part(with: gone)
    }

    private mutating func count(_ entry: MirrorEntry, isMarked: Bool) {
        // The server was not asked, so the file counts as changed.
        let comparison = entry.comparison == .asked ? .changed : entry.comparison
        tally.count(isMarked ? comparison : entry.comparison)
        if isMarked, comparison != .conflict { tally.unfinished += 1 }
    }

    // MARK: Placed files

    /// Notes the files that completed transfers have placed.
    ///
    /// - Parameter isEarlier: whether an earlier command has placed them.
    private mutating func note(_ files: [File], isOver: Bool, isEarlier: Bool = false) async throws {
        guard !files.isEmpty else { return }
        let saved = try await mirror.saved(files.map(\.node))
        var discoveries: [NodeDiscovery] = []
        for (node, entry) in files {
            var entry = entry
            // The transfer may be forgotten already.
            let now = saved[node.id]?.placedFile ?? entry.placed
            let isReplaced = now != entry.placed
            switch entry.comparison {
            case .asked: entry.comparison = isReplaced ? .changed : .unchanged
            // What seemed to be in the way was the file of the download.
            case .conflict where isReplaced: entry.comparison = entry.placed == nil ? .new : .changed
            case .changed where !isReplaced:
                // The listing and the file do not agree, for example because the server keeps one of them for a while.
                // The next pass asks again.
                (entry.comparison, entry.version) = (.unchanged, ListedVersion())
            default: break
            }
            if isEarlier, entry.comparison.isCopied { entry.comparison = .unchanged }
            // The listing may be ahead of what the server sent, or behind it. The next pass asks again.
            if let transfer = saved[node.id], mirror.lists(entry.version, unlike: transfer) {
                entry.version = ListedVersion()
            }
            (entry.placed, entry.isPending) = (now, false)
            discoveries.append(
                NodeDiscovery(MirrorTree.settledNode(node.id.text, entry, at: node.source))
            )
            if isOver { count(entry, isMarked: false) }
        }
        try await tree.discover(discoveries)
    }

    // MARK: What is gone

    /// Reports files that the source no longer has. With `--delete`, removes them.
    private mutating func part(with files: [File]) async throws {
        var (forgotten, removed): ([NodeID], [String]) = ([], [])
        for (node, entry) in files {
            let path = node.id.text
            tally.gone += 1
            if !removes { tell(.gone(path: path, isPlaced: entry.placed != nil)) }
            guard let placed = entry.placed else {
                if mayForget(path) { forgotten.append(node.id) }
                continue
            }
            guard removes else { continue }
            switch try await remove(path, placed) {
            case .removed:
                forgotten.append(node.id)
                removed.append(path)
                tally.deleted += 1
                tell(.deleted(path: path))
            case .isAnother:
                // It counts as the user's own file now.
                forgotten.append(node.id)
                spare(path, "It was changed since the mirror placed it.")
            case .failed(let reason): spare(path, reason)
            }
        }
        guard !forgotten.isEmpty, !plan.isDryRun else { return }
        // A file that came back after a power loss would be taken for the user's own.
        try plan.folder.synchronize(directoriesOf: removed)
        do {
            try await tree.remove(forgotten)
        } catch let failure as TransferFailure {
            // The files are forgotten all the same.
            tell(.leftover(reason: failure.message))
        }
    }

    /// Whether a file that the mirror never placed is forgotten. Its node is only a download that has nothing to fetch any more.
    private mutating func mayForget(_ path: String) -> Bool {
        do throws(OpenFolder.Problem) {
            let found = try plan.folder.entry(at: path)
            if found != nil, removes { spare(path, "The mirror did not place it.") }
            return true
        } catch {
            // Nothing removes a part file that is behind a link. When the link is gone, a later pass does.
            if removes { spare(path, error.reason) }
            return false
        }
    }

    private mutating func spare(_ path: String, _ reason: String) {
        tally.spared += 1
        tell(.spared(path: path, reason: reason))
    }

    /// What became of a file that is to be removed.
    private enum Removal {
        /// It is gone.
        case removed
        /// It is not the file that the mirror placed, or was changed.
        case isAnother
        /// It could not be removed, for this reason.
        case failed(String)
    }

    /// Removes a file that was not changed since it was placed.
    private func remove(_ path: String, _ placed: PlacedFile) async throws -> Removal {
        do {
            // What a link leads to is not the mirror's.
            guard try plan.folder.entry(at: path) != nil else { return .removed }
            let found = try await mirror.engine.entry(at: plan.folder.place(of: path))
            if let found, !placed.isStill(found) { return .isAnother }
            if plan.isDryRun { return .removed }
            return try plan.folder.remove(path, ifStill: placed) ? .removed : .isAnother
        } catch let problem as OpenFolder.Problem {
            return problem.isMissing ? .removed : .failed(problem.reason)
        } catch let problem as StorageProblem {
            return problem.isAbsence ? .removed : .failed(problem.problem.failure.message)
        }
    }

    /// Removes the empty ones among the directories that the mirror made, the deepest first.
    private mutating func removeDirectories() async throws {
        var removed: [String] = []
        for (path, isMade) in goneDirectories.reversed() where isMade {
            do throws(OpenFolder.Problem) {
                try plan.folder.removeDirectory(path)
                removed.append(path)
            } catch {
                spare(path, error.reason)
            }
        }
        // The mirror would not know one that came back after a power loss.
        try plan.folder.synchronize(directoriesOf: removed)
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

extension MirrorEntry.Comparison {
    /// Whether a download places the file.
    fileprivate var isCopied: Bool { self == .new || self == .changed }
}
