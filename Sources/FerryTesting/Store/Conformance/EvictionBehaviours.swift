import FerryCore
import Testing

/// What a store evicts when something that had to stay is free.
enum EvictionBehaviours {
    typealias Behaviour = TransferStoreConformance.Behaviour

    /// Every behaviour.
    static let all: [Behaviour] = [
        Behaviour("makesRoomInTheCommitOfARelease") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let numbers = try await store.fill([10, 10, 26, 10], retainedBy: owner)
            #expect(try await store.leaving() == [])
            // After the first release the pool keeps its limit, so what is too large for it stays as well.
            for place in [1, 2, 0, 3] {
                _ = try await store.change([numbers[place]], .release(owner), at: Sample.start + 9)
                #expect(try await store.leaving() == [numbers[1]], "\(place)")
            }
        },
        Behaviour("makesRoomInTheOrderOfATrim") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let numbers = try await store.fill([10, 10, 10], retainedBy: owner)
            let late = try await store.importEntry("late", bytes: 10, at: Sample.start + 5)
            let large = try await store.importEntry("large", bytes: 26, at: Sample.start + 6)
            #expect(try await store.leaving() == [late], "nothing else was free")
            _ = try await store.change([numbers[1]], .release(owner), at: Sample.start + 9)
            #expect(try await store.leaving() == [numbers[1], late, large])
        },
        Behaviour("makesRoomOnlyWithTheLastRelease") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let numbers = try await store.fill([10, 10, 10], retainedBy: owner)
            _ = try await store.change([numbers[0]], .retain(owner), at: Sample.start)
            for gone in [[], [numbers[0]]] {
                _ = try await store.change([numbers[0]], .release(owner), at: Sample.start + 9)
                #expect(try await store.leaving() == gone)
            }
        },
        Behaviour("keepsAFileOfAnApplicationThatHasJustCome") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let numbers = try await store.fill([10, 10], retainedBy: owner)
            let terms = CacheTerms(pool: "pool")
            let new = StoredEntry(terms, named: "own", label: "own", at: Sample.start)
            let own = try await store.beginImport(new, by: owner).number
            let version = try #require(SavedVersion(Sample.saved(inode: 8, bytes: 12), isAccepted: true))
            let take = EntryChange.take(version, terms, by: owner)
            let taken = try await store.change([own], take, at: Sample.start + 9).first
            #expect(taken?.retains == 0 && taken?.isLeaving == false)
            _ = try await store.change([numbers[1]], .release(owner), at: Sample.start + 9)
            #expect(try await store.leaving() == [numbers[1]])
        },
        Behaviour("makesRoomInTheCommitThatRemovesAnOwner") { store in
            let dead = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let numbers = try await store.fill([10, 10, 26, 10], retainedBy: dead)
            _ = try await store.change([numbers[0]], .retain(other), at: Sample.start)
            _ = try await store.remove(dead, at: Sample.start + 9)
            #expect(try await store.leaving() == [numbers[1], numbers[2]])
            // It removes an owner again that holds nothing.
            _ = try await store.remove(dead, at: Sample.start + 9)
            _ = try await store.change([numbers[0]], .release(other), at: Sample.start + 9)
            #expect(try await store.leaving() == [numbers[1], numbers[2]])
        },
    ]
}

extension TransferStore {
    /// Limits a pool to 25 bytes, and imports entries that an owner retains as soon as they have come.
    ///
    /// - Returns: their numbers.
    fileprivate func fill(_ lengths: [Int64], retainedBy owner: OwnerID) async throws -> [Int64] {
        var edit = CacheEdit()
        edit.maxBytes = 25
        _ = try await self.edit(pool: "pool", edit)
        var numbers: [Int64] = []
        for (place, bytes) in lengths.enumerated() {
            let now = Sample.start + Int64(place)
            let number = try await importEntry("\(place)", bytes: bytes, at: now)
            _ = try await change([number], .retain(owner), at: now)
            numbers.append(number)
        }
        return numbers
    }

    /// The numbers of the entries that are to be deleted, in order.
    fileprivate func leaving() async throws -> [Int64] {
        try await entries(EntryFilter(), after: 0, limit: 99).filter(\.isLeaving).map(\.number)
    }
}
