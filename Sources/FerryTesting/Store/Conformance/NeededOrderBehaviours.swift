import FerryCore
import Testing

/// The order of marked nodes, which is read in rounds and pages while the tree changes.
enum NeededOrderBehaviours {
    typealias Behaviour = TransferStoreConformance.Behaviour

    /// Every behaviour.
    static let all: [Behaviour] = [
        Behaviour("ordersWhatIsNeededInRoundsOfAnySize") { store in
            var random = SeededRandom(seed: 7)
            let count = 60
            var expected: [(depth: Int, time: Int64, number: Int)] = []
            var nodes: [NodeDiscovery] = []
            for number in 0..<count {
                let parent = number > 2 ? Int.random(in: -1..<number, using: &random) : -1
                let depth = parent < 0 ? 0 : expected[parent].depth + 1
                let time = Int64.random(in: 0...9, using: &random)
                expected.append((depth, time, number))
                let above = parent < 0 ? nil : NodeID("\(parent)")
                nodes.append(node(NodeID("\(number)"), below: above, at: time))
            }
            try await store.discover(nodes)
            expected.sort { ($0.depth, -$0.time, $0.number) < ($1.depth, -$1.time, $1.number) }
            let ids = expected.map { NodeID("\($0.number)") }
            for most in [1, 2, 3, 7, count - 1, count, count + 1] {
                #expect(try await store.neededIDs(upTo: 11, inRoundsOf: most) == ids, "rounds of \(most)")
            }
        },
        Behaviour("handsOutAtMostOneRoundOfNodes") { store in
            try await store.discover((0..<10).map { node(NodeID("\($0)"), at: Int64($0)) })
            var order = NeededOrder(in: "tree", under: nil, upTo: 4)
            var counts: [Int] = []
            while !order.isDone { counts.append(try await store.nextIDs(in: &order, upTo: 3).count) }
            #expect(counts == [4, 4, 2])
        },
        Behaviour("findsNothingNeededInATreeThatIsUnknownOrHasNoMarks") { store in
            #expect(try await store.neededIDs() == [])
            try await store.discover([.init(.plain("a"))])
            #expect(try await store.neededIDs(inRoundsOf: 1) == [])
        },
        Behaviour("ordersTheNextRoundByWhatTheTreeIsThen") { store in
            try await store.discover([
                .init(.plain("unmarked")), node("a", at: 5), node("b", at: 4), node("c", at: 3),
                node("d", at: 2), node("e", at: 1), node("f", at: 0),
            ])
            var order = NeededOrder(in: "tree", under: nil, upTo: 2)
            let before = try await store.nextIDs(in: &order)
            #expect(before == ["a", "b"])
            // Those that were handed out are not handed out again, whatever becomes of them.
            _ = try await store.mark(.header, of: "a", in: "tree")
            try await store.discover([node("b", at: 9)])
            // The others are taken as they are now.
            _ = try await store.unmark(.all, of: "c", ifETagMatches: nil, in: "tree")
            _ = try await store.mark(.data, of: "unmarked", in: "tree")
            try await store.discover([node("e", at: 8), node("f", below: "d", at: 7)])
            let after = try await store.nextIDs(in: &order)
            #expect(after == ["e", "d"])
            // Meanwhile one of the last moves to where the order has been already.
            try await store.discover([node("f", at: 9)])
            let rest = try await store.nextIDs(in: &order)
            #expect(rest == ["f", "unmarked"])
            #expect(order.isDone)
        },
        Behaviour("refusesTheNextRoundUnderANodeThatIsGone") { store in
            try await store.discover([
                node("a", at: 1), node("b", below: "a", at: 1), node("c", below: "a", at: 1),
            ])
            var order = NeededOrder(in: "tree", under: "a", upTo: 1)
            let before = try await store.nextIDs(in: &order)
            #expect(before == ["a"])
            _ = try await store.removeNodes(["a"], in: "tree", upTo: 9, holder: nil, at: Sample.start)
            await expectError({ $0 == .refusedNode("a", .unknown) }) {
                _ = try await store.nextIDs(in: &order)
            }
        },
        Behaviour("handsOutEachNeededNodeOnceWhateverChangesBetweenTwoPages") { store in
            let all: Set<NodeID> = ["old", "new", "unknown", "deep", "other", "deeper"]
            for most in [1, 3] {
                for pages in [0, 1, 4, 7] {
                    for change in changes {
                        let found = try await neededIDs(of: store, inRoundsOf: most) { page in
                            if page == pages { try await change.apply(store) }
                        }
                        let label = "\(change.name) before page \(pages), rounds of \(most): \(found)"
                        #expect(found.count == Set(found).count, "\(label)")
                        #expect(all.subtracting(found).isSubset(of: change.mayMiss), "\(label)")
                        #expect(Set(found).subtracting(all).isSubset(of: change.mayFind), "\(label)")
                    }
                }
            }
        },
    ]

