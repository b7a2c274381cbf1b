import FerryCore
internal import Synchronization

/// Checks a tree against a model of its own: what is marked, which transfer downloads it, and what falls when that is completed.
final class TreeChecker: Sendable {
    private struct Model {
        var node: Node
        var marked: NodeComponents = []
        var link: Link?
        /// Whether its last transfer has brought what was marked again meanwhile.
        var isLate = false

        mutating func mark(_ components: NodeComponents) {
            marked.formUnion(components)
            link?.overtaken.formUnion(components)
        }
    }

    private struct Link {
        var transfer: TransferID
        var components: NodeComponents
        /// The components that were marked since.
        var overtaken: NodeComponents = []
        /// The ETag of the node when the transfer was added.
        var etag: String?
    }

    private let origin: SimulatedOrigin
    private let files: MemoryPartFileSystem
    private let trace: SimulationTrace
    private let scenario: SimulationScenario
    private let state = Mutex<[NodeID: Model]>([:])
    /// The transfers that each process has added, and that no one has acknowledged yet.
    private let additions = Mutex<[Int64: [TransferID]]>([:])

    init(
        origin: SimulatedOrigin,
        files: MemoryPartFileSystem,
        trace: SimulationTrace,
        scenario: SimulationScenario
    ) {
        (self.origin, self.files, self.trace, self.scenario) = (origin, files, trace, scenario)
    }

    /// The nodes that the tree has, in order.
    var known: [NodeID] { state.withLock { $0.keys.sorted { $0.text < $1.text } } }

    // MARK: What applications do

    func discovered(_ discoveries: [NodeDiscovery]) {
        state.withLock { nodes in
            for discovery in discoveries {
                let node = discovery.node
                let former = nodes[node.id]
                let isChanged = former.map { Self.differ($0.node, node) } ?? true
                var model = former ?? Model(node: node)
                model.node = node
                model.mark(discovery.marking.union(isChanged ? discovery.markingIfChanged : []))
                nodes[node.id] = model
            }
        }
    }

    private static func differ(_ one: Node, _ other: Node) -> Bool {
        if let tag = one.etag, let otherTag = other.etag { return tag != otherTag }
        return one.size != other.size || one.modified != other.modified
    }

    func marked(_ components: NodeComponents, of id: NodeID) { state.withLock { $0[id]?.mark(components) } }

    func unmarked(_ components: NodeComponents, of id: NodeID, ifETagMatches etag: String?) {
        state.withLock { nodes in
            guard let model = nodes[id] else { return }
            if let etag, let current = model.node.etag, etag != current { return }
            nodes[id]?.marked.subtract(components)
        }
    }

    /// Records that nodes are removed with all that is below them.
    func removed(_ ids: [NodeID]) {
        state.withLock { nodes in
            var waiting = ids
            while let id = waiting.popLast() {
                nodes[id] = nil
                waiting += nodes.values.filter { $0.node.parent == id }.map(\.node.id)
            }
        }
    }

    /// Checks what became of downloads that were asked for.
    func asked(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        _ outcomes: [NeededOutcome],
        formerly former: [Int64: NodeLink],
        _ image: StoreImage
    ) {
        guard let tree = image.trees.tree(named: SimulationScenario.tree) else { return }
        for ((id, download), outcome) in zip(downloads, outcomes) {
            let wanted = state.withLock { $0[id]?.marked.intersection(download.components) ?? [] }
            if wanted.isEmpty != (outcome == .notNeeded) {
                trace.complain("trees: the download of \(id), of which \(wanted) is needed, is \(outcome)")
            }
            guard let number = image.trees.number(of: id, in: tree) else { continue }
            let link = image.trees.links[number]
            guard let link, link != former[number] else { continue }
            state.withLock { nodes in
                let etag = nodes[id]?.node.etag
                nodes[id]?.link = Link(transfer: link.transfer, components: wanted, etag: etag)
                nodes[id]?.isLate = false
            }
        }
    }

    /// Records a transfer that a process has added for a node.
    func added(_ id: TransferID, by process: SimulatedProcess) {
        additions.withLock { $0[process.number, default: []].append(id) }
    }

    /// The transfers that a process has added since it was last asked.
    func takeAdditions(by process: SimulatedProcess) -> [TransferID] {
        additions.withLock { $0.removeValue(forKey: process.number) ?? [] }
    }

    // MARK: Rows

    /// Checks the tree after every write.
    func check(_ image: StoreImage) {
        guard let tree = image.trees.tree(named: SimulationScenario.tree) else { return }
        for id in known {
            guard let number = image.trees.number(of: id, in: tree) else {
                trace.complain("trees: \(id) is gone, and no one has removed it")
                state.withLock { $0[id] = nil }
                continue
            }
            if let link = state.withLock({ $0[id]?.link }) {
                follow(link, of: id, image.rows[link.transfer]?.transfer, image.trees.links[number])
            }
            let stored = image.trees.node(number)?.mark?.components ?? []
            let marked = state.withLock { $0[id]?.marked ?? [] }
            if stored != marked {
                trace.complain("trees: \(stored) of \(id) is marked, and should be \(marked)")
                state.withLock { $0[id]?.marked = stored }
            }
        }
        for id in SimulationScenario.folders + scenario.leaves.map(\.id)
        where image.trees.number(of: id, in: tree) != nil && !state.withLock({ $0.keys.contains(id) }) {
            trace.complain("trees: \(id) is there, and no one has discovered it")
        }
    }

