import FerryCore
import Testing

/// Nodes and their marks.
enum TreeBehaviours {
    typealias Behaviour = TransferStoreConformance.Behaviour

    /// Every behaviour.
    static let all: [Behaviour] = [
        Behaviour("marksAndUnmarksEveryPairOfComponents") { store in
            let sets = (UInt8(0)..<16).map { NodeComponents(rawValue: $0) }
            try await store.discover(sets.map { .init(.plain("\($0.rawValue)"), marking: $0) })
            for set in sets {
                let id = NodeID("\(set.rawValue)")
                for other in sets {
                    #expect(try await store.components(of: id) == set)
                    _ = try await store.mark(other, of: id, in: "tree")
                    #expect(try await store.components(of: id) == set.union(other))
                    _ = try await store.unmark(other, of: id, ifETagMatches: nil, in: "tree")
                    #expect(try await store.components(of: id) == set.subtracting(other))
                    _ = try await store.mark(set, of: id, in: "tree")
                }
            }
        },
        Behaviour("unmarksUnlessTheETagDiffers") { store in
            let cases: [(node: String?, given: String?, falls: Bool)] = [
                ("\"1\"", "\"1\"", true), ("\"1\"", "\"2\"", false), ("\"1\"", "W/\"1\"", false),
                ("\"1\"", nil, true), (nil, "\"1\"", true), (nil, nil, true),
            ]
            for (number, each) in cases.enumerated() {
                let id = NodeID("\(number)")
                var node = Node.plain(id)
                node.etag = each.node
                try await store.discover([.init(node, marking: .all)])
                let left = try await store.unmark(
                    [.header, .data],
                    of: id,
                    ifETagMatches: each.given,
                    in: "tree"
                )
                let expected: NodeComponents = each.falls ? [.metadata, .thumbnail] : .all
                #expect(left?.components == expected, "\(each)")
                #expect(try await store.components(of: id) == expected, "\(each)")
            }
            let left = try await store.unmark(.all, of: "unknown", ifETagMatches: "\"1\"", in: "tree")
            #expect(left == nil)
            #expect(try await store.unmark(.all, of: "0", ifETagMatches: nil, in: "another tree") == nil)
        },
        Behaviour("removesTheMarkWithItsLastComponent") { store in
            try await store.discover([.init(.plain("a"), marking: [.header, .data])])
            let left = try await store.unmark(.header, of: "a", ifETagMatches: nil, in: "tree")
            #expect(left?.components == .data)
            #expect(try await store.unmark(.data, of: "a", ifETagMatches: nil, in: "tree") == nil)
            #expect(try await store.node("a", in: "tree")?.mark == nil)
            #expect(try await store.neededIDs() == [])
        },
        Behaviour("growsTheGenerationWithEachMark") { store in
            try await store.discover([.init(.plain("a"), marking: .header), .init(.plain("b"))])
            var latest = try #require(try await store.node("a", in: "tree")?.mark?.generation)
            for components: NodeComponents in [.header, .data, .header] {
                let mark = try await store.mark(components, of: "a", in: "tree")
                #expect(mark.generation > latest)
                latest = mark.generation
                #expect(try await store.node("a", in: "tree")?.mark == mark)
            }
            _ = try await store.unmark(.all, of: "a", ifETagMatches: nil, in: "tree")
            let again = try await store.mark(.header, of: "a", in: "tree")
            #expect(again.generation > latest, "also after the entry went")
            let none = try await store.mark([], of: "b", in: "tree")
            #expect(none.components.isEmpty)
            #expect(try await store.node("b", in: "tree")?.mark == nil)
        },
        Behaviour("keepsEverythingOfANode") { store in
            let url = try HTTPURL(parsing: "s3://bucket/folder/key")
            let folder = Node("f", name: "folder")
            let full = Node(
                "full",
                parent: "f",
                name: "né\u{301}e",
                etag: "\"x\"",
                modified: Sample.start,
                size: .max,
                source: url,
                payload: [UInt8](repeating: 7, count: Node.largestPayload)
            )
            let summary = try await store.discover([.init(folder), .init(full)])
            #expect(summary.new == 2 && summary.changed + summary.moved + summary.unchanged == 0)
            #expect(try await store.node("full", in: "tree")?.node == full)
            #expect(try await store.node("f", in: "tree")?.node == folder)
            #expect(full.source == url)
            #expect(try await store.node("full", in: "other") == nil)
            #expect(try await store.node("unknown", in: "tree") == nil)
            #expect(try await store.walked().map(\.node) == [folder, full])
        },
        Behaviour("readsManyNodesByTheirIDs") { store in
            let first = Node("1", name: "one", payload: [1])
            let second = Node("2", parent: "1", name: "two", size: 2)
            try await store.discover([.init(first), .init(second, marking: .data)])
            let read = try await store.nodes(["2", "unknown", "1", "2"], in: "tree")
            #expect(read.map { $0?.node.name } == ["two", nil, "one", "two"])
            #expect(read[2]?.node.payload == [1] && read[0]?.node.size == 2)
            #expect(read.map { $0?.mark?.components } == [.data, nil, nil, .data])
            #expect(try await store.nodes(["1"], in: "other") == [nil])
            #expect(try await store.nodes([NodeID](), in: "tree").isEmpty)
        },
        Behaviour("tellsNewChangedMovedAndUnchangedNodesApart") { store in
            var node = Node("a", name: "a", etag: "\"1\"")
            func summary(_ components: NodeComponents = .data) async throws -> DiscoverySummary {
                try await store.discover([.init(.plain("f")), .init(node, markingIfChanged: components)])
            }
            #expect(try await summary().new == 2)
            #expect(try await store.components(of: "a") == .data)
            _ = try await store.unmark(.data, of: "a", ifETagMatches: nil, in: "tree")
            var expected = DiscoverySummary()
            expected.unchanged = 2
            #expect(try await summary() == expected)
            #expect(try await store.components(of: "a") == [])
            (node.parent, expected.unchanged, expected.moved) = ("f", 1, 1)
            #expect(try await summary() == expected)
            node.name = "b"
            #expect(try await summary() == expected)
            #expect(try await store.components(of: "a") == [], "it has the same version")
            (node.etag, expected.moved, expected.changed) = ("\"2\"", 0, 1)
            #expect(try await summary(.header) == expected)
            #expect(try await store.components(of: "a") == .header)
            #expect(try await store.node("a", in: "tree")?.node == node)
            node.payload = [1]
            _ = try await summary()
            #expect(try await store.node("a", in: "tree")?.node == node, "also what is no version")
        },
        Behaviour("refusesNodesThatItCannotKeep") { store in
            try await store.discover([.init(.plain("known"))])
            let long = String(repeating: "x", count: 9_000)
            var flawed: [(Node, NodeFlaw)] = [
                (.plain(""), .id), (.plain(NodeID(long)), .id), (Node("a", parent: "", name: ""), .id),
                (Node("a", name: long), .name), (Node("a", name: "", etag: long), .etag),
                (Node("a", parent: "b", name: ""), .unknownParent("b")),
                (Node("a", parent: "a", name: ""), .unknownParent("a")),
            ]
            let url = try HTTPURL(parsing: "https://example.com/\(long)")
            flawed.append((Node("a", name: "", source: url), .source))
            let payload = [UInt8](repeating: 0, count: Node.largestPayload + 1)
            flawed.append((Node("a", name: "", payload: payload), .payload))
            for (node, flaw) in flawed {
                await expectError({ $0 == .refusedNode(node.id, flaw) }) {
                    try await store.discover([.init(.plain("new"), marking: .all), .init(node)])
                }
            }
            #expect(try await store.node("new", in: "tree") == nil, "all or nothing")
            await expectError({ $0 == .refusedNode("new", .unknown) }) {
                _ = try await store.mark(.all, of: "new", in: "tree")
            }
            await expectError({ $0 == .refusedNode("known", .unknown) }) {
                _ = try await store.mark(.all, of: "known", in: "another tree")
            }
        },
        Behaviour("keepsTreesApart") { store in
            _ = try await store.discover([.init(.plain("a"), marking: .header)], in: "one")
            _ = try await store.discover([.init(.plain("a"), marking: .data)], in: "two")
            _ = try await store.removeNodes(["a"], in: "one", upTo: 9, holder: nil, at: Sample.start)
            #expect(try await store.node("a", in: "one") == nil)
            #expect(try await store.node("a", in: "two")?.mark?.components == .data)
            #expect(try await store.walked(in: "one") == [])
            #expect(try await store.walked(in: "two").map(\.node.id) == ["a"])
            let number = try #require(try await store.node("a", in: "two")).number
            #expect(try await store.nodes([number], in: "two").map { $0?.node.id } == ["a"])
            #expect(try await store.nodes([number], in: "one") == [nil], "its number is another tree's")
        },
        Behaviour("removesWhatIsBelowANode") { store in
            var nodes: [NodeDiscovery] = [.init(.plain("a"), marking: .all), .init(.plain("z"))]
            for number in 0..<10 {
                nodes.append(.init(Node("b\(number)", parent: "a", name: "\(number)"), marking: .all))
                for other in 0..<3 {
                    nodes.append(
                        .init(Node("c\(number)-\(other)", parent: .init("b\(number)"), name: "\(other)"))
                    )
                }
            }
            try await store.discover(nodes)
            var removed: [Int] = []
            while removed.last ?? 7 == 7 {
                let removal = try await store.removeNodes(
                    ["a", "unknown"],
                    in: "tree",
                    upTo: 7,
                    holder: nil,
                    at: Sample.start
                )
                removed.append(removal.count)
                // Whatever is left is still reachable.
                let left = try await store.walked()
                #expect(left.count == nodes.count - removed.reduce(0, +))
            }
            #expect(removed.reduce(0, +) == 41)
            #expect(try await store.walked().map(\.node.id) == ["z"])
            #expect(try await store.neededIDs() == [])
        },
    ]
}

