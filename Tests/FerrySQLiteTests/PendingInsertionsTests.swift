import FerryCore
import Testing

@testable import FerrySQLite

/// New transfers are inserted many at a time, which no one notices.
struct PendingInsertionsTests {
    /// What is compared of a transfer. UUIDs are random.
    private struct Seen: Equatable {
        var id: TransferID
        var url: String
        var state: TransferState.Name
        var tag: TransferTag?
        var payload: TransferPayload?
        var dependencies: [TransferID]

        init(_ transfer: Transfer) {
            id = transfer.id
            url = transfer.url.absoluteString
            state = transfer.state.name
            tag = transfer.tag
            payload = transfer.payload
            dependencies = transfer.dependencies
        }
    }

    @Test(arguments: [1, PendingInsertions.portion - 1, PendingInsertions.portion, 150])
    func addsAListAsIfEachWereAddedAlone(length: Int) async throws {
        let list = try (0..<length).map { number -> NewTransfer in
            // Each third name is that of one shortly before, which may not be inserted yet.
            var new = try newTransfer("f\(number % 3 == 2 ? number - 2 : number)")
            if number % 7 == 1 { new.tag = try TransferTag("t\(number)") }
            if number % 11 == 4 { new.payload = TransferPayload([UInt8(number % 256)]) }
            if number % 13 == 9 { new.after = [TransferID(rawValue: 1)] }
            return new
        }
        let directories = (try StoreDirectory(), try StoreDirectory())
        let together = try await SQLiteTransferStore.open(directory: directories.0.path)
        let alone = try await SQLiteTransferStore.open(directory: directories.1.path)
        let added = try await together.add(list, besides: nil, holder: nil, at: now).map(\.transfer)
        var expected: [Transfer] = []
        for new in list {
            expected += try await alone.add([new], besides: nil, holder: nil, at: now).map(\.transfer)
        }
        #expect(added.map(Seen.init) == expected.map(Seen.init))
        let stored = try await together.transfers(.all, after: nil, limit: length)
        let storedAlone = try await alone.transfers(.all, after: nil, limit: length)
        #expect(stored.map(Seen.init) == storedAlone.map(Seen.init))
        #expect(Set(stored.map(\.uuid)).count == stored.count)
        for transfer in stored {
            #expect(try await together.transfer(uuid: transfer.uuid) == transfer)
        }
        #expect(try await together.counts() == alone.counts())
        #expect(try await together.verify() == [])
        await together.close()
        await alone.close()
    }

    @Test func takesAUUIDThatContainsTheNumberOfAnotherTransfer() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let first = try await store.add([try newTransfer("a")], besides: nil, holder: nil, at: now)[0]
            .transfer
        var random = SystemRandomNumberGenerator()
        var new = try newTransfer("b")
        new.uuid = TransferUUIDSequence(at: now, using: &random).uuid(of: first.id)
        let second = try await store.add([new], besides: nil, holder: nil, at: now)[0].transfer
        #expect(second.id != first.id && second.uuid == new.uuid)
        #expect(try await store.add([new], besides: nil, holder: nil, at: now) == [.attached(second)])
        #expect(try await store.transfer(uuid: first.uuid) == first)
        #expect(try await store.transfer(uuid: second.uuid) == second)
        await store.close()
    }
}
