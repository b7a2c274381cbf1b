import FerryCore
import Testing

/// Queues that never hold more unfinished transfers than they have slots.
extension TransferStoreConformance {
    static let displacing: [Behaviour] = [
        Behaviour("cancelsWhatWasAskedForLongestAgoWhateverItWaitsFor") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.boundPictures(4)
            let queued = try await store.addOne("a", queue: "pictures")
            let offline = try await store.addOne("b", in: .waiting(.network), owner: owner, queue: "pictures")
            let paused = try await store.addOne("c", in: .paused, owner: owner, queue: "pictures")
            let running = try await store.addOne("d", in: .active, owner: owner, queue: "pictures")
            let all = [queued, offline, paused, running]
            for (number, oldest) in all.enumerated() {
                #expect(try await store.existing(oldest.id).state.isFinal == false)
                let newer = try await store.addOne(
                    "newer\(number)",
                    queue: "pictures",
                    at: Sample.start + Int64(number)
                )
                let displaced = try await store.existing(oldest.id)
                #expect(displaced.latestFailure?.message.contains("transfer \(newer.id),") == true)
                if oldest.id == running.id {
                    #expect(displaced.state == .active && displaced.wish?.isCancel == true)
                } else {
                    #expect(displaced.state == .cancelled && displaced.displacement?.code == .gaveWay)
                    #expect(displaced.claim == nil)
                }
            }
            #expect(try await store.unfinished(in: "pictures").count == 4)
        },
        Behaviour("makesYoungWhatIsAskedForAgain") { store in
            try await store.boundPictures(3)
            let ids = try await store.addPictures(["a", "b", "c"])
            // In the same millisecond; it is not the one with the highest number.
            #expect(try await store.addOne("a", queue: "pictures").id == ids[0])
            let fourth = try await store.addOne("d", queue: "pictures")
            #expect(try await store.unfinished(in: "pictures") == [ids[0], ids[2], fourth.id])
            // A retry counts as a new request, and so does a resumption.
            _ = try await store.ask(.pause, of: ids[2], at: Sample.start + 1)
            _ = try await store.requeue(ids[2], holder: nil, at: Sample.start + 2)
            _ = try await store.addOne("e", queue: "pictures", at: Sample.start + 3)
            #expect(try await store.existing(ids[0]).state == .cancelled)
            // The clock went back, but the transfer that is asked for now is still the latest.
            _ = try await store.addOne("d", queue: "pictures", at: Sample.start)
            _ = try await store.addOne("f", queue: "pictures", at: Sample.start)
            #expect(try await store.existing(ids[2]).state == .cancelled)
            #expect(try await store.existing(fourth.id).state == .queued)
        },
        Behaviour("boundsWhatIsRevivedOrMovedThere") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.boundPictures(2)
            let failed = try await store.addOne(
                "failed",
                in: .failed(Sample.failure),
                owner: owner,
                queue: "pictures"
            )
            let ids = try await store.addPictures(["a", "b"])
            _ = try await store.requeue(failed.id, holder: nil, at: Sample.start + 1)
            #expect(try await store.unfinished(in: "pictures") == [failed.id, ids[1]])
            let other = try await store.addOne("other")
            var edit = TransferEdit()
            edit.queue = "pictures"
            _ = try await store.edit(other.id, edit, at: Sample.start + 2)
            #expect(try await store.unfinished(in: "pictures") == [failed.id, other.id])
            _ = try await store.ask(.pause, of: failed.id, at: Sample.start + 3)
            let revived = try await store.addOne("a", queue: "pictures", at: Sample.start + 4)
            #expect(try await store.unfinished(in: "pictures") == [other.id, revived.id])
        },
        Behaviour("comesToItsSlotsAfterAChangeOfTheQueue") { store in
            let ids = try await store.addPictures((0..<9).map { "\($0)" })
            try await store.boundPictures(3)
            #expect(try await store.unfinished(in: "pictures") == ids, "nothing was asked for since")
            let newest = try await store.addOne("x", queue: "pictures", at: Sample.start + 1)
            #expect(try await store.unfinished(in: "pictures") == Array(ids[7...]) + [newest.id])
            try await store.set("pictures") { $0.overflow = .wait }
            _ = try await store.addOne("y", queue: "pictures", at: Sample.start + 2)
            #expect(try await store.unfinished(in: "pictures").count == 4)
            #expect(try await store.verify() == [])
        },
        Behaviour("failsWhatComesAfterWhatGaveWay") { store in
            try await store.boundPictures(1)
            let first = try await store.addOne("a", queue: "pictures")
            let dependent = try await store.addOne("after", after: [first.id])
            _ = try await store.addOne("b", queue: "pictures", at: Sample.start + 1)
            guard case .failed(let failure) = try await store.existing(dependent.id).state else {
                Issue.record("it waits in vain")
                return
            }
            #expect(failure.code == .dependencyFailed)
        },
        Behaviour("tellsWhichPartFilesWereLeftByWhatGaveWay") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.boundPictures(1)
            var progress = try Sample.progress(received: 100)
            progress.part = Sample.part
            let first = try await store.addOne("a", queue: "pictures")
            let claim = try await store.claimOne(first.id, for: owner).claim
            let settlement = Settlement(
                .waiting(.retry(at: Sample.start + 60_000)),
                progress: progress,
                failure: Sample.failure
            )
            try await store.settle(claim, as: settlement, at: Sample.start)
            // If a person cancels a transfer, that person's process removes its residue.
            let second = try await store.addOne("cancelled", in: .queued, owner: owner)
            _ = try await store.ask(.cancel(keepingPart: false), of: second.id, at: Sample.start)
            #expect(try await store.residues(for: .anyProcess, after: nil, limit: 9) == [])
            _ = try await store.addOne("b", queue: "pictures", at: Sample.start + 1)
            #expect(try await store.residues(for: .anyProcess, after: nil, limit: 9) == [first.id])
            #expect(try await store.residues(for: .anyProcess, after: nil, limit: 0) == [])
            let left = try await store.existing(first.id)
            let place = FilePlace(directory: "/downloads", name: .fallback, part: Sample.part.name)
            #expect(left.residue == .partFile(place, Sample.part) && left.remover == .anyProcess)
            #expect(left.downloadProgress.segments.received == 0)
            try await store.settleResidues(of: [first.id, second.id], as: .removed)
            #expect(try await store.residues(for: .anyProcess, after: nil, limit: 9) == [])
            let cleaned = try await store.existing(first.id)
            #expect(cleaned.residue == nil && cleaned.displacement?.code == .gaveWay)
        },
        Behaviour("countsForAClaimWhatRunsWithoutARow") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("q") { ($0.slots, $0.perHost) = (3, 2) }
            let ids = try await ["a", "b", "c"].asyncMap { name in
                try await store.addOne(name, queue: "q", host: "\(name).example").id
            }
            #expect(try await store.runningCounts() == [])
            func claim(beside others: [RunningCount], upTo limit: Int = 9) async throws -> [TransferID] {
                try await store.claim(
                    upTo: limit,
                    only: nil,
                    heldBack: .nothing,
                    beside: others,
                    recordsSending: false,
                    for: owner,
                    at: Sample.start
                ).map(\.id)
            }
            let full = RunningCount(queue: "q", host: "x", count: 3)
            #expect(try await claim(beside: [full]) == [])
            let busyHost = RunningCount(queue: "elsewhere", host: "a.example", count: 2)
            let two = RunningCount(queue: "q", host: "x", count: 2)
            #expect(try await claim(beside: [busyHost, two]) == [ids[1]])
            #expect(try await claim(beside: [busyHost]) == [ids[2]])
            let running = try await store.runningCounts()
            #expect(Set(running.map(\.host)) == ["b.example", "c.example"])
            #expect(running.reduce(0) { $0 + $1.count } == 2)
        },
    ]
}

extension TransferStore {
    /// A queue that also cancels waiting transfers.
    fileprivate func boundPictures(_ slots: Int) async throws {
        try await set("pictures") { ($0.slots, $0.overflow) = (slots, .cancelOldestAlsoWaiting) }
    }

    fileprivate func addPictures(_ names: [String]) async throws -> [TransferID] {
        try await names.asyncMap { try await addOne($0, queue: "pictures").id }
    }

    /// The unfinished transfers of a queue, in the order of their numbers, without those that were asked to end.
    fileprivate func unfinished(in queue: String) async throws -> [TransferID] {
        try await transfers(.unfinished.of(queue: queue), after: nil, limit: 100)
            .filter { $0.wish?.isCancel != true }.map(\.id)
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
