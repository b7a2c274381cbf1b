import FerryCore
import Testing

/// The entries of pools that downloads of nodes bring, and what becomes of them with the nodes.
enum EntryNodeBehaviours {
    typealias Behaviour = TransferStoreConformance.Behaviour

    /// Every behaviour.
    static let all: [Behaviour] = [
        Behaviour("removesAnEntryWithTheLastOfItsNodes") { store in
            for mode in CacheMode.allCases {
                let (name, nodes) = ("\(mode)", ["a \(mode)", "b \(mode)"].map { NodeID($0) })
                let number = try await store.bring(name, to: nodes, mode: mode)
                try await store.remove(nodes[0])
                #expect(try await store.isLeaving(name) == false, "\(mode)")
                try await store.remove(nodes[1])
                #expect(try await store.isLeaving(name) == true, "\(mode)")
                let version = try #require(try await store.entry(name, in: "pool")?.version)
                _ = try await store.change([number], .forget([version]), at: Sample.start)
                #expect(try await store.isLeaving(name) == nil, "\(mode)")
            }
        },
        Behaviour("removesTheEntriesOfAllNodesBelow") { store in
            try await store.discover([.init(.plain("folder"))])
            try await store.bring("one", to: ["a"], below: "folder")
            try await store.bring("two", to: ["b"], below: "folder")
            try await store.bring("other", to: ["c"])
            try await store.remove("folder")
            for (name, isLeaving) in [("one", true), ("two", true), ("other", false)] {
                #expect(try await store.isLeaving(name) == isLeaving, "\(name)")
            }
        },
        Behaviour("keepsAnEntryThatWasKeptOrReplacedAfterItsNodeHasBroughtIt") { store in
            let upload = try await store.addOne("upload")
            let version = try #require(SavedVersion(Sample.saved(inode: 8, bytes: 12), isAccepted: true))
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let changes: [(EntryChange, isKept: Bool)] = [
                (.mode(.persistent), true), (.wait(.init(upload.id, .cached)), true),
                (.take(version, CacheTerms(pool: "pool"), by: owner), true), (.use, false),
                (.mode(.cached), false),
            ]
            for (index, (change, isKept)) in changes.enumerated() {
                let (name, node) = ("\(index)", NodeID("node \(index)"))
                let number = try await store.bring(name, to: [node])
                _ = try await store.change([number], change, at: Sample.start)
                try await store.remove(node)
                #expect(try await store.isLeaving(name) == !isKept, "\(change)")
            }
        },
        Behaviour("keepsAPinnedEntryThatANodeDownloadsLater") { store in
            let number = try await store.bring("entry", to: ["a"])
            _ = try await store.change([number], .mode(.persistent), at: Sample.start)
            #expect(try await store.bring("entry", to: ["a"]) == number)
            try await store.remove("a")
            #expect(try await store.isLeaving("entry") == false)
        },
        Behaviour("keepsAnEntryThatWasDownloadedAsAPersistentOneForNoNode") { store in
            for mode in CacheMode.allCases {
                let name = "\(mode)"
                try await store.bring(name, to: ["a"], mode: .persistent)
                let download = try NewTransfer(EntryNodeBehaviours.specification(name, mode))
                let added = try await store.add([download], holder: nil, at: Sample.start)
                let id = try #require(added.first?.transfer.id)
                try await store.complete(store.claimed(id))
                try await store.remove("a")
                #expect(try await store.isLeaving(name) == (mode == .cached), "\(mode)")
            }
        },
        Behaviour("removesAPersistentEntryThatCameAgainBeforeItWasDeleted") { store in
            try await store.bring("entry", to: ["a"], mode: .persistent)
            try await store.remove("a")
            #expect(try await store.isLeaving("entry") == true)
            try await store.bring("entry", to: ["b"], mode: .persistent)
            #expect(try await store.isLeaving("entry") == false)
            try await store.remove("b")
            #expect(try await store.isLeaving("entry") == true)
        },
        Behaviour("removesAnEntryThatARunningDownloadBringsAfterItsNodeWasRemoved") { store in
            for isThere in [false, true] {
                let name = "\(isThere)"
                if isThere { try await store.bring(name, to: ["a"], mode: .persistent) }
                let claim = try await store.begin(name, for: ["a"], mode: .persistent)
                try await store.remove("a")
                // Its owner has not seen yet that it was cancelled.
                try await store.complete(claim)
                #expect(try await store.isLeaving(name) == true, "\(isThere)")
                try await store.bring(name, to: ["b"])
                #expect(try await store.isLeaving(name) == false, "\(isThere)")
            }
            let number = try await store.bring("pinned", to: ["c"])
            _ = try await store.change([number], .mode(.persistent), at: Sample.start)
            let claim = try await store.begin("pinned", for: ["c"])
            try await store.remove("c")
            try await store.complete(claim)
            #expect(try await store.isLeaving("pinned") == false)
        },
        Behaviour("knowsWhetherAnEntryHasNodes") { store in
            let number = try await store.bring("entry", to: ["a"], mode: .persistent)
            #expect(try await store.entry("entry", in: "pool")?.isKept == false)
            let pinned = try await store.change([number], .mode(.persistent), at: Sample.start)
            #expect(pinned.map(\.isKept) == [true])
        },
        Behaviour("forgetsAnEntryThatIsGoneBeforeItsNode") { store in
            let number = try await store.bring("entry", to: ["a"])
            let version = try #require(try await store.entry("entry", in: "pool")?.version)
            #expect(try await store.change([number], .lose(version), at: Sample.start) == [])
            let later = try await store.bring("entry", to: ["b"])
            try await store.remove("a")
            #expect(later != number)
            #expect(try await store.isLeaving("entry") == false)
        },
    ]

