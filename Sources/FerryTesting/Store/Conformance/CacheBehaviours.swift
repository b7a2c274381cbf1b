import FerryCore
import Testing

/// The pools of a store, and what becomes of entries when transfers end.
enum CacheBehaviours {
    typealias Behaviour = TransferStoreConformance.Behaviour

    /// Every behaviour.
    static let all: [Behaviour] = imports + ownFiles + changes

    private static let imports: [Behaviour] = [
        Behaviour("recordsAnEntryInTheCommitThatCompletesItsTransfer") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() {
                let name = "\(number)"
                let added = try await store.addEntry(name)
                let expected = try #require(try await store.entry(name, in: "pool"))
                #expect(expected.content == .expected && expected.transfer == added.id)
                #expect(try await store.size(ofPool: "pool").cachedCount == 0)
                guard state != .completed else {
                    let claim = try await store.claimOne(added.id, for: owner).claim
                    try await store.settle(
                        claim,
                        as: Settlement(.completed, progress: Sample.saved(inode: 7, bytes: 30)),
                        at: Sample.start + 50
                    )
                    let entry = try #require(try await store.entry(name, in: "pool"))
                    #expect(entry.bytes == 30 && entry.version?.identity.inode == 7 && entry.transfer == nil)
                    #expect(entry.used == Sample.start + 50 && entry.checked == Sample.start + 50)
                    #expect(entry.version?.validator.entityTag?.description == "\"v1\"")
                    #expect(try await store.size(ofPool: "pool").cachedBytes == 30)
                    _ = try await store.change([entry.number], .remove(nil), at: Sample.start)
                    _ = try await store.forgetEntries([entry.number])
                    continue
                }
                let ended = try await store.bring(added, to: state, owner: owner)
                let entry = try await store.entry(name, in: "pool")
                #expect(entry?.transfer == (ended.state.name.isOver ? nil : added.id), "\(state)")
                #expect((entry == nil) == (state == .cancelled), "\(state)")
                if !ended.state.isFinal {
                    _ = try await store.ask(.cancel(keepingPart: true), of: ended.id, at: Sample.start)
                }
            }
        },
        Behaviour("tellsEntriesOfOnePoolFromThoseOfAnother") { store in
            for pool in ["a", "b"] { _ = try await store.addEntry("same", in: pool) }
            let entries = try await store.entries(EntryFilter(), after: 0, limit: 9)
            #expect(entries.map(\.pool) == ["a", "b"])
            #expect(try await store.entries(EntryFilter(pool: "b"), after: 0, limit: 9).map(\.pool) == ["b"])
            #expect(
                try await store.entries(EntryFilter(), after: entries[0].number, limit: 9) == [entries[1]]
            )
            #expect(try await store.entries(EntryFilter(), after: 0, limit: 1) == [entries[0]])
            #expect(try await store.pools().map(\.pool) == ["a", "b"])
        },
        Behaviour("notesThatThereIsNone") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let gone = TransferFailure(.notFound, "none")
            for (number, notes) in [true, false].enumerated() {
                let added = try await store.addEntry("\(number)", notesAbsence: notes)
                let claim = try await store.claimOne(added.id, for: owner).claim
                try await store.settle(
                    claim,
                    as: Settlement(.failed(gone), progress: DownloadProgress(), failure: gone),
                    at: Sample.start + 5
                )
                let entry = try #require(try await store.entry("\(number)", in: "pool"))
                #expect(entry.content == (notes ? .absent : .expected))
                #expect(entry.transfer == (notes ? nil : added.id))
            }
            #expect(try await store.size(ofPool: "pool").cachedBytes == 0)
        },
        Behaviour("evictsTheLeastRecentlyUsedWithEachImport") { store in
            _ = try await store.edit(pool: "pool") { $0.maxBytes = 25 }
            for number in 1...3 {
                try await store.importEntry("\(number)", bytes: 10, at: Sample.start + Int64(number))
            }
            let entries = try await store.entries(EntryFilter(pool: "pool"), after: 0, limit: 9)
            #expect(entries.map(\.isLeaving) == [true, false, false])
            _ = try await store.change([entries[1].number], .use, at: Sample.start + 9)
            try await store.importEntry("4", bytes: 10, at: Sample.start + 10)
            let later = try await store.entries(EntryFilter(pool: "pool"), after: 0, limit: 9)
            #expect(later.map(\.isLeaving) == [true, false, true, false])
        },
        Behaviour("evictsNothingForAnEntryThatIsTooLarge") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            _ = try await store.edit(pool: "pool") { $0.maxBytes = 25 }
            for (number, bytes) in [(Int64(0), Int64(10)), (1, 15), (2, 26)] {
                try await store.importEntry("\(number)", bytes: bytes, at: Sample.start + number)
            }
            let entries = try await store.entries(EntryFilter(pool: "pool"), after: 0, limit: 9)
            #expect(entries.map(\.isLeaving) == [false, false, false], "the one that has just come stays")
            let large = entries[2].number
            _ = try await store.change([large], .retain(owner), at: Sample.start)
            #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start + 9) == 0)
            _ = try await store.change([large], .release(owner), at: Sample.start)
            // It goes first, although it was used last, and makes no room for the next one.
            try await store.importEntry("3", bytes: 10, at: Sample.start + 10)
            let later = try await store.entries(EntryFilter(pool: "pool"), after: 0, limit: 9)
            #expect(later.map(\.isLeaving) == [true, false, true, false])
        },
        Behaviour("forgetsExpectedEntriesWhoseTransferIsGone") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let kept = try await store.addEntry("kept")
            let failed = try await store.addEntry("failed")
            _ = try await store.bring(failed, to: .failed(Sample.failure), owner: owner)
            try await store.forget([failed.id])
            try await store.settleExpected(inPool: "pool")
            #expect(try await store.entry("failed", in: "pool") == nil)
            #expect(try await store.entry("kept", in: "pool")?.transfer == kept.id)
        },
    ]

    private static let ownFiles: [Behaviour] = [
        Behaviour("takesTheFileOfAnApplication") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            _ = try await store.edit(pool: "pool") { $0.maxBytes = 15 }
            let former = try await store.importEntry("former", bytes: 10)
            let terms = CacheTerms(pool: "pool", key: "own", kind: "photo", mode: .cached)
            let new = StoredEntry(terms, named: "own", label: "own", at: Sample.start)
            let begun = try await store.beginImport(new, by: owner)
            #expect(begun.number > 0 && begun.content == .expected)
            try await store.settleExpected(inPool: "pool")
            #expect(try await store.entry("own", in: "pool")?.retains == 1, "its file is being written")
            let version = try #require(SavedVersion(Sample.saved(inode: 8, bytes: 12), isAccepted: true))
            let take = EntryChange.take(version, terms, by: owner)
            let taken = try await store.change([begun.number], take, at: Sample.start + 5)
            #expect(taken.map(\.bytes) == [12] && taken.map(\.kind) == ["photo"])
            #expect(taken.map(\.used) == [Sample.start + 5] && taken.map(\.retains) == [0])
            #expect(try await store.deletable() == [former], "the pool has no room for both")
            // Another file takes its place.
            #expect(try await store.beginImport(new, by: owner).bytes == 12)
        },
        Behaviour("forgetsAFileOfAnApplicationThatDoesNotCome") { store in
            let owner = try await store.join(Sample.process(1), at: Sample.start)
            let dead = try await store.join(Sample.process(2), at: Sample.start)
            let terms = CacheTerms(pool: "pool")
            let new = ["a", "b"].map { StoredEntry(terms, named: $0, label: $0, at: Sample.start) }
            let first = try await store.beginImport(new[0], by: owner)
            #expect(try await store.change([first.number], .release(owner), at: Sample.start) == [])
            #expect(try await store.entry("a", in: "pool") == nil)
            _ = try await store.beginImport(new[1], by: dead)
            _ = try await store.remove(dead, at: Sample.start)
            try await store.settleExpected(inPool: "pool")
            #expect(try await store.entry("b", in: "pool") == nil)
            await expectError({ $0 == .ownerRemoved }) { _ = try await store.beginImport(new[1], by: dead) }
        },
        Behaviour("keepsAnEntryUntilATransferHasCompleted") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            _ = try await store.edit(pool: "pool") { $0.maxBytes = 0 }
            for fate in CacheFate.allCases {
                for state in everyState {
                    let number = try await store.importEntry("\(fate)-\(state.name)-entry", bytes: 10)
                    let upload = try await store.addOne("\(fate)-\(state.name)")
                    let awaited = StoredEntry.Awaited(upload.id, fate)
                    let kept = try await store.change([number], .wait(awaited), at: Sample.start).first
                    #expect(kept?.mode == .persistent && kept?.awaited == awaited)
                    #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start) == 0)
                    let ended = try await store.bring(upload, to: state, owner: owner)
                    let later = try await store.change([number], .use, at: Sample.start).first
                    let isDone = state == .completed
                    #expect(later?.awaited == (ended.state.name.isOver ? nil : awaited), "\(state)")
                    #expect(later?.mode == (isDone && fate == .cached ? .cached : .persistent), "\(state)")
                    #expect(later?.isLeaving == (isDone && fate == .removed), "\(state)")
                    _ = try await store.change([number], .remove(nil), at: Sample.start)
                    _ = try await store.forgetEntries([number])
                    if !ended.state.isFinal {
                        _ = try await store.ask(.cancel(keepingPart: true), of: ended.id, at: Sample.start)
                    }
                }
            }
        },
        Behaviour("waitsForNothingThatIsOver") { store in
            let number = try await store.importEntry("a", bytes: 10)
            let gone = StoredEntry.Awaited(TransferID(rawValue: 999), .removed)
            await expectError({ $0 == .noSuchTransfer(TransferID(rawValue: 999)) }) {
                _ = try await store.change([number], .wait(gone), at: Sample.start)
            }
            #expect(try await store.entry("a", in: "pool")?.mode == .cached)
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let upload = try await store.addOne("b")
            let done = try await store.bring(upload, to: .completed, owner: owner)
            let late = StoredEntry.Awaited(done.id, .cached)
            let free = try await store.change([number], .wait(late), at: Sample.start).first
            #expect(free?.mode == .cached && free?.awaited == nil)
            let other = try await store.addOne("c")
            for mode in CacheMode.allCases {
                let wait = EntryChange.wait(StoredEntry.Awaited(other.id, .removed))
                _ = try await store.change([number], wait, at: Sample.start)
                let changed = try await store.change([number], .mode(mode), at: Sample.start).first
                #expect(changed?.mode == mode && changed?.awaited == nil)
            }
        },
    ]

    private static let changes: [Behaviour] = [
        Behaviour("deletesNothingThatIsRetained") { store in
            let owner = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let number = try await store.importEntry("a", bytes: 10)
            for each in [owner, owner, other] {
                _ = try await store.change([number], .retain(each), at: Sample.start)
            }
            _ = try await store.edit(pool: "pool") { $0.maxBytes = 0 }
            #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start) == 0)
            let noted = try await store.change([number], .remove(nil), at: Sample.start)
            #expect(noted.map(\.retains) == [3] && noted.map(\.isLeaving) == [true])
            #expect(try await store.forgetEntries([number]).count == 1)
            _ = try await store.change([number], .retain(other), at: Sample.start)
            for (each, left) in [(owner, 2), (owner, 1)] {
                #expect(try await store.deletable() == [])
                let entry = try await store.change([number], .release(each), at: Sample.start).first
                #expect(entry?.retains == left, "what is leaving is not retained any more")
            }
            // The retains of a dead process fall.
            _ = try await store.remove(other, at: Sample.start)
            #expect(try await store.deletable() == [number])
            #expect(try await store.forgetEntries([number]) == [])
            #expect(try await store.entry("a", in: "pool") == nil)
        },
        Behaviour("retainsForOwnersOnly") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let number = try await store.importEntry("a", bytes: 10)
            _ = try await store.remove(owner, at: Sample.start)
            await expectError({ $0 == .ownerRemoved }) {
                _ = try await store.change([number], .retain(owner), at: Sample.start)
            }
            let entry = try await store.change([number], .release(owner), at: Sample.start).first
            #expect(entry?.retains == 0)
        },
        Behaviour("evictsNothingPersistent") { store in
            let number = try await store.importEntry("a", bytes: 10)
            _ = try await store.change([number], .mode(.persistent), at: Sample.start)
            _ = try await store.edit(pool: "pool") { $0.maxBytes = 0 }
            #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start) == 0)
            let kept = try await store.change([number], .remove(.cached), at: Sample.start)
            #expect(kept.map(\.isLeaving) == [false], "it was pinned after someone had read it")
            #expect(try await store.size(ofPool: "pool").persistentBytes == 10)
            #expect(try await store.size(ofPool: "pool").cachedBytes == 0)
            _ = try await store.change([number], .mode(.cached), at: Sample.start)
            #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start) == 1)
            #expect(try await store.size(ofPool: "pool") == CacheSize())
            #expect(try await store.deletable() == [number])
        },
        Behaviour("evictsByAgeAlsoAfterTheClockWasAhead") { store in
            let number = try await store.importEntry("a", bytes: 10, at: Sample.start + 1_000_000)
            _ = try await store.edit(pool: "pool") { $0.maxAge = .seconds(10) }
            #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start) == 0)
            #expect(try await store.entry("a", in: "pool")?.used == Sample.start, "it counts as used now")
            #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start + 9_999) == 0)
            #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start + 10_000) == 1)
            #expect(try await store.deletable() == [number])
        },
        Behaviour("forgetsOnlyWhatIsLeaving") { store in
            let number = try await store.importEntry("a", bytes: 10)
            #expect(
                try await store.forgetEntries([number, 999]).map(\.number) == [number]
            )
            // A download of it begins before its file is deleted.
            _ = try await store.change([number], .remove(nil), at: Sample.start)
            _ = try await store.addEntry("a")
            #expect(try await store.deletable() == [])
            // Who waits for it may retain what it brings.
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let retained = try await store.change([number], .retain(owner), at: Sample.start)
            #expect(retained.map(\.retains) == [1] && retained.map(\.isLeaving) == [true])
            let entry = try await store.forgetEntries([number]).first
            let loss = EntryChange.lose(try #require(entry?.version))
            #expect(try await store.change([number], loss, at: Sample.start).map(\.content) == [.expected])
        },
        Behaviour("findsEntriesByInode") { store in
            let number = try await store.importEntry("a", bytes: 10, inode: .max)
            var filter = EntryFilter()
            filter.inode = .max
            #expect(try await store.entries(filter, after: 0, limit: 9).map(\.number) == [number])
            filter.inode = 3
            #expect(try await store.entries(filter, after: 0, limit: 9) == [])
        },
        Behaviour("usesNoNumberTwice") { store in
            let first = try await store.importEntry("a", bytes: 10)
            _ = try await store.change([first], .remove(nil), at: Sample.start)
            #expect(try await store.forgetEntries([first]) == [])
            #expect(try await store.importEntry("b", bytes: 10) > first)
        },
        Behaviour("forgetsNoFileThatCameAfterTheDeletedOne") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let number = try await store.importEntry("a", bytes: 10)
            _ = try await store.change([number], .remove(nil), at: Sample.start)
            let deleted = EntryChange.forget(
                Set([try await store.entry("a", in: "pool")?.version].compactMap(\.self))
            )
            let terms = CacheTerms(pool: "pool")
            _ = try await store.beginImport(
                StoredEntry(terms, named: "a", label: "a", at: Sample.start),
                by: owner
            )
            let version = try #require(SavedVersion(Sample.saved(inode: 8, bytes: 12), isAccepted: true))
            let coming = try await store.change([number], .announce(version), at: Sample.start).first
            #expect(coming?.coming == version && coming?.isLeaving == true)
            #expect(try await store.entry("a", in: "pool") == coming)
            #expect(
                try await store.change([number], .arrive(version), at: Sample.start)
                    == [coming].compactMap(\.self)
            )
            let take = EntryChange.take(version, terms, by: owner)
            let taken = try await store.change([number], take, at: Sample.start).first
            #expect(taken?.coming == nil && taken?.version == version && taken?.isLeaving == false)
            #expect(
                try await store.change([number], .arrive(version), at: Sample.start)
                    == [taken].compactMap(\.self)
            )
            let next = try #require(SavedVersion(Sample.saved(inode: 9, bytes: 13), isAccepted: true))
            _ = try await store.change([number], .announce(next), at: Sample.start)
            let arrived = try await store.change([number], .arrive(next), at: Sample.start).first
            #expect(arrived?.version == next && arrived?.coming == nil)
            _ = try await store.change([number], take, at: Sample.start)
            _ = try await store.change([number], .remove(nil), at: Sample.start)
            #expect(try await store.change([number], deleted, at: Sample.start).map(\.version) == [version])
            #expect(try await store.forgetEntries([number]) == [])
        },
        Behaviour("keepsTheEntryOfAFailedDownloadForARetry") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addEntry("a")
            _ = try await store.bring(added, to: .failed(Sample.failure), owner: owner)
            try await store.settleExpected(inPool: "pool")
            #expect(try await store.entry("a", in: "pool")?.transfer == added.id, "its part file is resumed")
            try await store.forget([added.id])
            try await store.settleExpected(inPool: "pool")
            #expect(try await store.entry("a", in: "pool") == nil)
        },
        Behaviour("keepsTheDownloadOfAnEntryThatGetsAnOwnFile") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addEntry("a")
            let number = try #require(try await store.entry("a", in: "pool")).number
            let file = try #require(SavedVersion(Sample.saved(inode: 8, bytes: 3), isAccepted: true))
            let terms = CacheTerms(pool: "pool")
            let take = EntryChange.take(file, terms, by: owner)
            let taken = try await store.change([number], take, at: Sample.start).first
            #expect(taken?.transfer == added.id && taken?.version == file)
            let next = try #require(SavedVersion(Sample.saved(inode: 9, bytes: 3), isAccepted: true))
            _ = try await store.change([number], .announce(next), at: Sample.start)
            let arrived = try await store.change([number], .arrive(next), at: Sample.start).first
            #expect(arrived?.transfer == added.id && arrived?.version == next && arrived?.coming == nil)
            _ = try await store.bring(added, to: .failed(Sample.failure), owner: owner)
            #expect(try await store.entry("a", in: "pool")?.transfer == nil)
            #expect(try await store.change([number], take, at: Sample.start).first?.transfer == nil)
        },
        Behaviour("forgetsAnEntryOnlyWhenTheFileThatWasToComeIsGone") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addEntry("a")
            let number = try #require(try await store.entry("a", in: "pool")).number
            let file = try #require(SavedVersion(Sample.saved(inode: 8, bytes: 3), isAccepted: true))
            let other = try #require(SavedVersion(Sample.saved(inode: 9, bytes: 3), isAccepted: true))
            _ = try await store.change([number], .announce(file), at: Sample.start)
            _ = try await store.bring(added, to: .cancelled, owner: owner)
            try await store.settleExpected(inPool: "pool")
            _ = try await store.change([number], .retain(owner), at: Sample.start)
            _ = try await store.change([number], .release(owner), at: Sample.start)
            let entry = try #require(try await store.entry("a", in: "pool"))
            #expect(entry.isEmpty && entry.coming == file && !entry.mayBeForgotten)
            #expect(try await store.change([number], .withdraw(other), at: Sample.start) == [entry])
            #expect(try await store.change([number], .withdraw(file), at: Sample.start) == [])
            #expect(try await store.entry("a", in: "pool") == nil)
        },
        Behaviour("evictsAnEntryWhoseNextVersionHasFailed") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let number = try await store.importEntry("a", bytes: 10)
            _ = try await store.edit(pool: "pool") { $0.maxBytes = 0 }
            let added = try await store.addEntry("a")
            #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start) == 0)
            let failed = try await store.bring(added, to: .failed(Sample.failure), owner: owner)
            #expect(try await store.entry("a", in: "pool")?.transfer == nil)
            _ = try await store.requeue(failed.id, holder: nil, at: Sample.start)
            #expect(try await store.entry("a", in: "pool")?.transfer == failed.id, "it is under way again")
            #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start) == 0)
            _ = try await store.bring(failed, to: .failed(Sample.failure), owner: owner)
            #expect(try await store.evict(fromPool: "pool", upTo: 9, at: Sample.start) == 1)
            #expect(try await store.deletable() == [number])
        },
        Behaviour("forgetsALostEntry") { store in
            let number = try await store.importEntry("a", bytes: 10)
            let entry = try #require(try await store.entry("a", in: "pool"))
            let version = try #require(entry.version)
            // Another process has looked for the file of a former version.
            let former = SavedVersion(PlacedFile(identity: version.identity, length: 11, modified: nil))
            #expect(try await store.change([number], .lose(former), at: Sample.start) == [entry])
            #expect(try await store.change([number], .lose(version), at: Sample.start) == [])
            #expect(try await store.entry("a", in: "pool") == nil)
        },
    ]
}

