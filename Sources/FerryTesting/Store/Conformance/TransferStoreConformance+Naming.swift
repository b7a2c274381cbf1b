import FerryCore
import Testing

/// Tags, payloads and UUIDs: the names by which an application finds its transfers.
extension TransferStoreConformance {
    static let naming: [Behaviour] = [
        Behaviour("keepsTheTagAndThePayload") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let new = try labelled("file", tag: "caf\u{E9} 7", payload: [0, 255, 10])
            let added = try await store.add([new], holder: nil, at: Sample.start)[0].transfer
            #expect(added.tag == new.tag && added.payload == new.payload)
            #expect(try await store.transfer(added.id) == added)
            let claimed = try await store.claimOne(added.id, for: owner)
            #expect(claimed.transfer.payload == new.payload)
            let settlement = Settlement(.completed, progress: DownloadProgress())
            let completed = try await store.settle(claimed.claim, as: settlement, at: Sample.start + 1)
            #expect(
                completed.tag == new.tag && completed.payload == new.payload && completed.uuid == added.uuid
            )
            #expect(try await store.transfer(added.id) == completed)
            try await store.forget([added.id])
            let fresh = try await store.add([try Sample.new("file")], holder: nil, at: Sample.start)[0]
                .transfer
            #expect(fresh.tag == nil && fresh.payload == nil, "nothing is inherited")
        },
        Behaviour("findsByTag") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var ids: [TransferID] = []
            for (name, tag) in [("a", "one"), ("b", "two"), ("c", "one"), ("d", nil), ("e", "ONE")] {
                var new = try labelled(name, tag: tag)
                if name == "c" { new.queue = "other" }
                ids.append(try await store.add([new], holder: nil, at: Sample.start)[0].transfer.id)
            }
            let one = try tag("one")
            func listed(
                _ filter: TransferFilter,
                after: TransferID? = nil,
                limit: Int = 9
            ) async throws -> [TransferID] {
                try await store.transfers(filter, after: after, limit: limit).map(\.id)
            }
            #expect(try await listed(.all.of(tag: one)) == [ids[0], ids[2]])
            #expect(try await listed(.all.of(tag: one), limit: 1) == [ids[0]])
            #expect(try await listed(.all.of(tag: one), after: ids[0]) == [ids[2]])
            #expect(try await listed(.all.of(queue: "other").of(tag: one)) == [ids[2]])
            #expect(try await listed(.all.of(queue: "other").of(tag: tag("two"))) == [])
            #expect(try await store.latest(tagged: one)?.id == ids[2])
            #expect(try await store.latest(tagged: try tag("three")) == nil)
            let claim = try await store.claimOne(ids[0], for: owner).claim
            let settlement = Settlement(.completed, progress: DownloadProgress())
            _ = try await store.settle(claim, as: settlement, at: Sample.start)
            #expect(try await listed(.state(.completed).of(tag: one)) == [ids[0]])
            #expect(try await listed(.states([.queued, .paused]).of(tag: one)) == [ids[2]])
            #expect(try await listed(.unfinished.of(tag: one)) == [ids[2]])
            #expect(try await listed(.unfinishedOrFailed.of(queue: "other").of(tag: one)) == [ids[2]])
            #expect(try await listed(.unfinished.of(queue: "none").of(tag: one)) == [])
        },
        Behaviour("addsOnceUnderOneUUID") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let name = uuid(1)
            var new = try Sample.new("file")
            new.uuid = name
            let added = try await store.add([new, new], holder: nil, at: Sample.start)
            #expect(added.map(\.transfer.uuid) == [name, name])
            #expect(added[1] == .attached(added[0].transfer))
            // In any state, and whatever else is requested.
            let claim = try await store.claimOne(added[0].transfer.id, for: owner).claim
            let settlement = Settlement(.completed, progress: DownloadProgress())
            let completed = try await store.settle(claim, as: settlement, at: Sample.start)
            var other = try labelled("other", tag: "other")
            other.uuid = name
            #expect(
                try await store.add([new, other], holder: owner, at: Sample.start) == [
                    .attached(completed), .attached(completed),
                ]
            )
            #expect(try await store.transfer(uuid: name) == completed)
            #expect(try await store.transfer(uuid: uuid(2)) == nil)
            let made = try await store.add(
                [try Sample.new("a"), try Sample.new("b")],
                holder: nil,
                at: Sample.start
            )
            #expect(Set(made.map(\.transfer.uuid)).count == 2, "each that has none gets one")
            #expect(try await store.transfer(uuid: made[0].transfer.uuid) == made[0].transfer)
        },
        Behaviour("callsATransferByTheLatestTag") { store in
            let first = try await store.add(
                [try labelled("file", tag: "one", payload: [1])],
                holder: nil,
                at: Sample.start
            )
            let id = first[0].transfer.id
            let again = try await store.add(
                [try labelled("file", tag: "two", payload: [2])],
                holder: nil,
                at: Sample.start + 1
            )
            #expect(again[0].transfer.id == id && again[0].transfer.payload?.bytes == [2])
            #expect(try await store.latest(tagged: try tag("one")) == nil)
            #expect(try await store.latest(tagged: try tag("two")) == again[0].transfer)
            // Adding without a tag keeps the existing one.
            _ = try await store.add([try Sample.new("file")], holder: nil, at: Sample.start + 2)
            let found = try #require(try await store.latest(tagged: try tag("two")))
            #expect(found.id == id && found.payload?.bytes == [2])
        },
        Behaviour("callsACompletedTransferByTheLatestTag") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.add(
                [try labelled("file", tag: "one", payload: [1])],
                holder: nil,
                at: Sample.start
            )
            let claim = try await store.claimOne(added[0].transfer.id, for: owner).claim
            let settlement = Settlement(.completed, progress: DownloadProgress())
            var completed = try await store.settle(claim, as: settlement, at: Sample.start)
            let id = completed.id
            #expect(try await store.label([id], as: [try Sample.new("file")]) == [completed])
            let unknown = TransferID(rawValue: id.rawValue + 1)
            let other = try labelled("file", tag: "two", payload: [2, 3])
            let labelled = try await store.label([id, unknown], as: [other, other])
            (completed.tag, completed.payload) = (other.tag, other.payload)
            #expect(labelled == [completed, nil])
            #expect(try await store.latest(tagged: try tag("one")) == nil)
            #expect(try await store.latest(tagged: try tag("two")) == completed)
            #expect(try await store.transfers(.state(.completed), after: nil, limit: 9) == [completed])
            #expect(try await store.verify().isEmpty)
        },
    ]

    private static func uuid(_ seed: UInt64) -> TransferUUID {
        var random = SeededRandom(seed: seed)
        return TransferUUID(at: Sample.start, using: &random)
    }

    private static func tag(_ text: String) throws -> TransferTag { try TransferTag(text) }

    private static func labelled(_ name: String, tag: String?, payload: [UInt8]? = nil) throws -> NewTransfer
    {
        var new = try Sample.new(name)
        new.tag = try tag.map { try Self.tag($0) }
        new.payload = try payload.map { try #require(TransferPayload($0)) }
        return new
    }
}
