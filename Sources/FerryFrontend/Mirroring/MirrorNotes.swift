import Ferry
import Glibc

/// What was read of a source, as it is compared with what was known and noted in the tree, page by page.
struct MirrorNotes {
    private let mirror: MirrorTree
    private let tell: @Sendable (MirrorEvent) -> Void

    /// How far the mirror has come. ``save(_:closing:isLast:)`` stores it.
    var state: MirrorState
    /// The URL of the top.
    var topURL: HTTPURL?
    /// What was refused; in a dry run also how each file compares.
    var tally = MirrorTally()
    /// In a dry run, the numbers of the nodes that the source still has.
    private(set) var seen = NodeNumbers()
    /// In a dry run, the paths that were listed.
    private var listedPaths = ListedPaths()
    /// In a dry run, the directories that could not be made.
    private var blocked: Set<NodeID> = []

    /// Maximum number of files and directories of a source.
    private let most: Int
    /// Maximum number of nodes of one commit.
    static let pageLength = 2_000

    private var plan: MirrorPlan { mirror.plan }
    var tree: TransferTree { mirror.nodes }

    init(
        _ mirror: MirrorTree,
        _ state: MirrorState,
        upTo most: Int,
        _ tell: @escaping @Sendable (MirrorEvent) -> Void
    ) {
        (self.mirror, self.state, self.most, self.tell) = (mirror, state, most, tell)
        topURL = mirror.topURL ?? mirror.plan.source.url
        tally.refused = state.refused
    }

    /// Reports an entry of a listing that has no place.
    mutating func refuse(_ name: String, in place: String, _ reason: String) {
        state.refused += 1
        tally.refused = state.refused
        tell(.refused(name: name, in: place, reason: reason))
    }

    /// Begins the listing again.
    mutating func startOver() {
        (state.place, state.count, state.refused, tally.refused) = ([], 0, 0, 0)
    }

    /// Notes files and directories, and the state. What was saved survives a kill.
    ///
    /// - Parameters:
    ///   - folder: the directory in whose listing these are.
    ///   - isLast: whether no others of the same listing follow. The state and the end of the listing are noted with the last.
    /// - Returns: the paths of those that have no place, because another one has it.
    @discardableResult
    mutating func save(
        _ files: [ListedFile],
        closing folder: String? = nil,
        isLast: Bool = true
    ) async throws -> Set<NodeID> {
        state.count += files.count
        guard state.count <= most else { throw tooManyEntries("more than \(most) files and directories") }
        var refused: Set<NodeID> = []
        guard isLast || !files.isEmpty else { return refused }
        // Parents before what is in them, as a node needs its parent.
        for start in stride(from: 0, to: max(1, files.count), by: Self.pageLength) {
            try Task.checkCancellation()
            let page = files[start..<min(start + Self.pageLength, files.count)]
            let isEnd = isLast && start + Self.pageLength >= files.count
            try await save(page: Array(page), closing: isEnd ? folder : nil, isLast: isEnd, &refused)
        }
        return refused
    }

    /// The failure of a source that is too large.
    func tooManyEntries(_ entries: String) -> CommandFailure {
        CommandFailure(
            .other,
            code: "tooManyEntries",
            "\(plan.source.redacted) lists \(entries). Nothing was removed.",
            hint: "Mirror a part of it, or leave out some with --exclude."
        )
    }

