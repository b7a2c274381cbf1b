import FerryCore
import HTTPTypes
import Testing

extension TransferStoreConformance {
    static let uploading: [Behaviour] = [
        Behaviour("keepsAnUploadWhole") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let new = NewTransfer(try Self.upload(), queue: "up", priority: 2)
            let added = try #require(try await store.add([new], holder: nil, at: Sample.start).first).transfer
            #expect(added.upload == new.work.upload && added.kind == .upload)
            #expect(try await store.existing(added.id) == added)
            let claim = try await store.claimOne(added.id, for: owner).claim
            let progress = Self.begun(added)
            try await store.record(.upload(progress), for: claim, durability: .power, at: Sample.start)
            #expect(try await store.existing(added.id).upload?.progress == progress)
            var ended = progress
            ended.stage = .done
            ended.handle = nil
            ended.result = UploadResult(
                status: 201,
                fields: [.init(name: "X-Odd", value: "\u{0}\"🚢")],
                body: Array(0...255),
                entityTag: "\"7\"",
                version: "v",
                checksums: [Checksum(algorithm: .crc32c, digest: [1, 2, 3, 255])]
            )
            let settlement = Settlement(.completed, progress: .upload(ended))
            let settled = try await store.settle(claim, as: settlement, at: Sample.start)
            #expect(try await store.existing(added.id) == settled)
            #expect(settled.upload?.progress == ended)
            #expect(settled.upload?.specification.exchange.credentials == nil)
        },
        Behaviour("takesTheSameFileToTheSameURLForOneUpload") { store in
            let first = try await store.add([NewTransfer(Self.upload())], holder: nil, at: Sample.start)
            let again = try await store.add([NewTransfer(Self.upload())], holder: nil, at: Sample.start)
            #expect(again.map(\.transfer.id) == first.map(\.transfer.id))
            var unconditional = try Self.upload()
            unconditional.fields = []
            let onOtherTerms = [NewTransfer(unconditional)]
            await #expect(throws: StoreError.self, "it could replace what the first may not") {
                try await store.add(onOtherTerms, holder: nil, at: Sample.start)
            }
            var other = try Self.upload()
            other.url = try HTTPURL(parsing: "https://up.example/others")
            let second = try await store.add([NewTransfer(other)], holder: nil, at: Sample.start)
            #expect(second.map(\.transfer.id) != first.map(\.transfer.id))
        },
        Behaviour("resolvesAnUploadOfUnknownOutcome") { store in
            let unknown = TransferFailure(.outcomeUnknown, "The answer was lost.")
            for (number, stage) in [UploadProgress.Stage.creating, .open, .completing].enumerated() {
                for outcome in RequestOutcome.allCases {
                    let process = Sample.process(Int32(number * 2 + (outcome == .arrived ? 1 : 2)))
                    let owner = try await store.join(process, at: Sample.start)
                    let asked = [NewTransfer(try Self.upload())]
                    let id = try #require(try await store.add(asked, holder: nil, at: Sample.start).first)
                        .transfer.id
                    let claim = try await store.claimOne(id, for: owner)
                    var progress = Self.begun(claim.transfer)
                    progress.stage = stage
                    if stage == .creating { progress.handle = nil }
                    let settlement = Settlement(.failed(unknown), progress: .upload(progress))
                    _ = try await store.settle(claim.claim, as: settlement, at: Sample.start)
                    await #expect(throws: StoreError.self, "someone has to say what became of it") {
                        try await store.requeue(id, holder: nil, at: Sample.start)
                    }
                    guard stage != .open else {
                        await #expect(throws: StoreError.self, "its outcome cannot be unknown") {
                            try await store.resolve(id, as: outcome, at: Sample.start)
                        }
                        try await store.forget([id])
                        continue
                    }
                    let resolved = try await store.resolve(id, as: outcome, at: Sample.start)
                    #expect(try await store.existing(id) == resolved)
                    #expect(resolved.state == (outcome == .arrived ? .completed : .queued))
                    let found = resolved.upload?.progress
                    switch (outcome, stage) {
                    case (.arrived, _):
                        #expect(found?.stage == .done && found?.handle == nil)
                        #expect(resolved.upload?.specification.exchange.credentials == nil)
                    case (.notArrived, .completing):
                        #expect(found?.stage == .open && found?.handle == progress.handle)
                        _ = try await store.ask(.cancel(keepingPart: true), of: id, at: Sample.start)
                    case (.notArrived, _):
                        #expect(found?.stage == .fresh && found?.source == nil)
                        _ = try await store.ask(.cancel(keepingPart: true), of: id, at: Sample.start)
                    }
                }
            }
        },
        Behaviour("keepsACancelledUploadUntilItsServerHasRemovedIt") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let id = try await Self.cancelledUpload(in: store, by: owner)
            let left = try await store.existing(id)
            #expect(left.state == .cancelled && left.claim == nil && left.remover == .anyEngine)
            #expect(left.upload?.progress == Self.begun(left))
            #expect(left.upload?.specification == (try Self.upload()), "an engine needs its secrets")
            #expect(try await store.residues(for: .anyEngine, after: nil, limit: 9) == [id])
            #expect(try await store.residues(for: .anyEngine, after: id, limit: 9) == [])
            #expect(try await store.residues(for: .anyProcess, after: nil, limit: 9) == [])
            await #expect(throws: StoreError.self) { try await store.forget([id]) }
            let late = Sample.start + 1_000_000_000
            let pruned = try await store.prune(
                Retention(age: .seconds(1), count: 0),
                upTo: 9,
                at: late
            )
            #expect(pruned.isEmpty)
            try await store.settleResidues(of: [id], as: .removed)
            #expect(try await store.residues(for: .anyEngine, after: nil, limit: 9) == [])
            let cleaned = try await store.existing(id)
            #expect(cleaned.remover == .noOne && cleaned.upload?.progress.handle == nil)
            #expect(cleaned.upload?.specification.exchange.credentials == nil)
            try await store.forget([id])
            #expect(try await store.transfer(id) == nil)
        },
        Behaviour("tellsThatAServerMayKeepACancelledUpload") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let id = try await Self.cancelledUpload(in: store, by: owner)
            try await store.settleResidues(of: [id], as: .kept)
            let kept = try await store.existing(id)
            #expect(kept.remover == .noOne && kept.work.progress.note?.code == .leftAtServer)
            #expect(kept.upload?.specification.exchange.credentials == nil)
        },
    ]

    /// An upload with every property.
    private static func upload() throws -> UploadSpecification {
        let identity = FileIdentity(device: 1, inode: 2, birth: 3)
        let entry = FileSurvey.Entry(identity: identity, length: 1 << 40, kind: .file, modified: 4)
        let url = try HTTPURL(parsing: "https://up.example/files?token=secret")
        var upload = UploadSpecification(PinnedFile(path: "/data/a.bin", entry), to: url, by: .tus)
        upload.method = .post
        upload.contentType = "text/plain"
        upload.metadata = [.init(name: "who", value: "é")]
        upload.fields = [.init(name: "If-None-Match", value: "*")]
        upload.checksums = [Checksum(algorithm: .sha256, digest: Array(repeating: 7, count: 32))]
        (upload.partSize, upload.connections, upload.startsOverOnChange) = (1 << 20, 2, true)
        upload.exchange.credentials = .bearer(token: "secret")
        upload.retries = 3
        return upload
    }

    /// The progress of an upload that its server knows.
    private static func begun(_ transfer: Transfer) -> UploadProgress {
        var progress = UploadProgress()
        progress.stage = .open
        progress.source = transfer.upload?.specification.file
        progress.handle = UploadHandle(
            url: transfer.url,
            name: "n",
            expiry: Sample.start,
            longestAppend: 1 << 30
        )
        (progress.confirmed, progress.partSize, progress.sent) = (1 << 33, 1 << 20, Sample.start)
        progress.offer = UploadOffer(extensions: ["termination"], longest: 1 << 50, checksums: [.sha1])
        return progress
    }

    private static func cancelledUpload(
        in store: any TransferStore,
        by owner: OwnerID
    ) async throws -> TransferID {
        let new = NewTransfer(try upload())
        let added = try #require(try await store.add([new], holder: nil, at: Sample.start).first).transfer
        let claim = try await store.claimOne(added.id, for: owner).claim
        let paused = Settlement(.paused, progress: .upload(begun(added)))
        try await store.settle(claim, as: paused, at: Sample.start)
        let cancelled = try await store.ask(
            .cancel(keepingPart: false),
            of: added.id,
            holder: owner,
            at: Sample.start
        )
        #expect(cancelled.state == .cancelled && cancelled.claim == nil)
        return added.id
    }
}
