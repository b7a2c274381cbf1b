import Ferry
import Foundation
import GRDB
import Testing

@testable import FerryOutbox

/// Rows as any program may write them.
@Suite("Rows of the outbox")
struct OutboxRowTests {
    /// The row in the article about the outbox. Its form is the first version, which stays readable forever.
    static let insertion = """
        INSERT INTO ferry_outbox (uuid, kind, work, tag) VALUES (
            '0198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a01', 'request',
            '{"method": "POST", "url": "https://example.org/orders", "body": {"bytes": "eyJpdGVtIjogMTd9"},
              "key": {"field": "Idempotency-Key", "value": "\\"order-17\\""}}',
            'orders'
        )
        """

    static let order = #"{"method": "POST", "url": "https://example.org/orders"}"#

    /// Its body is a copy in Ferry's data directory.
    static let copied = #"""
        {"method": "POST", "url": "https://example.org/orders", "body": {"parts": [{"file": {
            "path": "0198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a01", "length": 1, "device": 1, "inode": 1, "isCopy": true
        }}]}}
        """#

    @Test("the article shows the table and the row as they are")
    func articleIsRight() throws {
        let path =
            #filePath.replacing("Tests/FerryOutboxTests/OutboxRowTests.swift", with: "")
            + "Sources/FerryOutbox/FerryOutbox.docc/FerryOutbox.md"
        let article = try String(contentsOfFile: path, encoding: .utf8)
        #expect(article.contains(Outbox.schema))
        #expect(article.contains(Self.insertion))
    }

    @Test("a row that another program wrote by the article is taken over")
    func readsTheArticle() async throws {
        try await Workshop.open { workshop in
            try await workshop.execute(Self.insertion)
            #expect(try await workshop.drain.takeOver() == 1)
            let uuid = try #require(TransferUUID("0198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a01"))
            let transfer = try #require(try await workshop.client.find(uuid: uuid))
            let request = try #require(transfer.request?.specification)
            #expect(request.body == StoredBody(#"{"item": 17}"#.utf8))
            #expect(request.key == IdempotencyKey(value: #""order-17""#))
            #expect(transfer.queue == NewTransfer.defaultQueue)
            #expect(transfer.tag?.text == "orders")
        }
    }

    @Test("the first version of the stored form stays as it is")
    func formIsStable() throws {
        var order = try RequestSpecification(
            method: .post,
            url: HTTPURL(parsing: "https://example.org/orders"),
            body: StoredBody(#"{"item": 17}"#.utf8),
            key: IdempotencyKey(value: #""order-17""#)
        )
        order.exchange.headers = [HeaderField(name: "Content-Type", value: "application/json")]
        let work = try OutboxForm.encoded(NewTransfer(order).work)
        #expect(work.hasPrefix(#"{"body":{"bytes":"eyJpdGVtIjogMTd9"},"exchange":"#), "\(work)")
        #expect(try OutboxForm.decoded(RequestSpecification.self, work) == order)
    }

    /// Columns that a row cannot have, and a part of the reason.
    static let flawed: [(columns: String, reason: String)] = [
        ("'7', 1, 'request', '\(order)', NULL, NULL, NULL", "The UUID"),
        ("x'3031', 1, 'request', '\(order)', NULL, NULL, NULL", "The UUID"),
        ("$uuid, 2, 'request', '\(order)', NULL, NULL, NULL", "version"),
        ("$uuid, 'x', 'request', '\(order)', NULL, NULL, NULL", "version"),
        ("$uuid, 1, 'errand', '\(order)', NULL, NULL, NULL", "kind"),
        ("$uuid, 1, 'request', 'POST', NULL, NULL, NULL", "it is not the JSON of such work"),
        ("$uuid, 1, 'request', '{\"method\": \"POST\"}', NULL, NULL, NULL", "url is missing"),
        (
            "$uuid, 1, 'request', '{\"method\": 1, \"url\": \"x\"}', NULL, NULL, NULL",
            "method has the wrong form"
        ),
        ("$uuid, 1, 'download', '\(order)', NULL, NULL, NULL", "destination is missing"),
        ("$uuid, 1, 'request', '\(copied)', NULL, NULL, NULL", "copied"),
        ("$uuid, 1, 'request', '\(order)', 'no name', NULL, NULL", "queue"),
        ("$uuid, 1, 'request', '\(order)', NULL, 'later', NULL", "comes after"),
        (
            "$uuid, 1, 'request', '\(order)', NULL, '0198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a01', NULL",
            "not in Ferry's store"
        ),
        ("$uuid, 1, 'request', '\(order)', NULL, NULL, ''", "tag"),
        ("$uuid, 1, 'request', printf('%5000000c', 'x'), NULL, NULL, NULL", "bytes"),
    ]

    @Test("a row that cannot be taken over stays with its reason, and holds up no other", arguments: flawed)
    func refusesFlawed(_ columns: String, _ reason: String) async throws {
        try await Workshop.open { workshop in
            let (refused, refusal) = AsyncStream.makeStream(of: OutboxRefusal.self)
            let drain = OutboxDrain(from: workshop.database, into: workshop.client) { refusal.yield($0) }
            try await workshop.add(1)
            let values = columns.replacing("$uuid", with: "'\(TransferUUID())'")
            try await workshop.execute(
                "INSERT INTO ferry_outbox (uuid, version, kind, work, queue, comes_after, tag) VALUES (\(values))"
            )
            try await workshop.add(2)
            #expect(try await drain.takeOver() == 2)
            #expect(try await drain.takeOver() == 0)
            #expect(try await workshop.items() == ["\"1\"", "\"2\""])
            let refusals = try await workshop.refusals()
            #expect(refusals.count == 1)
            #expect(refusals.first?.reason.contains(reason) == true, "\(refusals)")
            refusal.finish()
            var reported: [OutboxRefusal] = []
            for await one in refused { reported.append(one) }
            #expect(reported == refusals)
        }
    }

    @Test("a reason shows no secret of the row")
    func hidesSecrets() async throws {
        try await Workshop.open { workshop in
            let works = [
                #"{"method": "POST", "url": "https://user:geheim@/"}"#,
                #"{"method": "POST", "url": "https://example.org/", "body": {"bytes": "geheim?"}}"#,
                #"{"method": "POST", "url": "https://example.org/", geheim}"#,
                #"{"method": "POST geheim", "url": "https://example.org/"}"#,
            ]
            for work in works {
                try await workshop.execute(
                    "INSERT INTO ferry_outbox (uuid, kind, work) VALUES (?, 'request', ?)",
                    ["\(TransferUUID())", work]
                )
            }
            #expect(try await workshop.drain.takeOver() == 0)
            let refusals = try await workshop.refusals()
            #expect(refusals.count == works.count)
            #expect(!"\(refusals)".contains("geheim"), "\(refusals)")
        }
    }

    @Test("few rows are held in memory, and few bytes of them")
    func batchesAreBounded() async throws {
        try await Workshop.open { workshop in
            let body = StoredBody([UInt8](repeating: 0, count: RequestSpecification.longestBody))
            let large = try RequestSpecification(
                method: .put,
                url: HTTPURL(parsing: "https://shop.example/"),
                body: body
            )
            let small = try (0..<300).map { try workshop.order($0) }
            try await workshop.database.write { [outbox = workshop.outbox] db in
                for _ in 0..<8 { try outbox.add(NewTransfer(large), in: db) }
                for order in small { try outbox.add(NewTransfer(order), in: db) }
            }
            let first = try await workshop.database.read { try OutboxRow.next(in: $0).count }
            #expect(first == 3)
            try await workshop.execute("DELETE FROM ferry_outbox WHERE id <= 8")
            let next = try await workshop.database.read { try OutboxRow.next(in: $0).count }
            #expect(next == OutboxRow.batch)
        }
    }
}
