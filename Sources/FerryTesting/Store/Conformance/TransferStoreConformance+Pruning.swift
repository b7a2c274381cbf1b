import FerryCore
import Testing

extension TransferStoreConformance {
    static let pruning: [Behaviour] = [
        Behaviour("forgetsTheOldestBeyondANumber") { store in
            let ids = try await store.complete(["a", "b", "c", "d", "e"], at: [3, 1, 5, 2, 4])
            let retention = Retention(age: nil, count: 2)
            #expect(try await store.prune(retention, upTo: 2, at: Sample.start) == [ids[1], ids[3]])
            #expect(try await store.prune(retention, upTo: 2, at: Sample.start) == [ids[0]])
            #expect(try await store.prune(retention, upTo: 2, at: Sample.start).isEmpty)
            #expect(try await store.transfers(.all, after: nil, limit: 9).map(\.id) == [ids[2], ids[4]])
            #expect(try await store.counts() == [.completed: 2])
        },
        Behaviour("forgetsWhatIsTooOld") { store in
            let ids = try await store.complete(["a", "b", "c"], at: [30, 10, 20])
            let retention = Retention(age: .milliseconds(60), count: 100)
            #expect(try await store.prune(retention, upTo: 9, at: Sample.start + 69).isEmpty)
            #expect(try await store.prune(retention, upTo: 9, at: Sample.start + 80) == [ids[1], ids[2]])
            #expect(try await store.prune(.unbounded, upTo: 9, at: Sample.start + 1_000_000).isEmpty)
            #expect(try await store.transfers(.all, after: nil, limit: 9).map(\.id) == [ids[0]])
        },
        Behaviour("forgetsByItselfNothingThatCouldGoOn") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() {
                _ = try await store.addOne("file-\(number)", in: state, owner: owner)
            }
            let nothing = Retention(age: .zero, count: 0)
            let forgotten = try await store.prune(nothing, upTo: 99, at: Sample.start + 1_000_000)
            #expect(forgotten.count == 2)
            let left = try await store.transfers(.all, after: nil, limit: 99).map(\.state.name)
            #expect(left.count == everyState.count - 2)
            #expect(!left.contains(.completed) && !left.contains(.cancelled) && left.contains(.failed))
        },
        Behaviour("keepsACancelledOneWhosePartFileIsStillThere") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let id = try await store.addOne("file").id
            let claim = try await store.claimOne(id, for: owner).claim
            var progress = DownloadProgress()
            progress.part = PartFileClaim(
                name: try FileName(userGiven: "file.part"),
                identity: FileIdentity(device: 1, inode: 2),
                boot: BootID(rawValue: "b")
            )
            _ = try await store.ask(.cancel(keepingPart: false), of: id, at: Sample.start)
            _ = try await store.settle(
                claim,
                as: Settlement(.cancelled, progress: progress),
                at: Sample.start
            )
            let nothing = Retention(age: .zero, count: 0)
            #expect(try await store.prune(nothing, upTo: 9, at: Sample.start + 1_000_000).isEmpty)
            #expect(try await store.existing(id).downloadProgress.part == progress.part)
        },
        Behaviour("forgetsDownloadsThatFailedWithoutAByte") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let retention = Retention(age: nil, count: 0, emptyFailureAge: .milliseconds(50))
            let late = try await store.fail(Sample.new("late"), owner, at: 30)
            let early = try await store.fail(Sample.new("early"), owner, at: 10)
            let next = try await store.fail(Sample.new("next"), owner, at: 10)
            let running = try await store.fail(Sample.new("again"), owner, at: 10)
            _ = try await store.requeue(running, holder: nil, at: Sample.start + 11)
            #expect(try await store.prune(.unbounded, upTo: 9, at: Sample.start + 1_000_000).isEmpty)
            #expect(try await store.prune(retention, upTo: 9, at: Sample.start + 59).isEmpty)
            #expect(try await store.prune(retention, upTo: 1, at: Sample.start + 79) == [early])
            #expect(try await store.prune(retention, upTo: 9, at: Sample.start + 79) == [next])
            let done = try await store.complete(["done"], at: [70])
            #expect(try await store.prune(retention, upTo: 1, at: Sample.start + 80) == done)
            #expect(try await store.prune(retention, upTo: 0, at: Sample.start + 80) == [])
            #expect(try await store.prune(retention, upTo: 9, at: Sample.start + 80) == [late])
            #expect(try await store.transfers(.all, after: nil, limit: 9).map(\.id) == [running])
            #expect(try await store.counts() == [.queued: 1])
        },
        Behaviour("keepsFailuresThatAreNotEmpty") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let nothing = Retention(age: .zero, count: 0, emptyFailureAge: .zero)
            var ledger = AttemptLedger()
            ledger.bestReceived = 5
            let begun = Settlement(
                .failed(Sample.failure),
                progress: try Sample.progress(received: 5),
                ledger: ledger
            )
            // The bytes were dropped since.
            let dropped = Settlement(.failed(Sample.failure), progress: DownloadProgress(), ledger: ledger)
            var progress = DownloadProgress()
            progress.part = Sample.part
            let opened = Settlement(.failed(Sample.failure), progress: progress, ledger: AttemptLedger())
            for (number, settlement) in [begun, dropped, opened].enumerated() {
                _ = try await store.fail(Sample.new("\(number)"), owner, at: 1, as: settlement)
            }
            let request = try RequestSpecification(url: HTTPURL(parsing: "https://api.example/orders"))
            let sent = Settlement(.failed(Sample.failure), progress: .request(RequestProgress()))
            _ = try await store.fail(NewTransfer(request), owner, at: 1, as: sent)
            #expect(try await store.prune(nothing, upTo: 9, at: Sample.start + 1_000_000).isEmpty)
            #expect(try await store.counts() == [.failed: 4])
        },
        Behaviour("keepsEmptyFailuresThatAreNeeded") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let nothing = Retention(age: .zero, count: 0, emptyFailureAge: .zero)
            try await store.set("line") { ($0.order, $0.slots) = (.strict, 1) }
            var strict = try Sample.new("strict")
            strict.queue = "line"
            _ = try await store.fail(strict, owner, at: 1)
            var typed = try Sample.new("typed")
            typed.type = "photo.created"
            let watched = try await store.fail(typed, owner, at: 1)
            let head = try await store.addOne("head").id
            let last = try await store.addOne("last", after: [head]).id
            let claim = try await store.claimOne(head, for: owner).claim
            let failed = Settlement(.failed(Sample.failure), progress: DownloadProgress())
            try await store.settle(claim, as: failed, at: Sample.start + 1)
            let late = Sample.start + 1_000_000
            #expect(try await store.prune(nothing, upTo: 9, at: late) == [last])
            #expect(try await store.prune(nothing, upTo: 9, at: late) == [head])
            let result = try #require(
                try await store.takeResults(of: "photo.created", upTo: 1, for: owner, at: late).first
            )
            #expect(try await store.prune(nothing, upTo: 9, at: late) == [])
            try await store.settle(result.result, as: .handled)
            #expect(try await store.prune(nothing, upTo: 9, at: late) == [watched])
            #expect(try await store.prune(nothing, upTo: 9, at: late) == [])
            #expect(try await store.counts() == [.failed: 1])
        },
        Behaviour("forgetsWhatIsRefusedForItsNameUnlessItIsNeeded") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let exists = TransferFailure(.destinationExists, "It exists.")
            let refused = Settlement(.failed(exists), progress: DownloadProgress())
            var progress = DownloadProgress()
            progress.part = Sample.part
            let begun = Settlement(.failed(exists), progress: progress)
            let own = try await store.fail(Sample.new("own"), owner, holder: owner, at: 1, as: refused)
            let queued = try await store.fail(Sample.new("queued"), owner, at: 1, as: refused)
            let again = try await store.fail(Sample.new("again"), owner, holder: owner, at: 1, as: refused)
            _ = try await store.requeue(again, holder: owner, at: Sample.start + 2)
            var kept = [queued, again, TransferID(rawValue: 1_000)]
            kept.append(try await store.fail(Sample.new("other"), owner, holder: owner, at: 1))
            kept.append(try await store.fail(Sample.new("begun"), owner, holder: owner, at: 1, as: begun))
            try await store.set("line") { ($0.order, $0.slots) = (.strict, 1) }
            var strict = try Sample.new("strict")
            strict.queue = "line"
            kept.append(try await store.fail(strict, owner, holder: owner, at: 1, as: refused))
            for name in ["added", "needed"] {
                let id = try await store.addOne(name, holder: owner).id
                let claim = try await store.claimOne(id, for: owner).claim
                // Meanwhile another caller asks for the same, or for something behind it.
                if name == "added" {
                    _ = try await store.addOne(name)
                } else {
                    _ = try await store.addOne("last", after: [id])
                }
                try await store.settle(claim, as: refused, at: Sample.start + 1)
                kept.append(id)
            }
            #expect(try await store.forgetRefused([own] + kept) == [own])
            #expect(try await store.forgetRefused([own] + kept) == [])
            // Now a command runs it, and tells its person.
            _ = try await store.requeue(queued, holder: owner, at: Sample.start + 2)
            let claim = try await store.claimOne(queued, for: owner, at: Sample.start + 2).claim
            try await store.settle(claim, as: refused, at: Sample.start + 3)
            #expect(try await store.forgetRefused(kept) == [queued])
        },
        Behaviour("listsWhatWaitsForOneCondition") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var waiting: [WaitCondition.Name: [TransferID]] = [:]
            for round in 0..<3 {
                for (number, state) in everyState.enumerated() {
                    let transfer = try await store.addOne("\(round)-\(number)", in: state, owner: owner)
                    if case .waiting(let condition) = state {
                        waiting[condition.name, default: []].append(transfer.id)
                    }
                }
            }
            #expect(Set(waiting.keys) == Set(WaitCondition.Name.allCases))
            for (condition, ids) in waiting {
                let filter = TransferFilter.waiting(condition)
                #expect(try await store.transfers(filter, after: nil, limit: 9).map(\.id) == ids)
                #expect(try await store.transfers(filter, after: ids[0], limit: 1).map(\.id) == [ids[1]])
                let usual = filter.of(queue: NewTransfer.defaultQueue)
                #expect(try await store.transfers(usual, after: nil, limit: 9).map(\.id) == ids)
                #expect(try await store.transfers(filter.of(queue: "none"), after: nil, limit: 9) == [])
            }
        },
    ]
}

extension TransferStore {
    /// Adds a transfer and lets it fail at a number of milliseconds after the start, without a byte unless given otherwise.
    fileprivate func fail(
        _ new: NewTransfer,
        _ owner: OwnerID,
        holder: OwnerID? = nil,
        at moment: Int64,
        as settlement: Settlement = Settlement(.failed(Sample.failure), progress: DownloadProgress())
    ) async throws -> TransferID {
        let id = try #require(try await add([new], holder: holder, at: Sample.start).first).transfer.id
        let claim = try await claimOne(id, for: owner).claim
        _ = try await settle(claim, as: settlement, at: Sample.start + moment)
        return id
    }

    /// Adds transfers in one order and completes each at a number of milliseconds after the start.
    fileprivate func complete(_ names: [String], at moments: [Int64]) async throws -> [TransferID] {
        let owner = try await join(Sample.process(), at: Sample.start)
        var ids: [TransferID] = []
        for (name, moment) in zip(names, moments) {
            let id = try await addOne(name).id
            let claim = try await claimOne(id, for: owner).claim
            let settlement = Settlement(.completed, progress: DownloadProgress())
            _ = try await settle(claim, as: settlement, at: Sample.start + moment)
            ids.append(id)
        }
        return ids
    }
}
