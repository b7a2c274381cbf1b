import FerryCore
import FerryTesting
import Foundation
import Testing

/// Tags and UUIDs.
struct TransferNameTests {
    @Test(arguments: ["a", String(repeating: "a", count: 255), "caf\u{E9} 7/\u{1F6A2}", " "])
    func takesATag(_ text: String) throws { #expect(try TransferTag(text).text == text) }

    @Test(arguments: [
        ("", TransferTag.Invalid.empty), (String(repeating: "a", count: 256), .tooLong(bytes: 256)),
        (String(repeating: "\u{E9}", count: 128), .tooLong(bytes: 256)), ("a\nb", .control),
        ("\u{7F}", .control),
        ("\0", .control),
    ])
    func refusesWhatIsNone(_ text: String, _ reason: TransferTag.Invalid) throws {
        #expect(throws: reason) { try TransferTag(text) }
        let json = try JSONEncoder().encode(text)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(TransferTag.self, from: json) }
    }

    @Test func tellsTagsApartByTheirOctets() throws {
        let (composed, decomposed) = (try TransferTag("caf\u{E9}"), try TransferTag("cafe\u{301}"))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func boundsThePayload() {
        #expect(TransferPayload(Array(repeating: 0, count: 65_536)) != nil)
        #expect(TransferPayload(Array(repeating: 0, count: 65_537)) == nil)
    }

    @Test func makesUUIDsOfVersionSeven() throws {
        var random = SeededRandom(seed: 7)
        let moment = Instant(milliseconds: 0x0192_3456_789A)
        for _ in 0..<100 {
            let uuid = TransferUUID(at: moment, using: &random)
            #expect(uuid.bytes.prefix(6) == [0x01, 0x92, 0x34, 0x56, 0x78, 0x9A], "they begin with the time")
            #expect(uuid.bytes[6] >> 4 == 7 && uuid.bytes[8] >> 6 == 0b10)
            #expect(UUID(uuidString: uuid.description)?.uuidString.lowercased() == uuid.description)
            #expect(
                TransferUUID(uuid.description) == uuid && TransferUUID(uuid.description.uppercased()) == uuid
            )
        }
        #expect(Set((0..<1000).map { _ in TransferUUID(at: moment, using: &random) }).count == 1000)
    }

    @Test func thoseThatAStoreMakesContainTheNumbersOfTheirTransfersInOrder() {
        var random = SeededRandom(seed: 7)
        let moment = Instant(milliseconds: 0x0192_3456_789A)
        let names = TransferUUIDSequence(at: moment, using: &random)
        let ids = (1...1000).map { TransferID(rawValue: $0) } + [TransferID(rawValue: 0xFF_FFFF_FFFF)]
        let made = ids.map { names.uuid(of: $0) }
        #expect(made.map(\.number) == ids)
        #expect(zip(made, made.dropFirst()).allSatisfy { $0.bytes.lexicographicallyPrecedes($1.bytes) })
        #expect(made.allSatisfy { $0.bytes.prefix(6) == [0x01, 0x92, 0x34, 0x56, 0x78, 0x9A] })
        #expect(made.allSatisfy { $0.bytes[6] >> 4 == 7 && $0.bytes[8] >> 6 == 0b10 })
        let others = TransferUUIDSequence(at: moment, using: &random)
        #expect(Set(made).isDisjoint(with: ids.map { others.uuid(of: $0) }), "another store makes others")
    }

    @Test(arguments: [
        "", "0198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a0", "0198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a011",
        "0198d2c4+7b1e-7c3a-9f00-5e6d7c8b9a01",
        "0198d2c47b1e7c3a9f005e6d7c8b9a01", "g198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a01",
        "-0198d2c4-7b1e-7c3a-9f005e6d7c8b9a01",
    ])
    func refusesWhatIsNoUUID(_ text: String) { #expect(TransferUUID(text) == nil) }
}
