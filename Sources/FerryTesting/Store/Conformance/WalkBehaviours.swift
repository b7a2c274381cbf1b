import FerryCore
import Testing

/// Walks through trees, and searches for marked nodes.
enum WalkBehaviours {
    typealias Behaviour = TransferStoreConformance.Behaviour

    /// Every behaviour.
    static let all: [Behaviour] = [
        Behaviour("walksParentsFirstAndChildrenByName") { store in
            try await store.discover(family)
            let expected = ["a 0", "c 1", "g 2", "b 1", "d 0", "e 0", "f 1"]
            for limit in 1...9 {
                let walked = try await store.walked(upTo: limit)
                #expect(walked.map { "\($0.node.id) \($0.depth)" } == expected, "pages of \(limit)")
                #expect(walked.map(\.node.parent) == [nil, "a", "c", "a", nil, nil, "e"])
            }
            let below = try await store.walked(from: "a", upTo: 2)
            #expect(below.map { "\($0.node.id) \($0.depth)" } == ["a 0", "c 1", "g 2", "b 1"])
            await expectError({ $0 == .refusedNode("unknown", .unknown) }) {
                _ = try await store.walked(from: "unknown")
            }
            #expect(try await store.walked(in: "unknown") == [])
        },
        Behaviour("sortsNamesByTheirBytes") { store in
            let names = ["", "B", "a", "a", "a b", "ab", "e\u{301}", "z", "\u{E9}"]
            let nodes = names.enumerated().map { Node(NodeID("\($0)"), name: $1) }
            try await store.discover(nodes.reversed().map { NodeDiscovery($0) })
            for limit in 1...4 {
                let walked = try await store.walked(upTo: limit).map(\.node.name)
                #expect(walked.map { Array($0.utf8) } == names.map { Array($0.utf8) })
            }
        },
        Behaviour("leavesOutWhatIsBelowASkippedNode") { store in
            try await store.discover(family)
            for limit in 1...8 {
                for skipped: NodeID in ["a", "c", "d", "f"] {
                    var walk = NodeWalk()
                    var visited: [NodeID] = []
                    while !walk.isDone {
                        let page = try await store.page(of: walk, in: "tree", upTo: limit)
                        walk = page.walk
                        var depth: Int?
                        for node in page.nodes where depth.map({ node.depth <= $0 }) ?? true {
                            depth = node.node.id == skipped ? node.depth : nil
                            visited.append(node.node.id)
                        }
                        if let depth { walk.skipChildren(atDepth: depth) }
                    }
                    let all: [NodeID] = ["a", "c", "g", "b", "d", "e", "f"]
                    let hidden: Set<NodeID> =
                        skipped == "a" ? ["c", "g", "b"] : skipped == "c" ? ["g"] : []
                    #expect(visited == all.filter { !hidden.contains($0) }, "\(skipped), pages of \(limit)")
                }
            }
        },
        Behaviour("cutsCircles") { store in
            try await store.discover([
                .init(.plain("a"), marking: .all), .init(Node("b", parent: "a", name: "b"), marking: .all),
                .init(Node("c", parent: "b", name: "c"), marking: .all),
                .init(Node("own", parent: "c", name: "d")), .init(.plain("z"), marking: .all),
            ])
            try await store.discover([
                .init(Node("a", parent: "c", name: "a")), .init(Node("own", parent: "own", name: "d")),
            ])
            for limit in 1...4 {
                #expect(try await store.walked(upTo: limit).map(\.node.id) == ["z"])
                #expect(try await store.walked(from: "b", upTo: limit).map(\.node.id) == ["b", "c", "a"])
                #expect(try await store.walked(from: "own", upTo: limit).map(\.node.id) == ["own"])
                #expect(try await store.neededIDs(upTo: limit) == ["z"], "the others are below nothing")
                #expect(try await store.neededIDs(under: "b", upTo: limit) == ["b", "c", "a"])
            }
            let removal = try await store.removeNodes(
                ["c", "own"],
                in: "tree",
                upTo: 99,
                holder: nil,
                at: Sample.start
            )
            #expect(removal.count == 4)
            #expect(try await store.walked().map(\.node.id) == ["z"])
        },
        Behaviour("walksAndSearchesToAnyDepth") { store in
            let depth = 10_000
            var nodes: [NodeDiscovery] = []
            for number in 0..<depth {
                let parent = number == 0 ? nil : NodeID("\(number - 1)")
                nodes.append(.init(Node(NodeID("\(number)"), parent: parent, name: "n"), marking: .data))
            }
            try await store.discover(nodes)
            let walked = try await store.walked(upTo: 3_000)
            #expect(walked.map(\.depth) == Array(0..<depth))
            #expect(walked.map(\.node.id) == nodes.map(\.node.id))
            let needed = try await store.neededIDs(upTo: 3_000)
            #expect(needed == nodes.map(\.node.id))
            var removed = 0
            while true {
                let removal = try await store.removeNodes(
                    ["0"],
                    in: "tree",
                    upTo: 4_000,
                    holder: nil,
                    at: Sample.start
                )
                removed += removal.count
                if removal.count < 4_000 { break }
            }
            #expect(removed == depth)
        },
        Behaviour("survivesChangesBetweenTwoPages") { store in
            try await store.discover(family)
            let all: Set<NodeID> = ["a", "b", "c", "d", "e", "f", "g"]
            for pages in 0...7 {
                for change in changes(number: pages) {
                    var walk = NodeWalk()
                    var visited: [NodeID] = []
                    for number in 0..<40 where !walk.isDone {
                        if number == pages { try await change.apply(to: store) }
                        let page = try await store.page(of: walk, in: "tree", upTo: 1)
                        visited += page.nodes.map(\.node.id)
                        walk = page.walk
                    }
                    #expect(walk.isDone, "\(change.name) after \(pages)")
                    let missed = all.subtracting(visited)
                    #expect(missed.isSubset(of: change.mayMiss), "\(change.name) after \(pages): \(visited)")
                    #expect(visited.count - Set(visited).count <= change.mayRepeat, "\(visited)")
                    try await store.discover(family)
                    _ = try await store.removeNodes(
                        ["new"],
                        in: "tree",
                        upTo: 9,
                        holder: nil,
                        at: Sample.start
                    )
                }
            }
        },
        Behaviour("ordersWhatIsNeededByDepthAndThenTheNewest") { store in
            func node(_ id: NodeID, _ parent: NodeID?, _ time: Int64?) -> NodeDiscovery {
                var node = Node(id, parent: parent, name: id.text)
                node.modified = time.map { Sample.start + $0 }
                return .init(node, marking: .thumbnail)
            }
            try await store.discover([
                node("old", nil, 1), node("new", nil, 2), node("deep", "old", 9), node("unknown", nil, nil),
                node("deeper", "deep", 99), node("other", "new", 5),
            ])
            let expected: [NodeID] = ["new", "old", "unknown", "deep", "other", "deeper"]
            for limit in 1...7 {
                #expect(try await store.neededIDs(upTo: limit) == expected)
                #expect(try await store.neededIDs(upTo: 2, inRoundsOf: limit) == expected)
            }
            #expect(try await store.neededIDs(under: "old") == ["old", "deep", "deeper"])
            #expect(try await store.neededIDs(under: "deeper") == ["deeper"])
            await expectError({ $0 == .refusedNode("none", .unknown) }) {
                _ = try await store.neededIDs(under: "none")
            }
        },
        Behaviour("boundsThePayloadsOfAPage") { store in
            let payload = [UInt8](repeating: 1, count: Node.largestPayload)
            try await store.discover(
                (0..<40).map { .init(Node(NodeID("\($0)"), name: "\($0)", payload: payload)) }
            )
            let page = try await store.page(of: NodeWalk(), in: "tree", upTo: 1_000)
            #expect(page.nodes.count == 16, "a MiB")
            #expect(try await store.walked(upTo: 1_000).count == 40)
        },
    ]

