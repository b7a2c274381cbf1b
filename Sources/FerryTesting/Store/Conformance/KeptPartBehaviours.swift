import FerryCore
import Testing

/// Part files that cancelled downloads have left, and that new downloads take over.
enum KeptPartBehaviours {
    /// Every behaviour.
    static let all: [TransferStoreConformance.Behaviour] = [
        TransferStoreConformance.Behaviour("givesThePartFileOfACancelledOneToOneOther") { store in
            let giver = try await store.giver("file")
            let kept = giver.downloadProgress
            #expect(kept.kept == Sample.part && kept.part == nil && kept.segments.received == 400)
            let taker = try await store.addTaker("file", of: giver.id)
            let taken = try await store.existing(taker.id).downloadProgress
            #expect(taken == taker.downloadProgress && taken.part == Sample.part && taken.kept == nil)
            #expect(taken.segments == kept.segments && taken.validator == kept.validator)
            let left = try await store.existing(giver.id)
            #expect(left.state == .cancelled && left.downloadProgress.kept == nil)
            #expect(left.downloadProgress.segments.received == 0)
            // The taker is cancelled with its part file, and the giver has nothing left for the next one.
            _ = try await store.ask(.cancel(keepingPart: false), of: taker.id, at: Sample.start)
            let next = try await store.addTaker("file", of: giver.id)
            #expect(next.downloadProgress == DownloadProgress())
        },
        TransferStoreConformance.Behaviour("givesNoPartFileToAnotherDownloadNorOfOneThatIsForgotten") {
            store in
            let giver = try await store.giver("file")
            var other = try Sample.new("file")
            other.specification.destination = .file(directory: "/elsewhere", name: nil)
            other.keptBy = giver.id
            let added = try await store.add([other], holder: nil, at: Sample.start)
            #expect(added.map(\.transfer.downloadProgress) == [DownloadProgress()])
            #expect(try await store.existing(giver.id).downloadProgress.kept == Sample.part)
            try await store.forget([giver.id])
            let late = try await store.addTaker("file", of: giver.id)
            #expect(late.downloadProgress == DownloadProgress())
        },
        TransferStoreConformance.Behaviour("givesNoPartFileToADownloadThatMeetsAnother") { store in
            let giver = try await store.giver("file")
            let open = try await store.addOne("file")
            let met = try await store.addTaker("file", of: giver.id)
            #expect(met.id == open.id && met.downloadProgress.part == nil)
            #expect(try await store.existing(giver.id).downloadProgress.kept == Sample.part)
        },
    ]
}

extension TransferStore {
    /// A cancelled download that has left its part file.
    fileprivate func giver(_ name: String) async throws -> Transfer {
        let owner = try await join(Sample.process(), at: Sample.start)
        let added = try await addOne(name)
        let claim = try await claimOne(added.id, for: owner).claim
        var progress = try Sample.progress(received: 400)
        progress.part = Sample.part
        progress.name = .fallback
        _ = try await ask(.cancel(keepingPart: true), of: added.id, at: Sample.start)
        _ = try await settle(claim, as: Settlement(.cancelled, progress: progress), at: Sample.start)
        return try await existing(added.id)
    }

    /// Adds a download that takes over the part file of another, if that has it.
    fileprivate func addTaker(_ name: String, of giver: TransferID) async throws -> Transfer {
        var new = try Sample.new(name)
        new.keptBy = giver
        return try #require(try await add([new], holder: nil, at: Sample.start).first).transfer
    }
}
