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
