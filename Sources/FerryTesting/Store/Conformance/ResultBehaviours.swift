import FerryCore
import Testing

/// The ends of transfers with a type, until they are handled.
enum ResultBehaviours {
    typealias Behaviour = TransferStoreConformance.Behaviour

    /// Every behaviour.
    static let all: [Behaviour] = [
        Behaviour("keepsATypeWithATransfer") { store in
            let typed = try await store.addOne("a", type: .photo)
            #expect(typed.type == .photo)
            #expect(try await store.existing(typed.id) == typed)
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let ended = try await store.bring(typed, to: .completed, owner: owner)
            #expect(ended.type == .photo)
            #expect(try await store.existing(typed.id) == ended)
            #expect(try await store.addOne("b").type == nil)
        },
        Behaviour("recordsTheEndsOfTransfersWithATypeOnly") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() {
                let added = try await store.addOne("file-\(number)", type: .photo)
                let other = try await store.addOne("other-\(number)")
                _ = try await store.bring(other, to: state, owner: owner)
                let transfer = try await store.bring(added, to: state, owner: owner)
                let next = try await store.nextResultTime(of: [.photo], at: Sample.start)
                #expect((next != nil) == transfer.state.isFinal, "\(state)")
                let taken = try await store.take(.photo, for: owner)
                #expect(taken.map(\.transfer) == (transfer.state.isFinal ? [transfer] : []), "\(state)")
                // An unfinished one would come up later.
                if !transfer.state.isFinal {
                    _ = try await store.ask(.cancel(keepingPart: true), of: transfer.id, at: Sample.start)
                    if transfer.state == .active {
                        let claim = try #require(transfer.claim)
                        let end = Settlement(.cancelled, progress: transfer.work.progress)
                        _ = try await store.settle(claim, as: end, at: Sample.start)
                    }
                    #expect(try await store.take(.photo, for: owner).map(\.transfer.id) == [transfer.id])
                }
            }
        },
        Behaviour("handsAResultToOneOwnerUntilItIsHandled") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let added = try await store.addOne("a", type: .photo)
            _ = try await store.bring(added, to: .completed, owner: owner)
            #expect(try await store.take("photo.deleted", for: other) == [], "another type")
            let given = try #require(try await store.take(.photo, for: other).first)
            #expect(given.transfer.id == added.id && given.result.owner == other)
            for owner in [owner, other] { #expect(try await store.take(.photo, for: owner) == []) }
            #expect(try await store.nextResultTime(of: [.photo], at: Sample.start) == nil)
            try await store.settle(given.result, as: .released)
            let again = try #require(try await store.take(.photo, for: owner).first)
            #expect(again.result.failures == 0)
            try await store.settle(given.result, as: .handled)
            #expect(try await store.nextResultTime(of: [.photo], at: Sample.start) == nil)
            try await store.settle(again.result, as: .handled)
            #expect(try await store.take(.photo, for: owner) == [])
            #expect(try await store.existing(added.id).state == .completed, "the transfer stays")
        },
        Behaviour("handsAResultOutAgainLaterWhenItsHandlerFailed") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for name in ["a", "b"] {
                let added = try await store.addOne(name, type: .photo)
                _ = try await store.bring(added, to: .failed(Sample.failure), owner: owner)
            }
            let first = try #require(try await store.take(.photo, upTo: 1, for: owner).first)
            try await store.settle(first.result, as: .failed(retryAt: Sample.start + 50))
            let other = try #require(try await store.take(.photo, for: owner).first)
            #expect(other.transfer.id != first.transfer.id, "it delays no other")
            #expect(try await store.nextResultTime(of: [.photo], at: Sample.start) == Sample.start + 50)
            #expect(try await store.take(.photo, for: owner, at: Sample.start + 49) == [])
            let again = try #require(try await store.take(.photo, for: owner, at: Sample.start + 50).first)
            #expect(again.transfer.id == first.transfer.id && again.result.failures == 1)
            // The clock was wrong.
            try await store.settle(again.result, as: .failed(retryAt: Sample.start + 86_400_000))
            #expect(try await store.nextResultTime(of: [.photo], at: Sample.start) ?? .epoch <= Sample.start)
            #expect(try await store.take(.photo, for: owner).first?.result.failures == 2)
        },
        Behaviour("freesTheResultsOfAnOwnerThatIsRemoved") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let added = try await store.addOne("a", type: .photo)
            _ = try await store.bring(added, to: .completed, owner: owner)
            let given = try #require(try await store.take(.photo, for: owner).first)
            _ = try await store.remove(owner, after: .died, at: Sample.start)
            let again = try #require(try await store.take(.photo, for: other).first)
            #expect(again.transfer == given.transfer)
            try await store.settle(given.result, as: .handled)
            try await store.settle(given.result, as: .failed(retryAt: Sample.start))
            try await store.settle(again.result, as: .released)
            #expect(try await store.take(.photo, for: other) == [again], "the former owner had no say")
            await expectError({ $0 == .ownerRemoved }) { _ = try await store.take(.photo, for: owner) }
        },
        Behaviour("forgetsTheResultOfATransferThatIsQueuedAgain") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("a", type: .photo)
            _ = try await store.bring(added, to: .failed(Sample.failure), owner: owner)
            let given = try #require(try await store.take(.photo, for: owner).first)
            _ = try await store.requeue(added.id, holder: nil, at: Sample.start + 1)
            #expect(try await store.nextResultTime(of: [.photo], at: Sample.start + 1) == nil)
            let claim = try await store.claimOne(added.id, for: owner, at: Sample.start + 1).claim
            let end = Settlement(.completed, progress: DownloadProgress())
            let ended = try await store.settle(claim, as: end, at: Sample.start + 2)
            try await store.settle(given.result, as: .handled)
            #expect(
                try await store.take(.photo, for: owner).map(\.transfer) == [ended],
                "the later end is another"
            )
        },
        Behaviour("handsOutALaterEndOnlyAfterTheEarlierIsHandled") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let fates: [UnhandledResult.Fate] = [.handled, .failed(retryAt: Sample.start + 50), .released]
            for (number, fate) in fates.enumerated() {
                let added = try await store.addOne("file-\(number)", type: .photo)
                _ = try await store.bring(added, to: .failed(Sample.failure), owner: owner)
                let given = try #require(try await store.take(.photo, for: owner).first)
                let ended = try await store.endAgain(added.id, by: owner)
                for owner in [owner, other] { #expect(try await store.take(.photo, for: owner) == []) }
                #expect(try await store.nextResultTime(of: [.photo], at: Sample.start) == nil)
                try await store.settle(given.result, as: fate)
                let later = try #require(try await store.take(.photo, for: owner).first)
                #expect(later.transfer == ended && later.result.failures == 0)
                try await store.settle(later.result, as: .handled)
                #expect(try await store.nextResultTime(of: [.photo], at: Sample.start) == nil)
            }
        },
        Behaviour("freesALaterEndWhenTheOwnerOfTheEarlierIsRemoved") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let added = try await store.addOne("a", type: .photo)
            _ = try await store.bring(added, to: .failed(Sample.failure), owner: owner)
            let given = try #require(try await store.take(.photo, for: owner).first)
            let ended = try await store.endAgain(added.id, by: other)
            _ = try await store.remove(owner, after: .died, at: Sample.start)
            let later = try #require(try await store.take(.photo, for: other).first)
            #expect(later.transfer == ended)
            try await store.settle(given.result, as: .handled)
            try await store.settle(later.result, as: .released)
            #expect(try await store.take(.photo, for: other) == [later], "the former owner had no say")
        },
        Behaviour("handsOutNoEndOfATransferThatWasQueuedAgainInTheHandsOfAHandler") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let fates: [UnhandledResult.Fate] = [.handled, .failed(retryAt: Sample.start), .released]
            for (number, fate) in fates.enumerated() {
                let added = try await store.addOne("file-\(number)", type: .photo)
                _ = try await store.bring(added, to: .failed(Sample.failure), owner: owner)
                let given = try #require(try await store.take(.photo, for: owner).first)
                _ = try await store.requeue(added.id, holder: nil, at: Sample.start)
                try await store.settle(given.result, as: fate)
                #expect(try await store.take(.photo, for: owner) == [])
                #expect(try await store.nextResultTime(of: [.photo], at: Sample.start) == nil)
                let ended = try await store.bring(added, to: .completed, owner: owner)
                let later = try #require(try await store.take(.photo, for: owner).first)
                #expect(later.transfer == ended && later.result.failures == 0)
                try await store.settle(later.result, as: .handled)
            }
        },
        Behaviour("recordsTheEndsOfThoseThatFailWithAnother") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("a")
            let second = try await store.addOne("b", type: .photo, after: [first.id])
            _ = try await store.bring(first, to: .failed(Sample.failure), owner: owner)
            let taken = try await store.take(.photo, for: owner)
            #expect(taken.map(\.transfer.id) == [second.id] && taken.allSatisfy(\.transfer.state.isFinal))
        },
        Behaviour("forgetsAResultWithItsTransfer") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for name in ["a", "b"] {
                let added = try await store.addOne(name, type: .photo)
                let ended = try await store.bring(added, to: .completed, owner: owner)
                if name == "a" {
                    try await store.forget([ended.id])
                } else {
                    let pruned = try await store.prune(
                        Retention(age: nil, count: 0),
                        upTo: 9,
                        at: Sample.start
                    )
                    #expect(pruned == [ended.id])
                }
                #expect(try await store.nextResultTime(of: [.photo], at: Sample.start) == nil)
                #expect(try await store.take(.photo, for: owner) == [])
            }
        },
    ]
}

extension TransferType {
    fileprivate static let photo: TransferType = "photo.created"
}

extension TransferStore {
    /// Adds one transfer with a type.
    fileprivate func addOne(
        _ name: String,
        type: TransferType,
        after others: [TransferID] = []
    ) async throws -> Transfer {
        var new = try Sample.new(name, after: others)
        new.type = type
        return try #require(try await add([new], holder: nil, at: Sample.start).first).transfer
    }

    /// Queues a failed transfer again, and completes it at once.
    fileprivate func endAgain(_ id: TransferID, by owner: OwnerID) async throws -> Transfer {
        _ = try await requeue(id, holder: nil, at: Sample.start)
        let claim = try await claimOne(id, for: owner, at: Sample.start).claim
        return try await settle(
            claim,
            as: Settlement(.completed, progress: DownloadProgress()),
            at: Sample.start
        )
    }

    fileprivate func take(
        _ type: TransferType,
        upTo limit: Int = 9,
        for owner: OwnerID,
        at now: Instant = Sample.start
    ) async throws -> [ResultInHand] {
        try await takeResults(of: type, upTo: limit, for: owner, at: now)
    }
}
