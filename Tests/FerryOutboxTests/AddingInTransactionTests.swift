import Ferry
import FerryOutbox
import Foundation
import GRDB
import Testing

/// What a transaction adds, and what becomes of it.
@Suite("Adding to the outbox")
struct AddingInTransactionTests {
    private struct Regret: Error {}

    @Test("a committed row becomes one transfer with all that was said of it, and a rolled back row none")
    func commitsAndRollsBack() async throws {
        try await Workshop.open { workshop in
            let (order, other) = (try workshop.order(17), try workshop.order(18))
            let payload = try #require(TransferPayload([1, 2, 3]))
            let uuid = try await workshop.database.write { [outbox = workshop.outbox] db in
                let new = try NewTransfer(
                    order,
                    queue: "shop",
                    priority: 7,
                    type: "order.placed",
                    tag: TransferTag("orders"),
                    payload: payload
                )
                return try outbox.add(new, in: db)
            }
            await #expect(throws: Regret.self) {
                try await workshop.database.write { [outbox = workshop.outbox] db in
                    try outbox.add(NewTransfer(other), in: db)
                    throw Regret()
                }
            }
            #expect(try await workshop.client.find(uuid: uuid) == nil)
            #expect(try await workshop.drain.takeOver() == 1)
            let transfer = try #require(try await workshop.client.find(uuid: uuid))
            #expect(try await workshop.transfers().count == 1)
            #expect(transfer.tag?.text == "orders" && transfer.type == "order.placed")
            #expect(transfer.payload == payload)
            #expect(transfer.queue == "shop")
            #expect(transfer.priority == 7)
            #expect(transfer.request?.specification.body == order.body)
            #expect(try await workshop.rows() == 0)
        }
    }

    @Test("rows are taken over in the order of insertion, in several batches")
    func keepsTheOrder() async throws {
        try await Workshop.open { workshop in
            let orders = try (0..<450).map { try workshop.order($0) }
            try await workshop.database.write { [outbox = workshop.outbox] db in
                for order in orders { try outbox.add(NewTransfer(order), in: db) }
            }
            #expect(try await workshop.drain.takeOver() == 450)
            #expect(try await workshop.items() == (0..<450).map { "\"\($0)\"" })
        }
    }

    @Test("a download is taken over with its options")
    func takesDownloads() async throws {
        try await Workshop.open { workshop in
            var download = try workshop.download("big.iso")
            download.options.retries = 3
            let wanted = download
            let uuid = try await workshop.database.write { [outbox = workshop.outbox] db in
                try outbox.add(NewTransfer(wanted), in: db)
            }
            try await workshop.drain.takeOver()
            let transfer = try #require(try await workshop.client.find(uuid: uuid))
            #expect(transfer.download?.specification == wanted)
        }
    }

    @Test("a request carries the file that was pinned when it was added")
    func carriesPinnedFiles() async throws {
        try await Workshop.open { workshop in
            let path = "\(workshop.path)/quay.jpg"
            try Data("picture".utf8).write(to: URL(fileURLWithPath: path))
            let upload = try RequestSpecification(
                method: .put,
                url: HTTPURL(parsing: "https://shop.example/quay.jpg"),
                body: StoredBody(try await workshop.client.pin(path))
            )
            let uuid = try await workshop.database.write { [outbox = workshop.outbox] db in
                try outbox.add(NewTransfer(upload), in: db)
            }
            try await workshop.drain.takeOver()
            let transfer = try #require(try await workshop.client.find(uuid: uuid))
            #expect(transfer.request?.specification.body.files == upload.body.files)
        }
    }

    @Test("a body that Ferry has copied is refused, as its copy belongs to a transfer of the store")
    func refusesCopies() async throws {
        try await Workshop.open { workshop in
            let (parts, input) = AsyncStream.makeStream(of: [UInt8].self)
            input.yield([1])
            input.finish()
            let upload = try RequestSpecification(
                method: .put,
                url: HTTPURL(parsing: "https://shop.example/quay.jpg"),
                body: try await workshop.client.copyBody(parts)
            )
            await #expect(throws: OutboxError.copiedBody) {
                try await workshop.database.write { [outbox = workshop.outbox] db in
                    try outbox.add(NewTransfer(upload), in: db)
                }
            }
            #expect(try await workshop.rows() == 0)
        }
    }

    @Test("a chain of one transaction keeps its order")
    func keepsChains() async throws {
        try await Workshop.open { workshop in
            let orders = try (0..<3).map { try workshop.order($0) }
            try await workshop.database.write { [outbox = workshop.outbox] db in
                let first = try outbox.add(NewTransfer(orders[0]), in: db)
                let second = try outbox.add(NewTransfer(orders[1], afterUUIDs: [first]), in: db)
                try outbox.add(NewTransfer(orders[2], afterUUIDs: [first, second]), in: db)
            }
            #expect(try await workshop.drain.takeOver() == 3)
            let transfers = try await workshop.transfers()
            #expect(transfers[0].dependencies.isEmpty)
            #expect(transfers[1].dependencies == [transfers[0].id])
            #expect(transfers[2].dependencies == [transfers[0].id, transfers[1].id])
        }
    }

    @Test("a call that is repeated under its UUID adds nothing, and other work under it is refused")
    func addsOncePerUUID() async throws {
        try await Workshop.open { workshop in
            let uuid = TransferUUID()
            try await workshop.add(1, uuid: uuid)
            try await workshop.add(1, uuid: uuid)
            #expect(try await workshop.rows() == 1)
            await #expect(throws: OutboxError.otherWork(uuid)) { try await workshop.add(2, uuid: uuid) }
            try await workshop.drain.takeOver()
            try await workshop.add(1, uuid: uuid)
            #expect(try await workshop.drain.takeOver() == 1)
            #expect(try await workshop.transfers().count == 1)
        }
    }

    @Test("what no store would take is refused within the transaction")
    func refusesAtOnce() async throws {
        try await Workshop.open { workshop in
            let order = try workshop.order(1)
            await #expect(throws: TransferQueue.Flaw.name("no name")) {
                try await workshop.database.write { [outbox = workshop.outbox] db in
                    try outbox.add(NewTransfer(order, queue: "no name"), in: db)
                }
            }
            await #expect(throws: OutboxError.afterNumber) {
                try await workshop.database.write { [outbox = workshop.outbox] db in
                    try outbox.add(NewTransfer(order, after: [TransferID(rawValue: 1)]), in: db)
                }
            }
            var long = order
            let value = String(repeating: "x", count: 5 << 20)
            long.exchange.headers = [HeaderField(name: "X-Long", value: value)]
            let tooLong = long
            await #expect(throws: OutboxError.self) {
                try await workshop.database.write { [outbox = workshop.outbox] db in
                    try outbox.add(NewTransfer(tooLong), in: db)
                }
            }
            #expect(try await workshop.rows() == 0)
        }
    }
}