extension TransferStore {
    /// The numbers of the entries whose files may be deleted.
    fileprivate func deletable() async throws -> [Int64] {
        var filter = EntryFilter()
        filter.isDeletable = true
        return try await entries(filter, after: 0, limit: 9).map(\.number)
    }

    /// Adds the download of an entry.
    fileprivate func addEntry(
        _ name: String,
        in pool: String = "pool",
        notesAbsence: Bool = false
    ) async throws -> Transfer {
        var options = DownloadOptions()
        options.cache = CacheTerms(pool: pool, notesAbsence: notesAbsence)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://example.com/\(name)"),
            destination: .file(directory: "/\(pool)", name: try FileName(userGiven: name)),
            options: options
        )
        let added = try await add([NewTransfer(specification)], holder: nil, at: Sample.start)
        return try #require(added.first?.transfer)
    }

    /// Forgets entries as if the files that they have were deleted.
    @discardableResult
    fileprivate func forgetEntries(_ numbers: [Int64]) async throws -> [StoredEntry] {
        let all = try await entries(EntryFilter(), after: 0, limit: 99)
        let versions = all.filter { numbers.contains($0.number) }.compactMap(\.version)
        return try await change(numbers, .forget(Set(versions)), at: Sample.start)
    }

    /// Adds the download of an entry, and completes it; returns the number of the entry.
    @discardableResult
    func importEntry(
        _ name: String,
        bytes: Int64,
        inode: UInt64 = 1,
        at now: Instant = Sample.start
    ) async throws -> Int64 {
        let added = try await addEntry(name)
        let owner = try await join(Sample.process(), at: Sample.start)
        let claim = try await claimOne(added.id, for: owner).claim
        let progress = Sample.saved(inode: inode, bytes: bytes)
        try await settle(claim, as: Settlement(.completed, progress: progress), at: now)
        _ = try await remove(owner, at: Sample.start)
        return try #require(try await entry(name, in: "pool")).number
    }
}

extension Sample {
    /// The progress of a download that has saved a file.
    static func saved(inode: UInt64, bytes: Int64) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.phase = .publishing
        progress.part = PartFileClaim(
            name: .fallback,
            identity: FileIdentity(device: 1, inode: inode, birth: 5),
            boot: BootID(rawValue: "boot"),
            modified: 9
        )
        let segment = Segment(range: 0..<bytes, written: bytes, durable: bytes)
        progress.segments = SegmentMap(segments: [segment]) ?? SegmentMap(length: bytes)
        let tag = EntityTag("\"v1\"")
        progress.validator = Validator(entityTag: tag, lastModified: nil, date: nil, receivedAt: start)
        return progress
    }
}
