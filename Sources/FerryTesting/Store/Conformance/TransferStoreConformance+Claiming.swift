import FerryCore
import Testing

extension TransferStoreConformance {
    static let claiming: [Behaviour] = [
        Behaviour("claimsHigherPriorityFirstThenInOrder") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var ids: [TransferID] = []
            for (number, priority) in [0, 5, -3, 5, 0, .max, .min].enumerated() {
                ids.append(try await store.addOne("file-\(number)", priority: priority).id)
            }
            let expected = [5, 1, 3, 0, 4, 2, 6].map { ids[$0] }
            #expect(try await store.claimIDs(upTo: 3, for: owner) == Array(expected[0..<3]))
            #expect(try await store.claimIDs(upTo: 100, for: owner) == Array(expected[3...]))
            #expect(try await store.claimIDs(upTo: 100, for: owner) == [])
        },
        Behaviour("claimsWithOneMoreAttemptAndANewToken") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file")
            var expected = added
            let (first, claim) = try await store.claimOne(added.id, for: owner, at: Sample.start + 7)
            expected.becomeActive(for: owner, token: claim.token, at: Sample.start + 7)
            #expect(first == expected && first.attempts == 1)
            #expect(try await store.existing(added.id) == expected)
            let settlement = Settlement(.queued, progress: DownloadProgress())
            try await store.settle(claim, as: settlement, at: Sample.start + 8)
            let (second, next) = try await store.claimOne(added.id, for: owner)
            #expect(second.attempts == 2 && next.token > claim.token)
        },
        Behaviour("claimsNothingThatIsNotReady") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() where state != .queued {
                _ = try await store.addOne("file-\(number)", in: state, owner: owner)
            }
            #expect(try await store.claimIDs(upTo: 100, for: owner, at: Sample.start + 4) == [])
        },
        Behaviour("claimsAWaitWhenItsTimeHasComeAndNotAMomentEarlier") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let retry = try await store.addOne("a", in: .waiting(.retry(at: Sample.start + 5)), owner: owner)
            let window = try await store.addOne(
                "b",
                in: .waiting(.window(opens: Sample.start + 9)),
                owner: owner
            )
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 4) == [])
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 5) == [retry.id])
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 8) == [])
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 9) == [window.id])
        },
        Behaviour("doesNotClaimADueWaitAfterTheClockWentBack") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("a", in: .waiting(.retry(at: Sample.start + 5)), owner: owner)
            let second = try await store.addOne("b", in: .waiting(.retry(at: Sample.start + 5)), owner: owner)
            #expect(try await store.claimIDs(upTo: 1, for: owner, at: Sample.start + 5) == [first.id])
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 4) == [])
            #expect(try await store.claimIDs(upTo: 9, only: [second.id], for: owner, at: Sample.start) == [])
            #expect(try await store.nextWakeTime(for: owner) == Sample.start + 5)
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 5) == [second.id])
        },
        Behaviour("claimsARetryThatAClockWhichWentBackWouldDelay") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let retry = WaitCondition.retry(at: Sample.start + 3600)
            let first = try await store.addOne("a", in: .waiting(retry), owner: owner)
            let second = try await store.addOne("b", in: .waiting(retry), owner: owner)
            let window = WaitCondition.window(opens: Sample.start + 3600)
            _ = try await store.addOne("c", in: .waiting(window), owner: owner)
            let noted = try await store.existing(second.id).updated
            let bound = noted.advanced(by: .zero - WaitCondition.longestDelay)
            let moment = Instant(milliseconds: bound.milliseconds - 1)
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: bound) == [], "a little is nothing")
            #expect(try await store.claimIDs(upTo: 1, for: owner, at: moment) == [first.id])
            // The other one was put in line, but its time has not come when the clock is right again.
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 9) == [])
            #expect(try await store.claimIDs(upTo: 9, only: [second.id], for: owner, at: bound) == [])
            #expect(
                try await store.claimIDs(upTo: 9, only: [second.id], for: owner, at: moment) == [second.id]
            )
        },
        Behaviour("claimsARetryThatWasSetWhileTheClockWasWrong") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let farthest = Sample.start.advanced(by: WaitCondition.farthestRetry)
            let wrong = Instant(milliseconds: farthest.milliseconds + 1)
            let credible = try await store.addOne("a", in: .waiting(.retry(at: farthest)), owner: owner)
            let incredible = try await store.addOne("b", in: .waiting(.retry(at: wrong)), owner: owner)
            let endless = try await store.addOne(
                "c",
                in: .waiting(.retry(at: Instant(milliseconds: .max))),
                owner: owner
            )
            let window = try await store.addOne("d", in: .waiting(.window(opens: wrong)), owner: owner)
            let none = try await store.claimIDs(upTo: 9, only: [credible.id, window.id], for: owner)
            #expect(none == [], "a window may open in years")
            #expect(try await store.claimIDs(upTo: 9, only: [endless.id], for: owner) == [endless.id])
            // The clock went forward between the two checks: the same moment can be waited for again.
            let moment = Instant(milliseconds: Sample.start.milliseconds + 1)
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: moment) == [])
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [incredible.id])
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: farthest) == [credible.id])
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: wrong) == [window.id])
        },
        Behaviour("claimsDueWaitsAndQueuedOnesInOneOrder") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let waiting = try await store.addOne(
                "a",
                in: .waiting(.retry(at: Sample.start + 5)),
                owner: owner
            )
            let queued = try await store.addOne("b")
            let urgent = try await store.addOne("c", priority: 1)
            let held = try await store.addOne("d", holder: owner)
            let last = try await store.addOne("e")
            let expected = [urgent, waiting, queued, held, last].map(\.id)
            #expect(
                try await store.claimIDs(upTo: 4, for: owner, at: Sample.start + 5) == Array(expected[..<4])
            )
            #expect(try await store.claimIDs(upTo: 4, for: owner, at: Sample.start + 5) == [last.id])
        },
        Behaviour("claimsOnlyWhatWasNamed") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var ids: [TransferID] = []
            for number in 0..<20 {
                ids.append(try await store.addOne("file-\(number)", priority: number % 3).id)
            }
            let unknown = TransferID(rawValue: 4_000)
            #expect(try await store.claimIDs(upTo: 9, only: [], for: owner) == [])
            #expect(try await store.claimIDs(upTo: 9, only: [unknown], for: owner) == [])
            #expect(
                try await store.claimIDs(upTo: 2, only: [ids[18], ids[0], ids[17]], for: owner) == [
                    ids[17], ids[0],
                ]
            )
            #expect(
                try await store.claimIDs(upTo: 9, only: [ids[18], ids[0], ids[17]], for: owner) == [ids[18]]
            )
            let all = TransferIDSet(ids)
            #expect(try await store.claimIDs(upTo: 2, only: all, for: owner) == [ids[2], ids[5]])
        },
        Behaviour("claimsNothingWithoutALimit") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            _ = try await store.addOne("file")
            #expect(try await store.claimIDs(upTo: 0, for: owner) == [])
            #expect(try await store.claimIDs(upTo: -1, for: owner) == [])
        },
        Behaviour("claimsNothingThatAnotherHolds") { store in
            let owner = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            for number in 0..<50 { _ = try await store.addOne("held-\(number)", priority: 9, holder: other) }
            let free = try await store.addOne("free")
            #expect(try await store.claimIDs(upTo: 100, for: owner) == [free.id])
            #expect(try await store.claimIDs(upTo: 100, for: other).count == 50)
        },
        Behaviour("claimsNothingForAnOwnerThatHasLeft") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file")
            _ = try await store.remove(owner, at: Sample.start)
            await expectError(\.isUnavailable) { _ = try await store.claimIDs(upTo: 1, for: owner) }
            #expect(try await store.existing(added.id) == added)
        },
        Behaviour("givesEachTransferToOneOwnerOnly") { store in
            let news = try (0..<200).map { try Sample.new("file-\($0)") }
            _ = try await store.add(news, holder: nil, at: Sample.start)
            let claimed = try await withThrowingTaskGroup(of: [TransferID].self) { group in
                for pid in 1...8 {
                    group.addTask {
                        let owner = try await store.join(Sample.process(Int32(pid)), at: Sample.start)
                        var mine: [TransferID] = []
                        while case let more = try await store.claimIDs(upTo: 7, for: owner), !more.isEmpty {
                            mine += more
                        }
                        return mine
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(claimed.count == 200 && Set(claimed).count == 200)
        },
    ]
}