    /// A node with its mark.
    private static func node(_ id: NodeID, below parent: NodeID? = nil, at time: Int64?) -> NodeDiscovery {
        var node = Node(id, parent: parent, name: id.text)
        node.modified = time.map { Sample.start + $0 }
        return .init(node, marking: .thumbnail)
    }

    /// Marked nodes in a new tree, and one without a mark.
    private static let family: [NodeDiscovery] = [
        .init(.plain("unmarked")), node("old", at: 1), node("new", at: 2), node("deep", below: "old", at: 9),
        node("unknown", at: nil), node("deeper", below: "deep", at: 99), node("other", below: "new", at: 5),
    ]

    /// The marked nodes of ``family`` in the order of their downloads.
    ///
    /// - Parameter turn: called before each page, with the number of pages before it.
    private static func neededIDs(
        of store: any TransferStore,
        inRoundsOf most: Int,
        _ turn: (_ page: Int) async throws -> Void
    ) async throws -> [NodeID] {
        _ = try await store.removeNodes(
            family.map(\.node.id),
            in: "tree",
            upTo: 99,
            holder: nil,
            at: Sample.start
        )
        try await store.discover(family)
        var order = NeededOrder(in: "tree", under: nil, upTo: most)
        var ids: [NodeID] = []
        var page = 0
        while !order.isDone, page < 99 {
            var search = order.search
            while !search.isDone {
                try await turn(page)
                page += 1
                let found = try await store.page(of: search, upTo: 2)
                order.add(found.entries)
                search = found.search
            }
            let entries = order.endRound()
            ids += try await store.nodes(entries.map(\.number), in: "tree").compactMap { $0?.node.id }
        }
        #expect(order.isDone)
        return ids
    }

    /// A change between two pages, and what it excuses.
    private struct Change: Sendable {
        let name: String
        /// Nodes that may be left out.
        var mayMiss: Set<NodeID> = []
        /// Nodes that had no mark at first, and may be handed out.
        var mayFind: Set<NodeID> = []
        let apply: @Sendable (any TransferStore) async throws -> Void
    }

    private static let changes: [Change] = [
        Change(name: "none") { _ in },
        Change(name: "marked", mayFind: ["unmarked"]) { store in
            _ = try await store.mark(.data, of: "unmarked", in: "tree")
        },
        Change(name: "marked again") { store in _ = try await store.mark(.header, of: "new", in: "tree") },
        Change(name: "unmarked", mayMiss: ["deep"]) { store in
            _ = try await store.unmark(.all, of: "deep", ifETagMatches: nil, in: "tree")
        },
        Change(name: "newer") { store in try await store.discover([node("unknown", at: 999)]) },
        Change(name: "older") { store in try await store.discover([node("new", at: nil)]) },
        Change(name: "moved up") { store in try await store.discover([node("deeper", at: 99)]) },
        Change(name: "moved down") { store in
            try await store.discover([node("new", below: "deeper", at: 2)])
        },
        Change(name: "removed", mayMiss: ["old", "deep", "deeper"]) { store in
            _ = try await store.removeNodes(["old"], in: "tree", upTo: 9, holder: nil, at: Sample.start)
        },
        Change(name: "in a circle", mayMiss: ["old", "deep", "deeper"]) { store in
            try await store.discover([node("old", below: "deeper", at: 1)])
        },
    ]
}