extension Node {
    /// A node at the top, named like its id.
    static func plain(_ id: NodeID) -> Node { Node(id, name: id.text) }
}

extension TransferStore {
    /// Discovers nodes of the tree `tree`.
    @discardableResult
    func discover(_ discoveries: [NodeDiscovery]) async throws -> DiscoverySummary {
        try await discover(discoveries, in: "tree")
    }

    /// What is marked of a node.
    func components(of id: NodeID) async throws -> NodeComponents {
        try await node(id, in: "tree")?.mark?.components ?? []
    }

    /// All nodes of a tree in the order of a walk.
    func walked(
        in tree: String = "tree",
        from start: NodeID? = nil,
        upTo limit: Int = 100
    ) async throws -> [WalkedNode] {
        var walk = NodeWalk(from: start)
        var nodes: [WalkedNode] = []
        while !walk.isDone {
            let page = try await page(of: walk, in: tree, upTo: limit)
            nodes += page.nodes
            walk = page.walk
        }
        return nodes
    }

    /// The marked nodes in the order of their downloads.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of marks in one page of the search.
    ///   - most: the maximum number of nodes in one round.
    func neededIDs(
        under start: NodeID? = nil,
        upTo limit: Int = 100,
        inRoundsOf most: Int = NeededOrder.mostEntries
    ) async throws -> [NodeID] {
        var order = NeededOrder(in: "tree", under: start, upTo: most)
        var ids: [NodeID] = []
        while !order.isDone { ids += try await nextIDs(in: &order, upTo: limit) }
        return ids
    }

    /// The nodes of the next round.
    func nextIDs(in order: inout NeededOrder, upTo limit: Int = 100) async throws -> [NodeID] {
        let entries = try await next(in: &order, pageLength: limit)
        return try await nodes(entries.map(\.number), in: "tree").compactMap { $0?.node.id }
    }
}