    /// Takes the end of a node's transfer into account.
    private func follow(_ link: Link, of id: NodeID, _ row: Transfer?, _ stored: NodeLink?) {
        switch row?.state {
        case nil, .cancelled: state.withLock { $0[id]?.link = nil }
        case .completed:
            state.withLock { $0[id]?.link = nil }
            guard let row, let current = state.withLock({ $0[id]?.node }) else { return }
            if let fetched = row.work.fetchedETag ?? link.etag, let etag = current.etag, fetched != etag {
                return
            }
            let fallen = link.components.subtracting(link.overtaken)
            state.withLock { nodes in
                nodes[id]?.marked.subtract(fallen)
                nodes[id]?.isLate = !link.overtaken.isDisjoint(with: link.components)
            }
            if !fallen.isEmpty { checkContent(of: current) }
            trace.count(.nodeDownloaded, row.id.rawValue)
        case .queued, .active, .waiting, .paused, .failed:
            if stored?.transfer != link.transfer {
                trace.complain("trees: \(id) has lost transfer \(link.transfer)")
                state.withLock { $0[id]?.link = nil }
            }
        }
    }

    /// Checks that the version that a node names is there, as nothing of it is needed any more.
    private func checkContent(of node: Node) {
        guard let leaf = scenario.leaves.first(where: { $0.id == node.id }), let etag = node.etag else {
            return
        }
        let bytes = files.contents(of: leaf.name, in: SimulationScenario.directory)
        if bytes == nil || !origin.isVersion(bytes ?? [], of: leaf.site, tagged: etag) {
            trace.complain("trees: \(node.id) is not needed any more, and its file is not version \(etag)")
        }
    }

    /// Takes the tree over as it is after a power loss.
    func lostPower(_ image: StoreImage) {
        var nodes: [NodeID: Model] = [:]
        if let tree = image.trees.tree(named: SimulationScenario.tree) {
            for id in SimulationScenario.folders + scenario.leaves.map(\.id) {
                guard let number = image.trees.number(of: id, in: tree),
                    let stored = image.trees.node(number)
                else { continue }
                var node = stored.node
                node.parent = state.withLock { $0[id]?.node.parent }
                var model = Model(node: node, marked: stored.mark?.components ?? [])
                if let link = image.trees.links[number] {
                    let (components, transfer) = (link.components, link.transfer)
                    let old = stored.mark?.unmarked(since: link.generation, of: components) ?? []
                    model.link = Link(transfer: transfer, components: components, etag: link.etag)
                    model.link?.overtaken = components.subtracting(old)
                }
                nodes[id] = model
            }
        }
        let lost = known.filter { nodes[$0] == nil }
        let former = state.withLock { state in
            defer { state = nodes }
            return state
        }
        for id in lost { trace.complain("I3: node \(id) was discovered and is lost with the power") }
        for (id, model) in nodes.sorted(by: { $0.key.text < $1.key.text }) {
            let marked = former[id]?.marked ?? []
            // What was downloaded may have to be downloaded again.
            if !marked.isSubset(of: model.marked) {
                trace.complain("I3: the mark of \(id) is lost with the power")
            }
        }
    }

    // MARK: The end

    /// Checks at the end that each node has its content, unless its transfer could not bring it.
    func checkEnd(_ image: StoreImage) {
        let nodes = state.withLock { $0 }
        for leaf in scenario.leaves {
            guard let model = nodes[leaf.id] else { continue }
            if model.marked.contains(.data) {
                let rows = image.rows.values.map(\.transfer)
                // In a queue that cancels the oldest, not all of them have room.
                let gaveWay = rows.contains {
                    $0.displacement != nil && scenario.keptSite(at: $0.work.url, of: origin) == leaf.site
                }
                let transfer = model.link.flatMap { image.rows[$0.transfer]?.transfer }
                guard gaveWay || model.isLate || mayStayNeeded(transfer) else {
                    trace.complain("liveness: \(leaf.id) is marked for good")
                    continue
                }
            } else if !origin.site(leaf.site).hasLied {
                checkContent(of: model.node)
            }
        }
    }

    /// Whether a node may stay marked: its transfer has failed as it may, or need not end.
    private func mayStayNeeded(_ row: Transfer?) -> Bool {
        guard let row else { return false }
        guard case .failed(let failure) = row.state else { return !row.state.isFinal }
        switch failure.code {
        case .destinationExists, .cannotCreate, .partFileLost: return true
        // A node may come after the one above it.
        case .dependencyFailed: return true
        case .attemptsExhausted: return row.ledger.deaths >= Transfer.mostDeaths
        default: return false
        }
    }
}