    /// Three nodes at the top, of which two have others below them.
    private static let family: [NodeDiscovery] = [
        .init(.plain("a")), .init(.plain("d")), .init(.plain("e")),
        .init(Node("b", parent: "a", name: "2")), .init(Node("c", parent: "a", name: "1")),
        .init(Node("f", parent: "e", name: "f")), .init(Node("g", parent: "c", name: "g")),
    ]

    /// A change between two pages, and what it excuses.
    private struct Change {
        let name: String
        var moved: [NodeDiscovery] = []
        var removed: [NodeID] = []
        /// Nodes that the walk may pass without a visit.
        var mayMiss: Set<NodeID> = []
        /// Number of nodes that it may visit twice.
        var mayRepeat = 0

        func apply(to store: some TransferStore) async throws {
            try await store.discover(moved)
            _ = try await store.removeNodes(removed, in: "tree", upTo: 99, holder: nil, at: Sample.start)
        }
    }

    private static func changes(number: Int) -> [Change] {
        [
            Change(name: "none"),
            Change(name: "added before", moved: [.init(Node("new", name: "0"))]),
            Change(name: "added after", moved: [.init(Node("new", name: "zz"))]),
            Change(name: "renamed", moved: [.init(Node("d", name: "zz"))], mayRepeat: 1),
            Change(
                name: "moved down",
                moved: [.init(Node("c", parent: "f", name: "c"))],
                mayMiss: number > 5 ? ["c", "g"] : [],
                mayRepeat: 2
            ),
            Change(name: "moved up", moved: [.init(Node("g", name: "g"))], mayMiss: ["g"], mayRepeat: 1),
            Change(name: "removed", removed: ["a"], mayMiss: ["a", "b", "c", "g"]),
            Change(
                name: "in a circle",
                moved: [.init(Node("a", parent: "g", name: "a"))],
                mayMiss: ["a", "b", "c", "g"],
                mayRepeat: 4
            ),
        ]
    }
}
