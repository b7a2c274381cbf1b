import FerryCore
import HTTPTypes
import Testing

extension TransferStoreConformance {
    static let requesting: [Behaviour] = [
        Behaviour("keepsARequestWhole") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for request in try Self.requests() {
                let new = NewTransfer(request, queue: "calls", priority: 2)
                let added = try #require(
                    try await store.add([new], holder: nil, at: Sample.start).first
                ).transfer
                #expect(added.request == new.work.request && added.kind == .request)
                #expect(added.request?.specification.body == request.body)
                #expect(try await store.existing(added.id) == added)
                let claim = try await store.claimOne(added.id, for: owner).claim
                var progress = RequestProgress()
                progress.sent = Sample.start
                try await store.record(
                    .request(progress),
                    for: claim,
                    durability: .power,
                    at: Sample.start
                )
                #expect(try await store.existing(added.id).request?.progress == progress)
                progress.response = StoredResponse(
                    status: 201,
                    fields: [.init(name: "X-Odd", value: "\u{0}\"🚢"), .init(name: "X-Odd", value: "")],
                    body: Array(0...255),
                    isTruncated: true
                )
                let failed = Settlement(
                    .failed(Sample.failure),
                    progress: .request(progress),
                    failure: Sample.failure
                )
                let settled = try await store.settle(claim, as: failed, at: Sample.start)
                #expect(try await store.existing(added.id) == settled)
                #expect(settled.request?.specification == new.work.request?.specification)
                #expect(settled.request?.progress == progress)
                #expect(try await store.transfers(like: [added.work]) == [[]])
            }
        },
        Behaviour("keepsTheKeyOfARequestOctetForOctet") { store in
            let url = try HTTPURL(parsing: "https://api.example/orders")
            let uuid = try #require(TransferUUID(bytes: Array(repeating: 7, count: 16)))
            let values = ["\"\(uuid)\"", "\"a\\\"b\"", "caf\u{E9}", "cafe\u{301}", "\u{0}\n", "", "🚢", nil]
            let new = try values.enumerated().map { number, value in
                let key = value.map { IdempotencyKey(field: "X-Key", value: $0) }
                let request = try RequestSpecification(method: .post, url: url, key: key)
                return NewTransfer(request, uuid: number == 0 ? uuid : nil)
            }
            let added = try await store.add(new, holder: nil, at: Sample.start).map(\.transfer)
            // One by one and all at once.
            let listed = try await store.transfers(.all, after: nil, limit: 99)
            for (number, value) in values.enumerated() {
                for transfer in [try await store.existing(added[number].id), listed[number]] {
                    let specification = transfer.request?.specification
                    #expect(specification == new[number].work.request?.specification)
                    #expect(specification?.key.map { Array($0.value.utf8) } == value.map { Array($0.utf8) })
                }
            }
            let again = try await store.add([new[0]], holder: nil, at: Sample.start)
            #expect(again.map(\.transfer.id) == [added[0].id])
        },
        Behaviour("keepsARequestUntilTheCopyOfItsBodyIsRemoved") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let uuid = try #require(TransferUUID(bytes: Array(repeating: 7, count: 16)))
            let entry = FileSurvey.Entry(identity: FileIdentity(device: 1, inode: 2), length: 9, kind: .file)
            let body = StoredBody(PinnedFile(path: "\(uuid)", entry, isCopy: true))
            let url = try HTTPURL(parsing: "https://api.example/orders")
            let new = NewTransfer(try RequestSpecification(url: url, body: body))
            let id = try #require(try await store.add([new], holder: nil, at: Sample.start).first).transfer.id
            let claim = try await store.claimOne(id, for: owner).claim
            let settlement = Settlement(.completed, progress: .request(RequestProgress()))
            let settled = try await store.settle(claim, as: settlement, at: Sample.start)
            #expect(settled.remover == .anyEngine && settled.residue == .bodyCopy)
            #expect(try await store.residues(for: .anyEngine, after: nil, limit: 9) == [id])
            let (nothing, late) = (Retention(age: .zero, count: 0), Sample.start + 1_000_000)
            #expect(try await store.prune(nothing, upTo: 9, at: late).isEmpty)
            try await store.settleResidues(of: [id], as: .removed)
            #expect(try await store.residues(for: .anyEngine, after: nil, limit: 9) == [])
            let cleaned = try await store.existing(id)
            #expect(cleaned.state == .completed && cleaned.residue == nil)
            #expect(cleaned.request?.bodyCopy == body.copy)
            #expect(try await store.prune(nothing, upTo: 9, at: late) == [id])
        },
        Behaviour("takesTwoEqualRequestsForTwo") { store in
            let new = NewTransfer(try Self.requests()[0])
            let first = try await store.add([new, new], besides: [nil, nil], holder: nil, at: Sample.start)
            let second = try await store.add([new], holder: nil, at: Sample.start)
            #expect(Set((first + second).map(\.transfer.id)).count == 3)
            for addition in first + second {
                guard case .added = addition else {
                    Issue.record("\(addition)")
                    continue
                }
            }
        },
        Behaviour("takesTheLatestUploadToAURL") { store in
            func upload(_ inode: UInt64) throws -> NewTransfer {
                let identity = FileIdentity(device: 1, inode: inode)
                let entry = FileSurvey.Entry(identity: identity, length: 3, kind: .file, modified: 1)
                var request = try RequestSpecification(
                    method: .put,
                    url: HTTPURL(parsing: "https://api.example/x?X-Amz-Signature=\(inode)&X-Amz-Expires=60"),
                    body: StoredBody(PinnedFile(path: "/a", entry))
                )
                request.replacesUnfinished = true
                return NewTransfer(request)
            }
            let first = try await store.add([upload(1)], holder: nil, at: Sample.start)[0].transfer
            let second = try await store.add([upload(2)], holder: nil, at: Sample.start)[0]
            guard case .attached(let now) = second else {
                Issue.record("\(second)")
                return
            }
            let latest = try upload(2).work.request?.specification
            #expect(now.id == first.id && now.request?.specification == latest)
            #expect(try await store.existing(first.id) == now)
            #expect(try await store.transfers(like: [upload(3).work])[0].map(\.id) == [first.id])
        },
        Behaviour("failsARequestThatMayHaveArrivedWithItsOwner") { store in
            for (number, request) in try Self.requests().enumerated() {
                let owner = try await store.join(Sample.process(Int32(number) + 1), at: Sample.start)
                let added = try #require(
                    try await store.add([NewTransfer(request)], holder: nil, at: Sample.start).first
                ).transfer
                let claim = try await store.claimOne(added.id, for: owner).claim
                var progress = RequestProgress()
                progress.sent = Sample.start
                try await store.record(
                    .request(progress),
                    for: claim,
                    durability: .power,
                    at: Sample.start
                )
                _ = try await store.remove(owner, after: .died, at: Sample.start + 1)
                let left = try await store.existing(added.id)
                guard !request.isRepeatable else {
                    #expect(left.state == .queued)
                    _ = try await store.ask(.pause, of: left.id, at: Sample.start + 1)
                    continue
                }
                guard case .failed(let failure) = left.state else {
                    Issue.record("\(left.state)")
                    continue
                }
                #expect(failure.code == .outcomeUnknown)
                await #expect(throws: StoreError.self) {
                    try await store.requeue(added.id, holder: nil, at: Sample.start + 2)
                }
                #expect(try await store.existing(added.id) == left)
            }
        },
        Behaviour("recordsWithTheClaimThatARequestIsSentIfItMayBeRepeated") { store in
            for (number, request) in try Self.requests().enumerated() {
                let owner = try await store.join(Sample.process(Int32(number) + 1), at: Sample.start)
                var expected = try #require(
                    try await store.add([NewTransfer(request)], holder: nil, at: Sample.start).first
                ).transfer
                // Sent before, or never.
                for attempt in 1...2 {
                    let moment = Sample.start + Int64(attempt)
                    let claimed = try await store.claim(
                        upTo: 1,
                        only: [expected.id],
                        heldBack: .nothing,
                        beside: [],
                        recordsSending: true,
                        for: owner,
                        at: moment
                    )
                    let claim = try #require(claimed.first?.claim)
                    let isRecorded = expected.becomeActive(
                        for: owner,
                        token: claim.token,
                        recordsSending: true,
                        at: moment
                    )
                    #expect(isRecorded == request.isRepeatable && claimed == [expected])
                    #expect(try await store.existing(expected.id) == expected)
                    guard attempt == 1 else { continue }
                    let released = Settlement(.queued, progress: expected.work.progress)
                    expected = try await store.settle(claim, as: released, at: moment)
                }
                _ = try await store.remove(owner, after: .left, at: Sample.start + 3)
                let left = try await store.existing(expected.id)
                #expect(left.state == .queued && left.work.progress == expected.work.progress)
            }
        },
        Behaviour("tellsTheOrdersOfARequest") { store in
            var request = try Self.requests()[0]
            request.retries = 3
            let added = try #require(
                try await store.add([NewTransfer(request)], holder: nil, at: Sample.start).first
            ).transfer
            var edit = TransferEdit()
            edit.rateLimit = try RateLimit(bytesPerSecond: 2_048)
            edit.retries = 4
            let edited = try await store.edit(added.id, edit, at: Sample.start + 1)
            #expect(edited.request?.specification.retries == 4)
            #expect(try await store.orders(for: [added.id]) == [AttemptOrders(edited)])
        },
        Behaviour("keepsNoSecretOfARequestThatIsOver") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let request = try Self.requests()[1]
            let added = try #require(
                try await store.add([NewTransfer(request)], holder: nil, at: Sample.start).first
            ).transfer
            let claim = try await store.claimOne(added.id, for: owner).claim
            let done = Settlement(.completed, progress: added.work.progress)
            try await store.settle(claim, as: done, at: Sample.start)
            let kept = try #require(try await store.existing(added.id).request?.specification)
            #expect(kept.body.isEmpty && kept.key == nil && kept.exchange.credentials == nil)
        },
    ]

    static let resolving: [Behaviour] = [
        Behaviour("resolvesARequestOfUnknownOutcome") { store in
            let url = try HTTPURL(parsing: "https://api.example/orders")
            for (number, outcome) in RequestOutcome.allCases.enumerated() {
                let owner = try await store.join(Sample.process(Int32(number) + 1), at: Sample.start)
                let new = NewTransfer(
                    try RequestSpecification(method: .post, url: url, body: StoredBody("s3cret".utf8))
                )
                let id = try #require(
                    try await store.add([new], holder: nil, at: Sample.start).first
                ).transfer.id
                await #expect(throws: StoreError.self, "it is only queued") {
                    try await store.resolve(id, as: outcome, at: Sample.start)
                }
                let claim = try await store.claimOne(id, for: owner).claim
                var progress = RequestProgress()
                progress.sent = Sample.start
                try await store.record(.request(progress), for: claim, durability: .power, at: Sample.start)
                _ = try await store.remove(owner, after: .died, at: Sample.start + 1)
                var expected = try await store.existing(id)
                try expected.resolve(outcome, at: Sample.start + 2)
                #expect(try await store.resolve(id, as: outcome, at: Sample.start + 2) == expected)
                let found = try await store.existing(id)
                #expect(found == expected && found.request?.progress == expected.request?.progress)
                #expect(found.state == (outcome == .arrived ? .completed : .queued))
                #expect((found.request?.progress.sent != nil) == (outcome == .arrived))
                #expect(found.request?.specification.body.isEmpty == (outcome == .arrived))
                await #expect(throws: StoreError.self, "it is resolved") {
                    try await store.resolve(id, as: outcome, at: Sample.start + 3)
                }
            }
            await #expect(throws: StoreError.noSuchTransfer(TransferID(rawValue: 99))) {
                try await store.resolve(TransferID(rawValue: 99), as: .arrived, at: Sample.start)
            }
        },
        Behaviour("refusesAnotherRequestUnderOneUUID") { store in
            let uuid = TransferUUID(bytes: Array(repeating: 7, count: 16))
            let url = try HTTPURL(parsing: "https://api.example/orders")
            func new(
                _ body: String = "s3cret",
                method: HTTPRequest.Method = .post,
                path: String = "",
                token: String = "a"
            ) throws -> NewTransfer {
                var request = try RequestSpecification(
                    method: method,
                    url: HTTPURL(parsing: "\(url)\(path)"),
                    body: StoredBody(body.utf8)
                )
                request.exchange.credentials = .bearer(token: token)
                return NewTransfer(request, uuid: uuid)
            }
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try #require(
                try await store.add([new()], holder: nil, at: Sample.start).first
            ).transfer
            for _ in 0..<2 {
                // A repeated call may have another token.
                let again = try await store.add([new(token: "b")], holder: nil, at: Sample.start)
                #expect(again.map(\.transfer.id) == [added.id])
                let download = NewTransfer(try Sample.specification("a.bin"), uuid: uuid)
                for other in try [new("other"), new(method: .put), new(path: "/2"), download] {
                    await #expect(throws: StoreError.self) {
                        try await store.add([other], holder: nil, at: Sample.start)
                    }
                }
                guard try await store.existing(added.id).state == .queued else { break }
                // Its body is dropped when it is completed.
                let claim = try await store.claimOne(added.id, for: owner).claim
                let done = Settlement(.completed, progress: added.work.progress)
                try await store.settle(claim, as: done, at: Sample.start)
            }
            #expect(try await store.existing(added.id).state == .completed)
        },
    ]

    /// One request that may not be repeated, and others that may.
    private static func requests() throws -> [RequestSpecification] {
        let url = try HTTPURL(parsing: "https://api.example/orders?token=s3cret#part")
        var keyed = try RequestSpecification(
            method: .post,
            url: url,
            body: StoredBody(Array(0...255) + Array("🚢".utf8)),
            key: IdempotencyKey(value: "\"a-1\"")
        )
        keyed.exchange.headers = [.init(name: "Content-Type", value: "text/plain")]
        keyed.exchange.credentials = .bearer(token: "s3cret")
        keyed.responseLimit = 5
        let identity = FileIdentity(device: .max, inode: 3, birth: -1)
        var body = StoredBody("before".utf8)
        body.append(
            PinnedFile(
                path: "/data/a \"file\" 🚢",
                FileSurvey.Entry(identity: identity, length: 1 << 40, kind: .file, modified: .min)
            )
        )
        body.append("behind".utf8)
        return [
            try RequestSpecification(method: .post, url: url), keyed,
            try RequestSpecification(method: .put, url: url, body: body),
            try RequestSpecification(method: .put, url: url, body: StoredBody([0])),
            try RequestSpecification(url: url),
        ]
    }
}