    /// The download that brings an entry.
    fileprivate static func specification(
        _ name: String,
        _ mode: CacheMode
    ) throws -> DownloadSpecification {
        var options = DownloadOptions()
        options.cache = CacheTerms(pool: "pool", mode: mode)
        return DownloadSpecification(
            url: try HTTPURL(parsing: "https://example.com/entry"),
            destination: .file(directory: "/pool", name: try FileName(userGiven: name)),
            options: options
        )
    }
}

extension TransferStore {
    /// Adds nodes, and completes the download that brings them one entry; returns the number of the entry.
    @discardableResult
    fileprivate func bring(
        _ name: String,
        to nodes: [NodeID],
        below parent: NodeID? = nil,
        mode: CacheMode = .cached
    ) async throws -> Int64 {
        try await complete(begin(name, for: nodes, below: parent, mode: mode))
        return try #require(try await entry(name, in: "pool")).number
    }

    /// Adds nodes, and claims the download that brings them one entry.
    fileprivate func begin(
        _ name: String,
        for nodes: [NodeID],
        below parent: NodeID? = nil,
        mode: CacheMode = .cached
    ) async throws -> Claim {
        try await discover(nodes.map { .init(Node($0, parent: parent, name: $0.text), marking: .all) })
        let download = NodeDownload(try EntryNodeBehaviours.specification(name, mode))
        _ = try await add(nodes.map { (node: $0, download: download) }, in: "tree", at: Sample.start)
        return try await claimed(try #require(try await transfer(of: nodes[0], in: "tree")))
    }

    fileprivate func claimed(_ id: TransferID) async throws -> Claim {
        try await claimOne(id, for: join(Sample.process(), at: Sample.start)).claim
    }

    fileprivate func complete(_ claim: Claim) async throws {
        let progress = Sample.saved(inode: 1, bytes: 10)
        try await settle(claim, as: Settlement(.completed, progress: progress), at: Sample.start)
        _ = try await remove(claim.owner, at: Sample.start)
    }

    fileprivate func remove(_ node: NodeID) async throws {
        _ = try await removeNodes([node], in: "tree", upTo: 9, holder: nil, at: Sample.start)
    }

    /// Whether the deletion of an entry is noted; `nil` if there is no such entry.
    fileprivate func isLeaving(_ name: String) async throws -> Bool? {
        try await entry(name, in: "pool")?.isLeaving
    }
}
