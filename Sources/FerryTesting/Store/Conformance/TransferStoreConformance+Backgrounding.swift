import FerryCore
import Testing

/// Owners whose application is in the background, and transfers that run in the foreground only.
extension TransferStoreConformance {
    static let backgrounding: [Behaviour] = [
        Behaviour("leavesWhatRunsInTheForegroundOnlyToOthers") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            var held: [TransferID] = []
            for number in 0..<40 {
                held.append(try await store.addOne("\(number)", inBackground: false).id)
            }
            let mine = try await store.addOne("mine", inBackground: false, holder: owner)
            let free = try await store.addOne("free", inBackground: true)
            #expect(try await store.claimInBackground(for: owner) == [free.id])
            for only: TransferIDSet in [[mine.id], TransferIDSet(held)] {
                #expect(try await store.claimInBackground(only: only, for: owner) == [])
            }
            #expect(try await store.existing(mine.id) == mine, "it is queued as before")
            #expect(
                try await store.waitsForRoom(owner, at: Sample.start),
                "so it is not nothing that is left"
            )
            #expect(try await store.claimIDs(upTo: 2, for: other) == Array(held.prefix(2)))
            let begun = try await store.claimOne(mine.id, for: owner).transfer
            #expect(begun.attempts == 1 && !begun.runsInBackground)
        },
        Behaviour("holdsAStrictQueueBehindWhatRunsInTheForegroundOnly") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var edit = QueueEdit()
            (edit.order, edit.slots) = (.strict, 1)
            _ = try await store.edit(queue: "q", edit, at: Sample.start)
            let first = try await store.addOne("first", inBackground: false, queue: "q")
            let second = try await store.addOne("second", inBackground: true, queue: "q")
            #expect(try await store.claimInBackground(for: owner) == [])
            edit.slots = 2
            _ = try await store.edit(queue: "q", edit, at: Sample.start)
            #expect(try await store.claimInBackground(for: owner) == [second.id])
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [first.id])
        },
        Behaviour("heedsAnEditOfWhereATransferRuns") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file", inBackground: true)
            let behind = try await store.addOne("behind", inBackground: true)
            var edit = TransferEdit()
            var options = DownloadOptions()
            options.runsInBackground = false
            edit.options = .download(options)
            #expect(try await store.edit(added.id, edit, at: Sample.start).runsInBackground == false)
            #expect(try await store.claimInBackground(for: owner) == [behind.id])
            edit = TransferEdit()
            edit.runsInBackground = true
            _ = try await store.edit(added.id, edit, at: Sample.start)
            #expect(try await store.claimInBackground(for: owner) == [added.id])
            // The running attempt is asked to begin again under the new terms.
            #expect(try await store.edit(added.id, edit, at: Sample.start).wish == nil, "nothing changes")
            edit.runsInBackground = false
            #expect(try await store.edit(added.id, edit, at: Sample.start).wish == .reload)
        },
        Behaviour("leavesASuspectThatRunsInTheForegroundOnly") { store in
            let suspect = try await store.addOne("suspect", inBackground: false)
            for number in 1...2 {
                let victim = try await store.join(Sample.process(Int32(number)), at: Sample.start)
                _ = try await store.claimOne(suspect.id, for: victim)
                _ = try await store.remove(victim, at: Sample.start)
            }
            #expect(try await store.existing(suspect.id).isSuspect)
            let owner = try await store.join(Sample.process(3), at: Sample.start)
            let other = try await store.addOne("other", inBackground: true)
            let background = HeldBack(isInBackground: true)
            for (heldBack, holds): (HeldBack, Bool) in [(background, false), (.nothing, true)] {
                let found = try await store.holdsSuspects(
                    owner,
                    only: nil,
                    heldBack: heldBack,
                    at: Sample.start
                )
                #expect(found == holds)
            }
            #expect(try await store.claimInBackground(for: owner) == [other.id])
        },
        Behaviour("leavesARequestThatIsSentInTheForegroundOnly") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var request = try RequestSpecification(url: HTTPURL(parsing: "https://example.com/call"))
            request.runsInBackground = false
            let id = try await store.add([NewTransfer(request)], holder: nil, at: Sample.start)[0].transfer.id
            #expect(try await store.existing(id).runsInBackground == false)
            #expect(try await store.claimInBackground(for: owner) == [])
            #expect(try await store.claimIDs(upTo: 1, for: owner) == [id])
        },
    ]
}

extension TransferStore {
    /// Adds one transfer that runs in the background or not.
    fileprivate func addOne(
        _ name: String,
        inBackground: Bool,
        holder: OwnerID? = nil,
        queue: String = NewTransfer.defaultQueue
    ) async throws -> Transfer {
        var specification = try Sample.specification(name)
        specification.options.runsInBackground = inBackground
        let new = NewTransfer(specification, queue: queue)
        return try #require(try await add([new], holder: holder, at: Sample.start).first).transfer
    }

    /// The numbers of the transfers that an owner in the background claims.
    fileprivate func claimInBackground(
        only: TransferIDSet? = nil,
        for owner: OwnerID
    ) async throws -> [TransferID] {
        let heldBack = HeldBack(isInBackground: true)
        return try await claim(upTo: 9, only: only, heldBack: heldBack, for: owner, at: Sample.start).map(
            \.id
        )
    }
}
