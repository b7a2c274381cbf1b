import FerryCore
import Synchronization
import Testing

@testable import Ferry

@Suite("Updates for a slow observer", .timeLimit(.minutes(10)))
struct UpdateBufferTests {
    private func update(
        _ id: Int64,
        _ state: TransferState,
        notes: [TransferNote] = []
    ) throws -> TransferUpdate {
        let transfer = try Transfer.row(id, state)
        return TransferUpdate(transfer: transfer, progress: transfer.recordedProgress, notes: notes)
    }

    @Test func theLatestOfEachTransferIsGivenWithEveryNote() async throws {
        let buffer = UpdateBuffer()
        for number in 1...1000 {
            buffer.put(
                try update(
                    1,
                    .active,
                    notes: number % 250 == 0 ? [TransferNote(.resumed, "note \(number)")] : []
                )
            )
        }
        buffer.put(try update(2, .queued))
        buffer.put(try update(1, .completed))
        buffer.finish()
        let first = await buffer.next()
        #expect(first?.transfer.state == .completed)
        #expect(first?.notes.map(\.message) == ["note 250", "note 500", "note 750", "note 1000"])
        #expect(await buffer.next()?.transfer.id.rawValue == 2)
        #expect(await buffer.next() == nil)
    }

    @Test func eachIsGivenOnceInOrderHoweverPuttingAndTakingMeet() async throws {
        let buffer = UpdateBuffer()
        var number = 0
        var given: [Int64] = []
        for round in 1...40 {
            // The buffer grows at first, and is empty at the end.
            for _ in 0..<(round <= 20 ? round : 0) {
                number += 1
                buffer.put(try update(Int64(number), .active))
            }
            for _ in 0..<(round <= 20 ? round / 2 : 11) where given.count < number {
                if let next = await buffer.next() { given.append(next.transfer.id.rawValue) }
            }
        }
        #expect(given == (1...210).map { Int64($0) })
        buffer.finish()
        #expect(await buffer.next() == nil)
    }

    @Test func whoHasNotTakenMuchHasNoRoomAndSaysWhenThereIsSome() async throws {
        let calls = Mutex(0)
        let buffer = UpdateBuffer { calls.withLock { $0 += 1 } }
        for number in 1...Int64(UpdateBuffer.crowd) {
            #expect(buffer.hasRoom())
            buffer.put(try update(number, .active))
        }
        #expect(!buffer.hasRoom())
        for _ in 0..<UpdateBuffer.crowd {
            _ = await buffer.next()
        }
        // Once, and not for each update.
        #expect(calls.withLock { $0 } == 1)
        #expect(buffer.hasRoom())
    }

    @Test func anObserverThatIsCancelledIsLetGo() async {
        let buffer = UpdateBuffer()
        let waiting = Task { await buffer.next() }
        waiting.cancel()
        #expect(await waiting.value == nil)
    }

    @Test func anObserverThatWaitsIsToldAtTheEnd() async throws {
        let hub = UpdateHub()
        hub.follow([try update(1, .queued).transfer])
        let updates = TransferUpdates(source: .engine(hub.observe(nil)))
        async let states: [TransferState.Name] = {
            var states: [TransferState.Name] = []
            for await update in updates { states.append(update.transfer.state.name) }
            return states
        }()
        hub.publish(try update(1, .completed).transfer)
        hub.finish()
        #expect(await states.last == .completed)
    }

    @Test func whoComesLateSeesHowFarItIsAndThenTheEnd() async throws {
        let hub = UpdateHub()
        hub.follow([try update(1, .queued).transfer])
        hub.publish(try update(1, .active).transfer)
        let buffer = hub.observe([TransferID(rawValue: 1)])
        #expect(await buffer.next()?.transfer.state == .active)
        hub.publish(try update(1, .completed).transfer)
        hub.finish()
        #expect(await buffer.next()?.transfer.state == .completed)
        #expect(await buffer.next() == nil)
    }

    @Test func whatIsNoLongerThereEndsItsObservation() async throws {
        let hub = UpdateHub()
        let buffer = hub.observe([TransferID(rawValue: 1)])
        hub.forget(TransferID(rawValue: 1))
        #expect(await buffer.next() == nil)
    }
}
