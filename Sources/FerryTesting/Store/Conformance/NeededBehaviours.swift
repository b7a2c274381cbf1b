import FerryCore
import Testing

/// The transfers of nodes, and what becomes of marks when they end.
enum NeededBehaviours {
    typealias Behaviour = TransferStoreConformance.Behaviour

    /// Every behaviour.
    static let all: [Behaviour] = [
        Behaviour("addsOneTransferForANodeHoweverManyAsk") { store in
            try await store.discover([.init(.plain("a"), marking: .all), .init(.plain("b"))])
            let id = try await store.need("a")
            for _ in 1...3 { #expect(try await store.outcomes("a", "b") == [.present(id), .notNeeded]) }
            #expect(try await store.outcomes("a", "a") == [.present(id), .present(id)])
            #expect(try await store.outcomes("unknown") == [.notNeeded])
            #expect(try await store.transfer(of: "a", in: "tree") == id)
            #expect(try await store.counts() == [.queued: 1])
            // Two at once are one as well.
            _ = try await store.mark(.all, of: "b", in: "tree")
            let both = try await store.outcomes("b", "b")
            #expect(both.count == 2 && both[1] == .notNeeded)
            #expect(try await store.counts() == [.queued: 2])
        },
        Behaviour("holdsTheTransferOfANodeForItsOwner") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.discover([.init(.plain("a"), marking: .all), .init(.plain("b"), marking: .all)])
            let download = NodeDownload(try Sample.specification(Sample.file(of: "a")))
            let held = try await store.add([("a", download)], in: "tree", holder: owner, at: Sample.start)
            let id = try #require(try await store.transfer(of: "a", in: "tree"))
            let transfer = try await store.existing(id)
            #expect(held == [.added(transfer)])
            #expect(transfer.claim?.owner == owner)
            #expect(try await store.existing(store.need("b")).claim == nil)
        },
        Behaviour("unmarksInTheCommitThatCompletes") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() {
                let name = "\(number)"
                try await store.discover([.init(.plain(NodeID(name)), marking: [.header, .data])])
                let added = try await store.existing(store.need(name, .data))
                let ended = try await store.bring(added, to: state, owner: owner)
                let left = try await store.components(of: NodeID(name))
                #expect(left == (state == .completed ? .header : [.header, .data]), "\(state)")
                let transfer = try await store.transfer(of: NodeID(name), in: "tree")
                #expect(transfer == (ended.state.name.isOver ? nil : ended.id), "\(state)")
                // An active one would take all slots in the end.
                if !ended.state.isFinal {
                    _ = try await store.ask(.cancel(keepingPart: true), of: ended.id, at: Sample.start)
                }
            }
        },
        Behaviour("keepsOneRecordOfAFileThatItsNodeFindsUpToDate") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            func pass(_ inode: UInt64, isUpToDate: Bool = true, holder: OwnerID?) async throws -> TransferID {
                try await store.discover([.init(.plain("a"), marking: .data)])
                var specification = try Sample.specification("a")
                specification.options.updates = true
                let download = [(node: NodeID("a"), download: NodeDownload(specification, components: .data))]
                _ = try await store.add(download, in: "tree", holder: holder, at: Sample.start)
                let id = try #require(try await store.transfer(of: "a", in: "tree"))
                let progress = Sample.progress(ofFile: inode, isUpToDate: isUpToDate)
                let settlement = Settlement(.completed, progress: progress)
                try await store.settle(store.claimOne(id, for: owner).claim, as: settlement, at: Sample.start)
                #expect(try await store.components(of: "a") == [])
                return id
            }
            let first = try await pass(1, isUpToDate: false, holder: owner)
            for _ in 1...2 {
                let latest = try await pass(1, holder: owner)
                #expect(try await store.counts() == [.completed: 1])
                #expect(try await store.existing(latest).state == .completed)
            }
            // Callers of the queue may look up each of their transfers, and an application those that it has named.
            let queued = try await pass(1, holder: nil)
            #expect(try await store.counts() == [.completed: 2])
            var named = try Sample.new("a")
            named.tag = try TransferTag("mine")
            _ = try await store.label([queued], as: [named])
            _ = try await pass(1, holder: owner)
            #expect(try await store.counts() == [.completed: 3])
            // What was fetched, or is another file, says more than the record before.
            _ = try await pass(2, isUpToDate: false, holder: owner)
            #expect(try await store.counts() == [.completed: 4])
            _ = try await pass(3, holder: owner)
            #expect(try await store.counts() == [.completed: 5])
            #expect(try await store.transfer(first) == nil)
        },
        Behaviour("keepsWhatIsMarkedWhileItsDownloadRuns") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, later) in (UInt8(0)..<16).map({ NodeComponents(rawValue: $0) }).enumerated() {
                let id = NodeID("\(number)")
                try await store.discover([.init(.plain(id), marking: .all)])
                let running = try await store.claimOne(store.need(id.text, [.header, .data]), for: owner)
                // What falls and is marked again was marked again all the same.
                _ = try await store.unmark(later, of: id, ifETagMatches: nil, in: "tree")
                _ = try await store.mark(later, of: id, in: "tree")
                try await store.complete(running.claim)
                #expect(try await store.components(of: id) == later.union([.metadata, .thumbnail]))
            }
        },
        Behaviour("keepsTheMarkOfANewerVersionDiscoveredBetweenAnyTwoSteps") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for step in 0...4 {
                for fetched in [nil, "\"1\"", "\"2\""] {
                    for isMarkedAgain in [false, true] {
                        let id = NodeID("\(step) \(fetched ?? "-") \(isMarkedAgain)")
                        var node = Node(id, name: "n", etag: "\"1\"")
                        func discover(at moment: Int) async throws {
                            guard moment == step else { return }
                            node.etag = "\"2\""
                            let components: NodeComponents = isMarkedAgain ? .all : []
                            try await store.discover([.init(node, markingIfChanged: components)])
                        }
                        try await store.discover([.init(node, marking: .all)])
                        try await discover(at: 0)
                        let transfer = try await store.need(id.text)
                        try await discover(at: 1)
                        let claim = try await store.claimOne(transfer, for: owner).claim
                        try await discover(at: 2)
                        try await store.record(
                            .download(Sample.progress(fetching: fetched)),
                            for: claim,
                            durability: .process,
                            at: Sample.start
                        )
                        try await discover(at: 3)
                        try await store.complete(claim, fetching: fetched)
                        try await discover(at: 4)
                        // Without the ETag of the response, it is that of the node when the transfer was added.
                        let got = fetched ?? (step == 0 ? "\"2\"" : "\"1\"")
                        let wasNew = step < 4 && got != "\"2\""
                        let stays =
                            step == 4 ? got != "\"1\"" || isMarkedAgain : wasNew || step > 0 && isMarkedAgain
                        #expect(try await store.components(of: id) == (stays ? .all : []), "\(id)")
                    }
                }
            }
        },
        Behaviour("keepsTheTransferOfANodeThatIsMovedAndRenamed") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.discover([.init(.plain("f")), .init(.plain("a"), marking: .all)])
            let running = try await store.claimOne(store.need("a"), for: owner)
            try await store.discover([.init(Node("a", parent: "f", name: "b"))])
            #expect(try await store.transfer(of: "a", in: "tree") == running.transfer.id)
            #expect(try await store.components(of: "a") == .all)
            try await store.complete(running.claim)
            #expect(try await store.components(of: "a") == [])
        },
        Behaviour("cancelsTheTransfersOfRemovedNodes") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let cleaner = try await store.join(Sample.process(2), at: Sample.start)
            for (number, state) in everyState.enumerated() {
                let (folder, name) = (NodeID("folder \(number)"), "\(number)")
                let node = Node(NodeID(name), parent: folder, name: name)
                try await store.discover([.init(.plain(folder)), .init(node, marking: .all)])
                let added = try await store.existing(store.need(name))
                let transfer = try await store.bring(added, to: state, owner: owner)
                let removal = try await store.removeNodes(
                    [folder],
                    in: "tree",
                    upTo: 9,
                    holder: cleaner,
                    at: Sample.start
                )
                #expect(removal.count == 2)
                let left = try await store.existing(transfer.id)
                #expect(removal.cancelled == (transfer.state.name.isOver ? [] : [left.id]), "\(state)")
                if state == .active {
                    #expect(left.wish == .cancel(keepingPart: false))
                    try await store.complete(try #require(left.claim))
                } else {
                    #expect(left.state == (state == .completed ? .completed : .cancelled), "\(state)")
                }
                #expect(try await store.node(NodeID(name), in: "tree") == nil)
                #expect(try await store.neededIDs() == [])
            }
        },
        Behaviour("cancelsATransferOnlyWithTheLastOfItsNodes") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.discover(["a", "b", "c"].map { .init(.plain($0), marking: .data) })
            let shared = try NodeDownload(Sample.specification("shared"))
            let downloads = ["a", "b", "c"].map { (node: NodeID($0), download: shared) }
            let outcomes = try await store.add(downloads, in: "tree", at: Sample.start)
            let id = try #require(try await store.transfer(of: "a", in: "tree"))
            let transfer = try await store.existing(id)
            #expect(outcomes == [.added(transfer), .present(id), .present(id)])
            func remove(_ id: NodeID) async throws -> [TransferID] {
                let now = Sample.start
                let removal = try await store.removeNodes([id], in: "tree", upTo: 9, holder: nil, at: now)
                return removal.cancelled
            }
            #expect(try await remove("a") == [])
            try await store.complete(store.claimOne(id, for: owner).claim)
            #expect(try await store.neededIDs() == [], "it was the transfer of both")
            _ = try await store.mark(.data, of: "b", in: "tree")
            let other = try await store.need("b")
            #expect(other != id, "what was completed is downloaded again")
            #expect(try await remove("b") == [other])
        },
        Behaviour("failsTheChildrenOfAParentThatFails") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.discover([
                .init(.plain("a"), marking: .all), .init(Node("folder", parent: "a", name: "f")),
                .init(Node("b", parent: "folder", name: "b"), marking: .all),
                .init(Node("c", parent: "b", name: "c"), marking: .all),
            ])
            for round in 1...2 {
                let outcomes = try await store.outcomes("a", "b", "c", isAfterParent: true)
                let ids = outcomes.compactMap { if case .added(let new) = $0 { new.id } else { nil } }
                #expect(ids.count == 3, "round \(round): \(outcomes)")
                #expect(try await store.existing(ids[1]).dependencies == [ids[0]])
                #expect(try await store.existing(ids[2]).dependencies == [ids[1]])
                let claim = try await store.claimOne(ids[0], for: owner).claim
                let end: TransferState = round == 1 ? .failed(Sample.failure) : .completed
                let settlement = Settlement(end, progress: DownloadProgress())
                _ = try await store.settle(claim, as: settlement, at: Sample.start)
                let states = try await store.transfers(ids).map { $0?.state.name }
                #expect(states.dropFirst() == (round == 1 ? [.failed, .failed] : [.queued, .waiting]))
                let left: [NodeID] = round == 1 ? ["a", "b", "c"] : ["b", "c"]
                #expect(try await store.neededIDs() == left)
            }
        },
        Behaviour("downloadsAgainWhatFailedWithACancelledParent") { store in
            try await store.discover([
                .init(.plain("a"), marking: .all),
                .init(Node("b", parent: "a", name: "b"), marking: .all),
                .init(Node("c", parent: "b", name: "c"), marking: .all),
            ])
            let first = try await store.outcomes("a", "b", "c", isAfterParent: true).compactMap(\.transfer)
            _ = try await store.ask(.cancel(keepingPart: false), of: first[0], holder: nil, at: Sample.start)
            #expect(
                try await store.transfers(first.dropFirst().map(\.self)).allSatisfy {
                    $0?.state.name == .failed
                }
            )
            _ = try await store.unmark(.all, of: "a", ifETagMatches: nil, in: "tree")
            let again = try await store.outcomes("b", "c", isAfterParent: true)
            let revived = try await store.transfers(Array(first.dropFirst())).compactMap(\.self)
            #expect(again == revived.map { NeededOutcome.added($0) })
            #expect(try await store.existing(first[1]).dependencies == [])
            #expect(try await store.existing(first[1]).state == .queued)
            #expect(try await store.existing(first[2]).dependencies == [first[1]])
        },
        Behaviour("downloadsWhatFailedOutsideOfTheTreeWithACancelledOne") { store in
            for (name, state) in [("a", TransferState.Name.failed), ("b", .paused)] {
                try await store.discover([.init(.plain(NodeID(name)), marking: .all)])
                let other = try await store.addOne("other" + name)
                let new = NewTransfer(try Sample.specification(Sample.file(of: name)), after: [other.id])
                let twin = try #require(try await store.add([new], holder: nil, at: Sample.start).first)
                    .transfer
                if state == .paused { _ = try await store.ask(.pause, of: twin.id, at: Sample.start) }
                _ = try await store.ask(
                    .cancel(keepingPart: false),
                    of: other.id,
                    holder: nil,
                    at: Sample.start
                )
                #expect(try await store.existing(twin.id).state.name == state)
                let outcomes = try await store.outcomes(name)
                #expect(outcomes.first?.transfer == twin.id)
                #expect(try await store.existing(twin.id).dependencies == [])
                #expect(try await store.existing(twin.id).state == .queued)
            }
        },
        Behaviour("comesAfterNoTransferThatGaveWayInTheSameCall") { store in
            try await store.set("pictures") { ($0.slots, $0.overflow) = (1, .cancelOldestAlsoWaiting) }
            try await store.discover([
                .init(.plain("a"), marking: .all), .init(Node("b", parent: "a", name: "b"), marking: .all),
                .init(Node("c", parent: "a", name: "c"), marking: .all),
            ])
            let downloads = try ["a", "b", "c"].map { name in
                let specification = try Sample.specification(Sample.file(of: name))
                return (
                    node: NodeID(name),
                    download: NodeDownload(specification, queue: "pictures", isAfterParent: true)
                )
            }
            let outcomes = try await store.add(downloads, in: "tree", at: Sample.start)
            let rows = try await store.transfers(outcomes.compactMap(\.transfer)).compactMap(\.self)
            #expect(outcomes == rows.map { NeededOutcome.added($0) }, "also what gave way")
            let last = try await store.existing(#require(outcomes[2].transfer))
            #expect(last.state == .queued && last.dependencies == [])
            // What failed on the way can be asked for again.
            #expect(try await store.add(downloads, in: "tree", at: Sample.start + 1).count == 3)
        },
        Behaviour("doesNotTrustATransferThatRanBeforeItsNodeWasAdded") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let running = try await store.claimOne(store.addOne("a").id, for: owner)
            try await store.discover([.init(.plain("a"), marking: .all)])
            #expect(try await store.outcomes("a") == [.present(running.transfer.id)])
            try await store.complete(running.claim)
            #expect(try await store.components(of: "a") == .all)
            let next = try await store.need("a")
            try await store.complete(store.claimOne(next, for: owner).claim)
            #expect(try await store.components(of: "a") == [])
        },
        Behaviour("forgetsATransferThatIsForgottenItself") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.discover([.init(.plain("a"), marking: .all)])
            let added = try await store.existing(store.need("a"))
            let failed = try await store.bring(added, to: .failed(Sample.failure), owner: owner)
            #expect(try await store.transfer(of: "a", in: "tree") == failed.id)
            // A person may queue it again: its end counts as before.
            _ = try await store.requeue(failed.id, holder: nil, at: Sample.start)
            _ = try await store.bring(store.existing(failed.id), to: .failed(Sample.failure), owner: owner)
            try await store.forget([failed.id])
            #expect(try await store.transfer(of: "a", in: "tree") == nil)
            #expect(try await store.components(of: "a") == .all)
            #expect(try await store.need("a") != failed.id)
        },
        Behaviour("addsNoneOfSeveralWhenOneIsRefused") { store in
            try await store.discover([.init(.plain("a"), marking: .all), .init(.plain("b"), marking: .all)])
            let good = try NodeDownload(Sample.specification("a"))
            let bad = try NodeDownload(Sample.specification("b"), queue: "")
            await expectError({ if case .refusedQueue = $0 { true } else { false } }) {
                _ = try await store.add([("a", good), ("b", bad)], in: "tree", at: Sample.start)
            }
            #expect(try await store.counts().isEmpty)
            #expect(try await store.transfer(of: "a", in: "tree") == nil)
        },
    ]
}

