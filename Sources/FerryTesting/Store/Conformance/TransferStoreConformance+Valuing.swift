import FerryCore
import Testing

extension TransferStoreConformance {
    static let valuing: [Behaviour] = [
        Behaviour("givesValuesInTheCommitThatCompletesTheirSource") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let source = try await store.addSource()
            let other = try await store.addOne("other").id
            let added = try await store.addTaker(of: [source], after: [other])
            #expect(added.dependencies == [source.id, other])
            #expect(added.state == .waiting(.dependency) && added.request?.progress.values == nil)
            let paused = try await store.addTaker(of: [source])
            _ = try await store.ask(.pause, of: paused.id, at: Sample.start)
            try await store.complete(source.id, #"{"id": 9223372036854775808}"#, owner)
            let given = try await store.existing(added.id)
            #expect(given.request?.progress.values == ["v0": .json("9223372036854775808")])
            #expect(given.state == .waiting(.dependency) && given.dependencies == [other])
            let held = try await store.existing(paused.id)
            #expect(
                held.state == .paused && held.request?.progress.values == ["v0": .json("9223372036854775808")]
            )
            // Its response is no longer needed.
            try await store.forget([source.id])
            let (last, lastClaim) = try await store.claimOne(other, for: owner, at: Sample.start + 1)
            let end = Settlement(.completed, progress: last.work.progress)
            try await store.settle(lastClaim, as: end, at: Sample.start + 1)
            let (ready, claim) = try await store.claimOne(added.id, for: owner, at: Sample.start + 2)
            #expect(ready.request?.progress.values == given.request?.progress.values)
            let done = Settlement(.completed, progress: ready.work.progress)
            try await store.settle(claim, as: done, at: Sample.start + 3)
            let ended = try await store.existing(added.id)
            #expect(ended.request?.progress.values == nil, "values may be secrets")
            #expect(ended.request?.specification.values.keys.sorted() == ["v0"])
        },
        Behaviour("takesTheValuesOfACompletedSourceAtOnce") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let (first, second) = (try await store.addSource(), try await store.addSource())
            try await store.complete(first.id, #"{"id": "a"}"#, owner)
            let both = try await store.addTaker(of: [first, second])
            #expect(
                both.dependencies == [second.id] && both.request?.progress.values == ["v0": .json("\"a\"")]
            )
            #expect(try await store.existing(both.id) == both)
            try await store.complete(second.id, "{}", owner)
            let ready = try await store.existing(both.id)
            guard case .missing? = ready.request?.progress.values?["v1"] else {
                Issue.record("\(String(describing: ready.request?.progress.values))")
                return
            }
            #expect(ready.state == .queued && ready.request?.progress.values?["v0"] == .json("\"a\""))
        },
        Behaviour("refusesASourceThatHasNoResponse") { store in
            let download = try await store.addOne("a.bin")
            await #expect(throws: StoreError.self) { try await store.addTaker(of: [download]) }
            var unknown = try await store.addSource()
            try await store.forgetEnded(unknown)
            await #expect(throws: StoreError.noTransferNamed(unknown.uuid)) {
                try await store.addTaker(of: [unknown])
            }
            unknown = try await store.addSource()
            _ = try await store.ask(.cancel(keepingPart: false), of: unknown.id, at: Sample.start)
            await #expect(throws: StoreError.self) { try await store.addTaker(of: [unknown]) }
            #expect(try await store.counts()[.queued] == 1)
        },
        Behaviour("letsTransfersOfOneCallReferToEarlierOnes") { store in
            let uuids = (1...3).compactMap { TransferUUID(bytes: Array(repeating: $0, count: 16)) }
            let url = try HTTPURL(parsing: "https://api.example/orders")
            let first = NewTransfer(try RequestSpecification(url: url), uuid: uuids[0])
            var request = try RequestSpecification(url: url)
            try request.insert("id", from: uuids[0], at: "/id")
            let second = NewTransfer(request, uuid: uuids[1])
            var third = NewTransfer(try RequestSpecification(url: url), uuid: uuids[2])
            third.afterUUIDs = [uuids[0], uuids[1]]
            let added = try await store.add([first, second, third], holder: nil, at: Sample.start).map(
                \.transfer
            )
            #expect(added.map(\.dependencies) == [[], [added[0].id], [added[0].id, added[1].id]])
            #expect(try await store.transfers(added.map(\.id)) == added)
            let again = try await store.add([first, second, third], holder: nil, at: Sample.start)
            #expect(again.map(\.transfer.id) == added.map(\.id))
            // Not to later ones, nor to itself.
            var itself = third
            itself.uuid = TransferUUID(bytes: Array(repeating: 4, count: 16))
            itself.afterUUIDs = [try #require(itself.uuid)]
            await #expect(throws: StoreError.self) {
                try await store.add([itself], holder: nil, at: Sample.start)
            }
        },
    ]
}

extension TransferStore {
    fileprivate func addSource() async throws -> Transfer {
        let request = try RequestSpecification(url: HTTPURL(parsing: "https://api.example/source"))
        return try #require(
            try await add([NewTransfer(request)], holder: nil, at: Sample.start).first
        ).transfer
    }

    /// Adds a request that needs the member `id` of each response, as `v0`, `v1` and so on.
    fileprivate func addTaker(
        of sources: [Transfer],
        after others: [TransferID] = []
    ) async throws -> Transfer {
        var request = try RequestSpecification(url: HTTPURL(parsing: "https://api.example/{v0}"))
        for (number, source) in sources.enumerated() {
            try request.insert("v\(number)", from: source.uuid, at: "/id")
        }
        let new = NewTransfer(request, after: others)
        return try #require(try await add([new], holder: nil, at: Sample.start).first).transfer
    }

    fileprivate func complete(_ id: TransferID, _ body: String, _ owner: OwnerID) async throws {
        let claim = try await claimOne(id, for: owner).claim
        var progress = RequestProgress()
        progress.sent = Sample.start
        progress.response = StoredResponse(status: 200, fields: [], body: Array(body.utf8))
        try await settle(
            claim,
            as: Settlement(.completed, progress: .request(progress)),
            at: Sample.start + 1
        )
    }

    fileprivate func forgetEnded(_ transfer: Transfer) async throws {
        _ = try await ask(.cancel(keepingPart: false), of: transfer.id, at: Sample.start)
        try await forget([transfer.id])
    }
}
