import Ferry
import FerryCore

/// What applications do with a tree of nodes and with a pool.
struct SimulatedKeeper {
    let world: SimulatedWorld

    private var dice: SimulationDice { world.dice }
    private var scenario: SimulationScenario { world.scenario }
    private var origin: SimulatedOrigin { world.origin }
    private var checker: InvariantChecker { world.checker }
    private var trace: SimulationTrace { world.trace }

    /// Draws one act.
    func keep() {
        if scenario.pool == nil || (!scenario.leaves.isEmpty && dice.happens(500)) {
            keepTree()
        } else {
            keepPool()
        }
    }

    private func keepTree() {
        let marking = dice.pick([[], [], .data, .all] as [NodeComponents])
        switch dice.number(in: 0..<12) {
        case 0...3: discover(marking: marking, markingIfChanged: dice.pick([.all, .data, []]))
        case 4...7: downloadNeeded()
        case 8: mark()
        case 9: unmark()
        case 10: removeNode()
        default: origin.change(dice.pick(scenario.leaves).site, dice)
        }
    }

    private func keepPool() {
        guard let pool = scenario.pool else { return }
        let site = dice.pick(pool.sites)
        switch dice.number(in: 0..<14) {
        case 0...4: getCached(site)
        case 5...6: retain(site)
        case 7: pin(site)
        case 8: unpin(site)
        case 9: act(on: site) { pool, key in _ = try await pool.remove(key) }
        case 10: act(on: site) { pool, _ in _ = try await pool.trim() }
        case 11: addOwn(site)
        case 12: editPool()
        default: origin.change(site, dice)
        }
    }

    /// Runs what is left to do at the end: discovers everything, downloads it, and trims the pool.
    func keepAll() {
        if !scenario.leaves.isEmpty {
            discover(marking: .data, markingIfChanged: .all)
            while world.hasCommands, world.advance() {}
            downloadNeeded()
        }
        guard let pool = scenario.pool else { return }
        act(on: pool.sites[0]) { pool, _ in _ = try await pool.trim() }
    }

    // MARK: The tree

    /// The nodes as their servers have them now. Some have moved.
    private func discoveries(_ marking: NodeComponents, _ markingIfChanged: NodeComponents) -> [NodeDiscovery]
    {
        let folders = SimulationScenario.folders
        let nodes = folders.enumerated().map { place, id in
            Node(id, parent: place == 0 ? nil : folders[0], name: id.text)
        }
        let leaves = scenario.leaves.enumerated().map { place, leaf in
            let site = origin.site(leaf.site)
            return Node(
                leaf.id,
                parent: dice.pick(folders + scenario.leaves[..<place].map(\.id)),
                name: leaf.name.rawValue,
                etag: site.resource.entityTag,
                modified: Instant.epoch.advanced(by: .seconds(site.versions.count)),
                source: site.entrance
            )
        }
        return nodes.map { NodeDiscovery($0) }
            + leaves.map { NodeDiscovery($0, marking: marking, markingIfChanged: markingIfChanged) }
    }

    private func discover(marking: NodeComponents, markingIfChanged: NodeComponents) {
        trace.count(.discovered)
        let found = discoveries(marking, markingIfChanged)
        world.command { engine in _ = try await engine.tree(named: SimulationScenario.tree).discover(found) }
    }

    private func downloadNeeded() {
        trace.count(.neededAsked)
        let components = dice.pick([.all, .all, .data] as [NodeComponents])
        let isAfterParent = dice.happens(300)
        world.command(isAdding: true) { [world, origin, scenario, checker] engine in
            _ = try await engine.tree(named: SimulationScenario.tree).downloadNeeded { needed in
                guard let leaf = scenario.leaves.first(where: { $0.id == needed.node.id }) else { return nil }
                return NodeDownload(
                    leaf.specification(from: origin),
                    components: components,
                    isAfterParent: isAfterParent
                )
            }
            guard let process = world.residents.first(where: { $0.engine === engine })?.process else {
                return
            }
            checker.acknowledged(checker.trees.takeAdditions(by: process))
        }
    }