extension TransferStore {
    /// What becomes of nodes whose downloads are named like them.
    fileprivate func outcomes(
        _ names: String...,
        isAfterParent: Bool = false
    ) async throws -> [NeededOutcome] {
        let downloads = try names.map { name in
            let specification = try Sample.specification(Sample.file(of: name))
            return (node: NodeID(name), download: NodeDownload(specification, isAfterParent: isAfterParent))
        }
        return try await add(downloads, in: "tree", at: Sample.start)
    }

    /// Adds the transfer of a node, which needs one.
    fileprivate func need(
        _ name: String,
        _ components: NodeComponents = .all
    ) async throws -> TransferID {
        let download = try NodeDownload(Sample.specification(Sample.file(of: name)), components: components)
        let outcomes = try await add([(NodeID(name), download)], in: "tree", at: Sample.start)
        guard case .added(let transfer)? = outcomes.first else {
            throw NotAdded(outcomes: outcomes)
        }
        return transfer.id
    }

    /// Completes a transfer that got a version.
    fileprivate func complete(_ claim: Claim, fetching etag: String? = nil) async throws {
        let progress = Sample.progress(fetching: etag)
        try await settle(claim, as: Settlement(.completed, progress: progress), at: Sample.start)
    }
}

private struct NotAdded: Error {
    let outcomes: [NeededOutcome]
}

extension Sample {
    /// A name for the file of a node: letters stay, and anything else becomes a number.
    fileprivate static func file(of name: String) -> String {
        name.map { $0.isLetter ? String($0) : "\($0.asciiValue ?? 0)" }.joined()
    }

    /// The progress of a download that has this file.
    fileprivate static func progress(ofFile inode: UInt64, isUpToDate: Bool) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.part = part
        progress.part?.identity = FileIdentity(device: 1, inode: inode)
        if isUpToDate { progress.note = TransferNote(.upToDate, "The server has no other version.") }
        return progress
    }

    /// The progress of a download that got a version.
    fileprivate static func progress(fetching etag: String?) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.validator = Validator(
            entityTag: etag.flatMap { EntityTag($0) },
            lastModified: nil,
            date: nil,
            receivedAt: start
        )
        return progress
    }
}
