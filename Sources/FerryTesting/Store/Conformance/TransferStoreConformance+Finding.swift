import FerryCore
import Testing

/// Finds transfers by their request or their saved file.
extension TransferStoreConformance {
    static let finding: [Behaviour] = [
        Behaviour("findsTheTransfersOfAURLAndADestinationInEveryState") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var expected: [Transfer] = []
            for state in [TransferState.completed, .cancelled, .completed, .failed(Sample.failure)] {
                expected.append(try await store.addOne("file", in: state, owner: owner))
            }
            // The twin of a failed transfer.
            let added = try await store.addOne("twin", in: .paused, owner: owner)
            var edit = TransferEdit()
            edit.url = try Sample.specification("file").url
            expected.append(try await store.edit(added.id, edit, at: Sample.start))
            expected.removeFirst()
            _ = try await store.addOne("other", in: .completed, owner: owner)
            let specifications = try ["never", "file"].map { try Sample.specification($0) }
            #expect(try await store.transfers(like: specifications) == [[], expected])
            #expect(try await store.transfers(like: [Work]()).isEmpty)
            let elsewhere = DownloadSpecification(
                url: specifications[1].url,
                destination: .file(directory: "/elsewhere", name: nil)
            )
            #expect(try await store.transfers(like: [elsewhere]) == [[]])
        },
        Behaviour("findsAFinishedFileByItsPathAndItsDigest") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let name = try FileName(userGiven: "final.iso")
            let digest = Checksum(algorithm: .sha256, digest: (0..<32).map { UInt8($0) })
            var progress = DownloadProgress()
            (progress.name, progress.volunteered) = (name, digest)
            let (path, file) = (SavedFile.path("/downloads/final.iso"), SavedFile.digest(digest))
            var latest: Transfer?
            for state in [TransferState.completed, .completed, .failed(Sample.failure), .paused, .cancelled] {
                let added = try await store.addOne("\(state.name)-\(latest?.id.rawValue ?? 0)")
                let claim = try await store.claimOne(added.id, for: owner).claim
                let settled = try await store.settle(
                    claim,
                    as: Settlement(state, progress: progress),
                    at: Sample.start + 1
                )
                if state == .completed { latest = settled }
                #expect(try await store.completed(saving: [path, file]) == [latest, latest])
            }
            let other = Checksum(algorithm: .sha256, digest: (0..<32).map { _ in 7 })
            let others: [SavedFile] = [.path("/downloads/final"), .digest(other), .path("final.iso")]
            #expect(try await store.completed(saving: others) == [nil, nil, nil])
            let id = try #require(latest?.id)
            try await store.forget([id])
            let former = try #require(try await store.completed(saving: [path])[0])
            #expect(former.id < id)
        },
        Behaviour("findsAFinishedFileByTheNameThatWasGiven") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let given = try FileName(userGiven: "caf\u{E9}")
            var new = try Sample.new("file")
            new.specification.destination = .file(directory: "/", name: given)
            let added = try await store.add([new], holder: nil, at: Sample.start)[0].transfer
            let claim = try await store.claimOne(added.id, for: owner).claim
            let settled = try await store.settle(
                claim,
                as: Settlement(.completed, progress: DownloadProgress()),
                at: Sample.start
            )
            let files: [SavedFile] = [.path("/caf\u{E9}"), .path("/cafe\u{301}")]
            #expect(try await store.completed(saving: files) == [settled, nil])
        },
    ]
}