    private mutating func save(
        page: [ListedFile],
        closing folder: String?,
        isLast: Bool,
        _ refused: inout Set<NodeID>
    ) async throws {
        var stored = try await tree.nodes([NodeID(MirrorPath.top)] + page.map { NodeID($0.path) })
        let root = stored.removeFirst()
        let top = root.flatMap { MirrorState($0.node.payload) }
        let known: [Known?] = stored.map { node in node.map { ($0, MirrorEntry($0.node.payload)) } }
        guard plan.isDryRun || top.map({ $0.pass <= state.pass }) ?? true else { throw plan.otherProcess }
        let local = try plan.folder.entries(at: page.map(\.path))
        let saved = try await self.saved(page, known, local)
        var areEqual: [Bool?] = []
        for (file, entry) in zip(page, local) {
            // With --checksum, this reads all files of the page.
            try Task.checkCancellation()
            areEqual.append(try await isEqual(file, entry))
        }
        var discoveries: [NodeDiscovery] = []
        if folder == MirrorPath.top { state.listedPass = state.pass }
        // Two names that look alike may be two files: ids are compared byte by byte.
        var paths: Set<NodeID> = []
        for (index, file) in page.enumerated() {
            guard paths.insert(NodeID(file.path)).inserted, hasPlace(file, known[index]) else {
                if file.kind == .file || file.url != nil {
                    refused.insert(NodeID(file.path))
                    state.collides = true
                    refuse(
                        file.path,
                        in: plan.folder.root,
                        "Another entry of the listing has the same path here."
                    )
                }
                continue
            }
            discoveries.append(
                try compared(file, known[index], local[index], areEqual[index], saved[NodeID(file.path)])
            )
        }
        guard !plan.isDryRun else { return }
        // A node needs its parent, and the state has what this page refused.
        if isLast { discoveries.insert(MirrorTree.top(state, at: topURL), at: 0) }
        if let folder, folder != MirrorPath.top { discoveries += try await closing(folder) }
        try await tree.discover(discoveries)
    }

    /// A node that the tree has, and what it says.
    private typealias Known = (stored: StoredNode, entry: MirrorEntry?)

    /// Whether no other entry of this pass has the path of a file.
    private mutating func hasPlace(_ file: ListedFile, _ known: Known?) -> Bool {
        if plan.isDryRun { return listedPaths.insert(file.path) || file.kind == .directory }
        guard let known, let entry = known.entry, entry.pass == state.pass else { return true }
        // The same entry is listed again after a kill.
        return entry.kind == file.kind && known.stored.node.isOfFile(at: file.url)
    }

    /// The completed transfers of files whose end was not noted before a kill, and of files that the mirror did not place.
    private func saved(
        _ page: [ListedFile],
        _ known: [Known?],
        _ local: [FileSurvey.Entry?]
    ) async throws -> [NodeID: Transfer] {
        var nodes: [Node] = []
        for (index, file) in page.enumerated() where file.kind == .file {
            let entry = known[index]?.entry
            if let stored = known[index]?.stored, entry?.isPending == true {
                nodes.append(stored.node)
            } else if local[index]?.kind == .file, entry?.placed == nil {
                nodes.append(MirrorTree.node(file.path, MirrorEntry(.file, pass: 0), at: file.url))
            }
        }
        return try await mirror.saved(nodes)
    }

    /// Whether the file that is in the place of a listed one has its digest; `nil` if that is not compared.
    private func isEqual(_ file: ListedFile, _ local: FileSurvey.Entry?) async throws -> Bool? {
        guard file.kind == .file, let local, local.kind == .file, let digest = plan.digest(of: file.version)
        else { return nil }
        if let size = file.version.size, size != local.length { return false }
        do {
            return try await mirror.engine.digest(digest.algorithm, of: plan.folder.place(of: file.path))
                == digest
        } catch is StorageProblem {
            // It was removed meanwhile, or cannot be read.
            return false
        }
    }

