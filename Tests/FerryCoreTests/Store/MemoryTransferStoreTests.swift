import FerryCore
import FerryTesting
import Testing

/// The memory store is a store like any other, and a simulator of faults besides.
struct MemoryTransferStoreTests {
    private let now = Instant(seconds: 1_700_000_000)

    @Test(arguments: TransferStoreConformance.allCases)
    func behavesAsAStore(_ behaviour: TransferStoreConformance.Behaviour) async throws {
        try await TransferStoreConformance { MemoryTransferStore() }.run(behaviour)
    }

    @Test func failsExactlyTheNextWritesAndChangesNothing() async throws {
        let store = MemoryTransferStore()
        let full = StoreError.writeFailed(path: MemoryTransferStore.path, "full", isDiskFull: true)
        let other = StoreError.unavailable(path: MemoryTransferStore.path, "busy")
        store.failNextWrite(with: full)
        store.failNextWrite(with: other)
        await #expect(throws: full) { try await store.add([new("a")], holder: nil, at: now) }
        #expect(try await store.counts() == [:])
        await #expect(throws: other) { try await store.add([new("a")], holder: nil, at: now) }
        _ = try await store.add([new("a")], holder: nil, at: now)
        #expect(try await store.counts() == [.queued: 1])
    }

    @Test func losesWithThePowerWhatWasOnlySafeAgainstTheDeathOfTheProcess() async throws {
        let store = MemoryTransferStore()
        let owner = try await store.join(process, at: now)
        let added = try #require(try await store.add([new("a")], holder: nil, at: now).first).transfer
        let claimed = try await store.claim(upTo: 1, only: nil, for: owner, at: now)
        let claim = try #require(claimed.first?.claim)
        var progress = DownloadProgress()
        progress.refusedParts = 5
        try await store.record(progress, for: claim, durability: .process, at: now)
        store.losePower()
        #expect(try await store.transfer(added.id) == added)
        #expect(
            try await store.owners().map(\.id) == [owner],
            "a commit that survives brings all before it along"
        )
        await #expect(throws: StoreError.claimLost(claim.transfer)) {
            try await store.record(progress, for: claim, durability: .process, at: now)
        }
    }

    @Test func powerLossMayKeepSomeFirstCommitsOfThoseThatNeedNotSurviveIt() async throws {
        var left: Set<Int> = []
        for seed in UInt64(0)..<40 {
            let store = MemoryTransferStore()
            let owner = try await store.join(process, at: now)
            let added = try #require(try await store.add([new("a")], holder: nil, at: now).first).transfer
            let claimed = try await store.claim(upTo: 1, only: nil, for: owner, at: now)
            let claim = try #require(claimed.first?.claim)
            for received in 1...3 {
                var progress = DownloadProgress()
                progress.refusedParts = received
                try await store.record(progress, for: claim, durability: .process, at: now)
            }
            var random = SeededRandom(seed: seed)
            store.losePower(using: &random)
            let row = try #require(try await store.transfer(added.id))
            left.insert(row.state == .queued ? -1 : row.downloadProgress.refusedParts)
        }
        #expect(left == [-1, 0, 1, 2, 3])
    }

    @Test func keepsEverythingBeforeACommitThatSurvivesPowerLoss() async throws {
        let store = MemoryTransferStore()
        let owner = try await store.join(process, at: now)
        _ = try await store.add([new("a"), new("b")], holder: nil, at: now)
        let claimed = try await store.claim(upTo: 2, only: nil, for: owner, at: now)
        let first = try #require(claimed.first?.claim)
        let failure = TransferFailure(.timeout, "late")
        try await store.settle(
            first,
            as: Settlement(.queued, progress: DownloadProgress(), failure: failure),
            at: now
        )
        let second = try #require(claimed.last?.claim)
        try await store.record(DownloadProgress(), for: second, durability: .power, at: now)
        let expected = try await store.transfers(.all, after: nil, limit: 10)
        try await store.record(
            DownloadProgress(),
            for: second,
            durability: .process,
            at: now.advanced(by: .seconds(1))
        )
        store.losePower()
        #expect(try await store.transfers(.all, after: nil, limit: 10) == expected)
        #expect(try await store.attempts(of: first.transfer).map(\.failure) == [failure])
    }

    @Test func neverLosesWhatBecameFinal() async throws {
        let store = MemoryTransferStore()
        let owner = try await store.join(process, at: now)
        _ = try await store.add([new("a"), new("b")], holder: nil, at: now)
        let claims = try await store.claim(upTo: 2, only: nil, for: owner, at: now).compactMap(\.claim)
        try await store.settle(claims[0], as: Settlement(.completed, progress: DownloadProgress()), at: now)
        store.losePower()
        #expect(try await store.transfer(claims[0].transfer)?.state == .completed)
        _ = try await store.ask(.cancel(keepingPart: false), of: claims[1].transfer, at: now)
        #expect(try await store.remove(owner, at: now) == [claims[1].transfer])
        store.losePower()
        #expect(try await store.transfer(claims[1].transfer)?.state == .cancelled)
    }

    @Test func leavesAfterAPowerLossAPartFileToBeRemovedOnceMore() async throws {
        let store = MemoryTransferStore()
        let owner = try await store.join(process, at: now)
        var edit = QueueEdit()
        (edit.slots, edit.overflow) = (1, .cancelOldestAlsoWaiting)
        _ = try await store.edit(queue: NewTransfer.defaultQueue, edit, at: now)
        _ = try await store.add([new("a")], holder: nil, at: now)
        let claim = try #require(try await store.claim(upTo: 1, only: nil, for: owner, at: now).first?.claim)
        var progress = DownloadProgress()
        progress.part = PartFileClaim(
            name: .fallback,
            identity: FileIdentity(device: 1, inode: 1),
            boot: BootID(rawValue: "b")
        )
        try await store.settle(claim, as: Settlement(.waiting(.network), progress: progress), at: now)
        _ = try await store.add([new("b")], holder: nil, at: now)
        try await store.settleResidues(of: [claim.transfer], as: .removed)
        #expect(try await store.residues(for: .anyProcess, after: nil, limit: 2) == [])
        store.losePower()
        #expect(try await store.residues(for: .anyProcess, after: nil, limit: 2) == [claim.transfer])
    }

    @Test func tellsListenersThatThePowerWasLost() async {
        let store = MemoryTransferStore()
        var changes = store.changes().makeAsyncIterator()
        store.losePower()
        #expect(await changes.next() != nil)
    }

    private let process = ProcessIdentity(pid: 1, startTime: 1, boot: BootID(rawValue: "b"))

    private func new(_ name: String) throws -> NewTransfer {
        NewTransfer(
            DownloadSpecification(
                url: try HTTPURL(parsing: "https://example.com/\(name)"),
                destination: .file(directory: "/d", name: nil)
            )
        )
    }

    @Test func doesNotTellAnOwnerOfItsOwnAttempts() async throws {
        let store = MemoryTransferStore()
        let owner = try await store.join(process, at: now)
        _ = try await store.add([new("a"), new("b")], holder: nil, at: now)
        let (own, every) = (store.changes(besides: owner), store.changes())
        for _ in 0..<2 {
            let claimed = try await store.claim(upTo: 1, only: nil, for: owner, at: now)
            let claim = try #require(claimed.first?.claim)
            let progress = DownloadProgress()
            try await store.record(progress, for: claim, durability: .process, at: now)
            _ = try await store.settle(
                claim,
                as: Settlement(.completed, progress: progress),
                at: now
            )
        }
        await store.close()
        var heard = 0
        for await _ in own { heard += 1 }
        #expect(heard == 0)
        for await _ in every { heard += 1 }
        #expect(heard == 1)
    }

    @Test func tellsAnOwnerOfEverythingElse() async throws {
        let store = MemoryTransferStore()
        let owner = try await store.join(process, at: now)
        let other = try await store.join(process, at: now)
        let added = try await store.add([new("a")], holder: nil, at: now)
        var changes = store.changes(besides: owner).makeAsyncIterator()
        _ = try await store.claim(upTo: 1, only: nil, for: other, at: now)
        #expect(await changes.next() != nil)
        _ = try await store.ask(.pause, of: added[0].transfer.id, at: now)
        #expect(await changes.next() != nil)
        await store.close()
    }
}