    private func mark() {
        act(onNode: .nodeMarked) { tree, id in _ = try await tree.mark(id, .data) }
    }

    /// An application has got a part of a node in another way.
    private func unmark() {
        let etag = dice.pick(["\"other\"", nil])
        act(onNode: .nodeUnmarked) { tree, id in
            _ = try await tree.unmark(id, .metadata, ifETagMatches: etag)
        }
    }

    private func removeNode() {
        // Its part file may be removed while its transfer is asked for again.
        checker.expectClashes()
        act(onNode: .nodeRemoved) { tree, id in _ = try await tree.remove([id]) }
    }

    private func act(
        onNode kind: SimulatedFault,
        _ body: @escaping @Sendable (TransferTree, NodeID) async throws -> Void
    ) {
        let known = checker.trees.known
        guard !known.isEmpty else { return }
        let id = dice.pick(known)
        trace.count(kind)
        world.command { engine in
            do {
                try await body(engine.tree(named: SimulationScenario.tree), id)
            } catch StoreError.refusedNode {
                // Someone else has removed it.
            } catch is TransferFailure {
                // Its part file could not be removed.
            }
        }
    }

    // MARK: The pool

    private func key(of site: Int) -> CacheKey { .url(origin.entrance(of: site)) }

    private func act(
        on site: Int,
        _ body: @escaping @Sendable (CachePool, CacheKey) async throws -> Void
    ) {
        guard let pool = scenario.pool?.settings.pool else { return }
        let key = key(of: site)
        world.command { engine in
            do {
                try await body(engine.cache(pool), key)
            } catch is TransferFailure {
                // A file could not be read or written.
            }
        }
    }

    /// An application asks for a file, and does not wait for ever.
    private func getCached(_ site: Int) {
        trace.count(.cacheAsked, Int64(site))
        var options = CacheOptions()
        options.mode = dice.pick([.cached, .cached, .persistent])
        (options.servesStale, options.download.retries) = (dice.happens(200), 1_000_000)
        let url = origin.entrance(of: site)
        let (asked, patience) = (options, dice.milliseconds(1..<120_000))
        act(on: site) { [clock = world.clock] pool, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        _ = try await pool.get(url, options: asked)
                    } catch is NoResult {
                        // Someone has cancelled or removed its transfer.
                    }
                }
                group.addTask { try await clock.sleep(for: patience) }
                do {
                    _ = try await group.next()
                    group.cancelAll()
                    try await group.waitForAll()
                } catch is CancellationError {
                    // It has waited long enough.
                }
            }
        }
    }

    /// An application uses a file for a while.
    private func retain(_ site: Int) {
        trace.count(.entryRetained, Int64(site))
        let time = dice.milliseconds(1..<60_000)
        act(on: site) { [clock = world.clock] pool, key in
            guard let retain = try await pool.retain(key) else { return }
            do {
                try await clock.sleep(for: time)
            } catch {
                // Its process ends.
            }
            try await retain.release()
        }
    }

    private func pin(_ site: Int) {
        act(on: site) { [trace] pool, key in
            if try await pool.pin(key) != nil { trace.count(.entryPinned, Int64(site)) }
        }
    }

    private func unpin(_ site: Int) {
        act(on: site) { [trace] pool, key in
            if try await pool.unpin(key) != nil { trace.count(.entryUnpinned, Int64(site)) }
        }
    }

    /// An application puts a file of its own into the pool.
    private func addOwn(_ site: Int) {
        trace.count(.entryAdded, Int64(site))
        let bytes = origin.site(site).resource.bytes
        let edge = dice.number(in: 0..<bytes.count + 1)
        act(on: site) { pool, key in
            let parts = AsyncStream<[UInt8]> { parts in
                parts.yield(Array(bytes[..<edge]))
                parts.yield(Array(bytes[edge...]))
                parts.finish()
            }
            _ = try await pool.add(parts, as: key)
        }
    }

    private func editPool() {
        var edit = CacheEdit()
        edit.maxBytes = .some(dice.pick([nil, 0, 5_000, 50_000]))
        let change = edit
        act(on: 0) { pool, _ in _ = try await pool.edit(change) }
    }
}
