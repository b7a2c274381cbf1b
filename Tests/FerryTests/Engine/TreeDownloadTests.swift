import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Synchronization
import Testing

@Suite("What is marked in a tree is downloaded", .timeLimit(.minutes(10)))
struct TreeDownloadTests {
    private let bench: Bench
    private let tree: TransferTree

    init() throws {
        bench = try Bench()
        tree = bench.client().tree(named: "files")
    }

    /// A node with a resource of the same name.
    private func node(
        _ id: NodeID,
        below parent: NodeID? = nil,
        etag: String? = "\"v1\"",
        modified: Instant? = nil
    ) throws -> NodeDiscovery {
        let url = try HTTPURL(parsing: "http://origin.example/\(id)")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: url)
        let node = Node(id, parent: parent, name: id.text, etag: etag, modified: modified, source: url)
        return NodeDiscovery(node, markingIfChanged: .all)
    }

    private func download(_ needed: NeededNode) throws -> NodeDownload? {
        try download(needed, in: NewTransfer.defaultQueue)
    }

    private func download(_ needed: NeededNode, in queue: String) throws -> NodeDownload? {
        guard let url = needed.node.source else { return nil }
        var options = DownloadOptions()
        options.existingFile = .overwrite
        let place = Destination.file(directory: "/d", name: try FileName(userGiven: needed.node.id.text))
        return NodeDownload(
            DownloadSpecification(url: url, destination: place, options: options),
            components: needed.components,
            queue: queue
        )
    }

    private func drain() async throws { try await bench.engine(.everything(untilDrained: true)).run() }

    /// Runs the download of a node until its server has sent a part of it and stalls.
    private func whileStalled(
        at id: NodeID,
        _ body: @Sendable (TransferHandle) async throws -> Void
    )
        async throws
    {
        let url = try #require(try await tree.node(id)?.source)
        bench.transport.order(.stallAfter(4_000), at: url)
        #expect(try await tree.downloadNeeded(download).added == 1)
        let transfer = try #require(try await tree.transfer(of: id))
        let engine = bench.engine(.everything(untilDrained: true))
        async let run: Void = engine.run()
        try await bench.transport.nextStall()
        try await body(transfer)
        bench.transport.release()
        try await run
    }

    @Test func aNodeOfAQueueThatIsPausedOnAMeteredNetworkKeepsItsBytes() async throws {
        let names: [NodeID] = ["large", "small"]
        try await tree.discover(names.map { try node($0) })
        let url = try #require(try await tree.node("large")?.source)
        bench.transport.order(.stallAfter(4_000), at: url)
        try await tree.downloadNeeded { needed in
            try download(needed, in: needed.node.id == "large" ? "unmetered" : NewTransfer.defaultQueue)
        }
        let (large, small) = (try await tree.transfer(of: "large"), try await tree.transfer(of: "small"))
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            try await engine.pauseQueue("unmetered")
            #expect(await large?.reaches(.queued)?.downloadProgress.segments.received == 4_000)
            #expect(await small?.reaches(.completed)?.state == .completed)
            let isMarked = try await tree.isMarked("large")
            #expect(isMarked)
            try await engine.resumeQueue("unmetered")
            #expect(await large?.reaches(.completed)?.state == .completed)
        }
        let ranges = bench.transport.requests.filter { $0.url == url }.map { $0.headers[.range] }
        #expect(ranges == [nil, "bytes=4000-"])
    }

    @Test func downloadsEachNodeOnceHoweverManyAsk() async throws {
        let folder = NodeDiscovery(Node("folder", name: "folder"), marking: .all)
        try await tree.discover([folder, node("a", below: "folder"), node("b")])
        let other = bench.client().tree(named: "files")
        let counts = try await withThrowingTaskGroup(of: NeededSummary.self) { group in
            for tree in [tree, other, tree, other] {
                group.addTask { try await tree.downloadNeeded(download) }
            }
            return try await group.reduce(into: NeededSummary()) { sum, each in
                sum.added += each.added
                sum.present += each.present
                sum.skipped += each.skipped
            }
        }
        #expect(counts.added == 2 && counts.present == 6 && counts.skipped == 4)
        try await drain()
        #expect(bench.transport.requests.count == 2)
        for id in ["a", "b"] as [NodeID] {
            #expect(try await !tree.isMarked(id))
            #expect(try bench.files.contents(of: FileName(userGiven: id.text), in: "/d") == bench.bytes)
        }
        #expect(try await tree.isMarked("folder", [.data, .header]))
        #expect(try await tree.downloadNeeded(download).added == 0)
        // What was downloaded is downloaded again when it is marked again.
        try await tree.mark("a", .data)
        #expect(try await tree.downloadNeeded(under: "folder", download).added == 1)
        try await drain()
        #expect(bench.transport.requests.count == 3)
        #expect(try await !tree.isMarked("a"))
    }

    @Test func asksForAnotherVersionOfWhatItHasSaved() async throws {
        func updating(_ needed: NeededNode) throws -> NodeDownload? {
            var options = DownloadOptions()
            (options.existingFile, options.updates) = (.overwrite, true)
            return NodeDownload(
                DownloadSpecification(
                    url: try #require(needed.node.source),
                    destination: .file(directory: "/d", name: try FileName(userGiven: "a")),
                    options: options
                ),
                components: needed.components
            )
        }
        // The server has a newer version than the one that was listed.
        try await tree.discover([node("a", etag: "\"v0\"")])
        try await tree.downloadNeeded(updating)
        try await drain()
        #expect(try await tree.isMarked("a"))
        // When it is listed, the file is there already.
        try await tree.discover([node("a")])
        #expect(try await tree.downloadNeeded(updating).added == 1)
        try await drain()
        #expect(try await !tree.isMarked("a"))
        #expect(bench.transport.requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"v1\""])
        #expect(try bench.files.contents(of: FileName(userGiven: "a"), in: "/d") == bench.bytes)
    }

    @Test func downloadsShallowBeforeDeepAndThenTheNewest() async throws {
        func at(_ second: Int64) -> Instant { Instant(seconds: second) }
        try await tree.discover([
            node("old", modified: at(1)), node("deep", below: "old", modified: at(9)),
            node("new", modified: at(2)), node("urgent", below: "deep", modified: at(1)),
        ])
        var edit = QueueEdit()
        edit.slots = 1
        _ = try await bench.client().editQueue(NewTransfer.defaultQueue, edit)
        try await tree.downloadNeeded { needed in
            guard let given = try download(needed) else { return nil }
            guard needed.node.id == "urgent", let url = needed.node.source else { return given }
            #expect(needed.depth == 2)
            let place = Destination.file(directory: "/d", name: try FileName(userGiven: "urgent"))
            return NodeDownload(DownloadSpecification(url: url, destination: place), priority: 1)
        }
        try await drain()
        #expect(bench.transport.requests.map(\.url.path) == ["/urgent", "/new", "/old", "/deep"])
    }

    @Test func isMarkedIfAnyOfSomeComponentsIsForEveryPairOfSets() async throws {
        let sets = (UInt8(0)..<16).map { NodeComponents(rawValue: $0) }
        for set in sets {
            let id = NodeID("\(set.rawValue)")
            try await tree.discover([NodeDiscovery(Node(id, name: id.text), marking: set)])
            for asked in sets {
                let isMarked = try await tree.isMarked(id, asked)
                #expect(isMarked == (set.rawValue & asked.rawValue != 0), "\(asked) of \(set)")
            }
            #expect(try await tree.isMarked(id) == !set.isEmpty)
        }
        #expect(try await !tree.isMarked("unknown"))
    }

    @Test func keepsWhatIsMarkedWhileItsDownloadRuns() async throws {
        try await tree.discover([node("a")])
        try await whileStalled(at: "a") { _ in try await tree.mark("a", .thumbnail) }
        #expect(try await tree.mark(of: "a")?.components == .thumbnail)
    }

    @Test func keepsTheMarkOfAVersionThatIsDiscoveredWhileAnOlderOneIsDownloaded() async throws {
        try await tree.discover([node("a")])
        try await whileStalled(at: "a") { transfer in
            try await tree.discover([node("a", etag: "\"v2\"")])
            try await tree.unmark("a", .all, ifETagMatches: "\"v1\"")
            #expect(try await tree.downloadNeeded(download).present == 1)
            #expect(try await tree.transfer(of: "a")?.id == transfer.id)
        }
        #expect(try await tree.mark(of: "a")?.components == .all)
        let url = try #require(try await tree.node("a")?.source)
        bench.transport.set(ScriptedResource([1, 2, 3], entityTag: "\"v2\""), at: url)
        #expect(try await tree.downloadNeeded(download).added == 1)
        try await drain()
        #expect(try bench.files.contents(of: FileName(userGiven: "a"), in: "/d") == [1, 2, 3])
        #expect(try await !tree.isMarked("a"))
    }

    @Test func keepsWhatIsMarkedWhenATransferThatHasAllItsBytesFetchesTheSame() async throws {
        try await tree.discover([node("a")])
        let url = try #require(try await tree.node("a")?.source)
        let earlier = try #require(
            try download(NeededNode(node: Node("a", name: "a", source: url), components: .all, depth: 0))
        )
        bench.files.inject(FileFault(.publish))
        let engine = bench.engine()
        let handle = try await engine.start(earlier.transfer)
        try await bench.running(engine) {
            #expect(await handle.reaches(.waiting)?.state.name == .waiting)
            bench.transport.set(ScriptedResource([1, 2, 3], entityTag: "\"v2\""), at: url)
            let needed = try await tree.downloadNeeded(download)
            #expect(needed.present == 1)
            bench.clock.advance(by: .seconds(60))
            #expect(await handle.reaches(.completed)?.state.name == .completed)
        }
        #expect(try bench.files.contents(of: FileName(userGiven: "a"), in: "/d") == bench.bytes)
        #expect(try await tree.mark(of: "a")?.components == .all)
        // The next one is for the node.
        try await tree.discover([NodeDiscovery(Node("a", name: "a", etag: "\"v2\"", source: url))])
        #expect(try await tree.downloadNeeded(download).added == 1)
        try await drain()
        #expect(try bench.files.contents(of: FileName(userGiven: "a"), in: "/d") == [1, 2, 3])
        #expect(try await !tree.isMarked("a"))
    }

    @Test func cancelsTheTransferOfANodeThatIsRemovedWhileItRuns() async throws {
        try await tree.discover([NodeDiscovery(Node("folder", name: "f")), node("a", below: "folder")])
        try await whileStalled(at: "a") { transfer in
            #expect(try await tree.remove(["folder", "unknown"]) == 2)
            let wish = try await transfer.snapshot.wish
            #expect(wish?.isCancel == true)
        }
        #expect(try await bench.client().transferStates() == [.cancelled])
        #expect(bench.files.names(in: "/d") == [])
        #expect(try await tree.node("a") == nil)
    }

    @Test func removesThePartFileOfANodeThatIsRemovedWhileItIsPaused() async throws {
        try await tree.discover([node("a")])
        try await whileStalled(at: "a") { transfer in
            try await transfer.pause()
            _ = await transfer.reaches(.paused)
        }
        #expect(bench.files.names(in: "/d") == ["a.part"])
        #expect(try await tree.remove(["a"]) == 1)
        #expect(bench.files.names(in: "/d") == [])
        #expect(try await bench.client().transferStates() == [.cancelled])
        #expect(try await bench.client().snapshot(of: TransferID(rawValue: 1)).claim == nil)
    }

    @Test func followsANodeThatIsMovedAndRenamedWhileItRuns() async throws {
        try await tree.discover([NodeDiscovery(Node("folder", name: "f")), node("a")])
        try await whileStalled(at: "a") { transfer in
            var moved = try #require(try await tree.node("a"))
            (moved.parent, moved.name) = ("folder", "renamed")
            #expect(try await tree.discover([NodeDiscovery(moved, markingIfChanged: .all)]).moved == 1)
            #expect(try await tree.transfer(of: "a")?.id == transfer.id)
        }
        #expect(try await !tree.isMarked("a"))
        #expect(try await tree.node("a")?.parent == "folder")
    }

    @Test func queuesWhatHasFailedAgain() async throws {
        try await tree.discover([node("a"), node("b", below: "a")])
        let url = try #require(try await tree.node("a")?.source)
        bench.transport.order(.answer(status: 404, [:]), at: url)
        for round in 1...2 {
            let summary = try await tree.downloadNeeded { needed in
                var given = try download(needed)
                given?.isAfterParent = true
                return given
            }
            #expect(summary.added == 2)
            try await drain()
            let states = try await bench.client().transferStates()
            #expect(states == (round == 1 ? [.failed, .failed] : [.completed, .completed]))
            for id in ["a", "b"] as [NodeID] { #expect(try await tree.isMarked(id) == (round == 1)) }
        }
    }

    @Test func forgetsNothingAndDownloadsNothingTwiceAfterAPowerLoss() async throws {
        try await tree.discover([node("a"), node("b")])
        try await tree.downloadNeeded(download)
        bench.store.losePower()
        #expect(try await tree.downloadNeeded(download).present == 2)
        try await drain()
        bench.store.losePower()
        #expect(try await tree.downloadNeeded(download) == NeededSummary())
        #expect(bench.transport.requests.count == 2)
    }

    @Test func walksUntilItIsStopped() async throws {
        try await tree.discover([
            NodeDiscovery(Node("a", name: "a")), NodeDiscovery(Node("b", parent: "a", name: "b")),
            NodeDiscovery(Node("c", parent: "b", name: "c")), NodeDiscovery(Node("d", name: "d")),
        ])
        func visited(_ steps: [NodeID: WalkStep], under start: NodeID? = nil) async throws -> [NodeID] {
            var visited: [NodeID] = []
            try await tree.walk(under: start) { node in
                visited.append(node.node.id)
                return steps[node.node.id] ?? .descend
            }
            return visited
        }
        #expect(try await visited([:]) == ["a", "b", "c", "d"])
        #expect(try await visited(["b": .skipChildren]) == ["a", "b", "d"])
        #expect(try await visited(["b": .stop]) == ["a", "b"])
        #expect(try await visited(["a": .skipChildren], under: "a") == ["a"])
        await #expect(throws: StoreError.refusedNode("none", .unknown)) {
            _ = try await visited([:], under: "none")
        }
    }

    @Test func leavesOutWhatIsBelowASkippedNodeAlsoAcrossPages() async throws {
        // A page ends among the children of the first folder, and another one with the second folder.
        var nodes = [Node("a", name: "a"), Node("c", name: "c"), Node("d", name: "d")]
        nodes += (0..<1_500).map { Node(NodeID("a\($0)"), parent: "a", name: "\($0)") }
        nodes += (0..<999).map { Node(NodeID("b\($0)"), name: "b\($0)") }
        nodes += (0..<2).map { Node(NodeID("c\($0)"), parent: "c", name: "\($0)") }
        try await tree.discover(nodes.map { NodeDiscovery($0) })
        let skipped: Set<NodeID> = ["a", "c"]
        var visited: [NodeID] = []
        try await tree.walk { node in
            visited.append(node.node.id)
            return skipped.contains(node.node.id) ? .skipChildren : .descend
        }
        let atTheTop = nodes.filter { $0.parent == nil }.map(\.id)
        #expect(visited.count == atTheTop.count && Set(visited) == Set(atTheTop))
    }

    @Test func refusesATreeWithoutAName() async throws {
        for name in ["", String(repeating: "x", count: 256)] {
            await #expect(throws: StoreError.refusedNode("a", .tree)) {
                try await bench.client().tree(named: name).discover([node("a")])
            }
        }
    }
}

extension TransferClient {
    /// The states of all transfers, in the order of their numbers.
    fileprivate func transferStates() async throws -> [TransferState.Name] {
        try await transfers(.all, after: nil, limit: 100).map(\.state.name)
    }
}