    /// The node of a file or directory as it is from now on.
    private mutating func compared(
        _ file: ListedFile,
        _ former: Known?,
        _ local: FileSurvey.Entry?,
        _ isEqual: Bool?,
        _ saved: Transfer?
    ) throws -> NodeDiscovery {
        let stored = former?.stored
        var known = former?.entry
        if plan.isDryRun, let stored { seen.insert(stored.number) }
        guard file.kind == .file else {
            var entry = known.flatMap { $0.kind == .directory ? $0 : nil } ?? MirrorEntry(.directory, pass: 0)
            (entry.pass, entry.listedPath) = (max(entry.pass, state.pass), file.listedPath)
            return NodeDiscovery(MirrorTree.node(file.path, entry, at: file.url))
        }
        let isMarked = stored?.mark != nil
        if var entry = known, entry.isPending {
            (entry.placed, entry.isPending) = (saved?.placedFile ?? entry.placed, isMarked)
            if !isMarked, let saved, mirror.lists(entry.version, unlike: saved) {
                entry.version = ListedVersion()
            }
            known = entry
        }
        if let stored, known != nil, !stored.node.isOfFile(at: file.url) {
            // Another file of the source has this path here now.
            known?.version = ListedVersion()
        }
        let decision = MirrorDecision(
            file.version,
            known: known,
            isMarked: isMarked,
            // What a transfer has saved is replaced by a download of the same URL.
            local: Self.local(local, known?.placed ?? saved?.placedFile),
            isEqual: isEqual,
            overwrites: plan.overwrites
        )
        var entry = known.flatMap { $0.kind == .file ? $0 : nil } ?? MirrorEntry(.file, pass: 0)
        // A file that is left alone keeps its recorded version, so that the next pass decides the same.
        let isLeft = decision.comparison == .kept || decision.comparison == .conflict && !isMarked
        if !isLeft { entry.version = file.version }
        // Another process may have begun a later pass.
        (entry.pass, entry.comparison) = (max(entry.pass, state.pass), decision.comparison)
        (entry.listedPath, entry.mirrors) = (file.listedPath, file.mirrors)
        entry.isPending = entry.isPending || decision.marks
        if plan.isDryRun {
            tally.count(decision.comparison)
            if decision.marks || isMarked, local == MirrorFolder.unreachable {
                try noteBlocked(on: file.path)
            }
        }
        report(file.path, decision.comparison, isPlaced: entry.placed != nil, isMarked: isMarked)
        let node =
            decision.marks || isMarked
            ? MirrorTree.node(file.path, entry, at: file.url)
            : MirrorTree.settledNode(file.path, entry, at: file.url)
        return NodeDiscovery(node, marking: decision.marks ? .data : [])
    }

    private static func local(_ entry: FileSurvey.Entry?, _ placed: PlacedFile?) -> MirrorDecision.Local {
        guard let entry else { return .absent }
        if entry == MirrorFolder.unreachable { return .unreachable }
        return placed?.isAlike(entry) == true ? .placed : .other
    }

    /// Reports how a file compares, unless its download will tell.
    private func report(
        _ path: String,
        _ comparison: MirrorEntry.Comparison,
        isPlaced: Bool,
        isMarked: Bool
    ) {
        switch comparison {
        case .unchanged: break
        case .kept: tell(.found(path: path, comparison))
        case .new, .changed, .asked: if plan.isDryRun { tell(.found(path: path, comparison)) }
        case .conflict where plan.isDryRun || !isMarked:
            let reason =
                isPlaced
                ? "It was changed here, and the source has another version."
                : "The mirror did not place it."
            tell(.conflict(path: path, reason: reason))
        case .conflict: break
        }
    }

    /// In a dry run, reports the directory above a file that could not be made.
    private mutating func noteBlocked(on path: String) throws {
        let directories = MirrorPath.directories(above: path)
        guard !directories.contains(where: { blocked.contains(NodeID($0)) }) else { return }
        let found = try plan.folder.entries(at: directories)
        for (directory, entry) in zip(directories, found) {
            guard let entry, entry.kind != .directory else { continue }
            blocked.insert(NodeID(directory))
            tally.blocked += 1
            tell(.blocked(path: directory, reason: OpenFolder.Problem(number: ENOTDIR).reason))
            return
        }
    }

    /// The node of a directory after all that it has was noted.
    private func closing(_ folder: String) async throws -> [NodeDiscovery] {
        guard let stored = try await tree.nodes([NodeID(folder)])[0],
            var entry = MirrorEntry(stored.node.payload)
        else { return [] }
        entry.listedPass = state.pass
        return [NodeDiscovery(MirrorTree.node(folder, entry, at: stored.node.source))]
    }
}
