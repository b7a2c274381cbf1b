import FerryCore
import FerryTesting
import Foundation
import Testing

/// Tags and UUIDs.
struct TransferNameTests {
    @Test(arguments: ["a", String(repeating: "a", count: 255), "caf\u{E9} 7/\u{1F6A2}", " "])
    func takesATag(_ text: String) { #expect(TransferTag(text)?.text == text) }

    @Test(arguments: [
        "", String(repeating: "a", count: 256), String(repeating: "\u{E9}", count: 128), "a\nb", "\u{7F}",
        "\0",
    ])
    func refusesWhatIsNone(_ text: String) throws {
        #expect(TransferTag(text) == nil)
        let json = try JSONEncoder().encode(text)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(TransferTag.self, from: json) }
    }

    @Test func tellsTagsApartByTheirOctets() throws {
        let (composed, decomposed) = (TransferTag("caf\u{E9}"), TransferTag("cafe\u{301}"))
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

    @Test func thoseThatAreMadeTogetherAreNeighboursInTheirOrder() {
        let moment = Instant(milliseconds: 0x0192_3456_789A)
        var names = TransferUUIDSequence(at: moment, using: SeededRandom(seed: 7))
        let made = (0..<1000).map { _ in names.next().bytes }
        #expect(Set(made).count == 1000)
        #expect(Set(made.map { $0.prefix(9) }).count == 1, "they begin alike")
        #expect(zip(made, made.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
        #expect(made.allSatisfy { $0[6] >> 4 == 7 && $0[8] >> 6 == 0b10 })
    }

    @Test func countsUpNoFurtherThanTheBitsOfTheGenerator() throws {
        let last = try #require(TransferUUID("01923456-789a-7000-bfff-fffffffffffe"))
        #expect(last.counting(up: 1)?.description == "01923456-789a-7000-bfff-ffffffffffff")
        #expect(last.counting(up: 2) == nil)
        #expect(try #require(TransferUUID("01923456-789a-7000-ffff-ffffffffffff")).counting(up: 1) == nil)
    }

    @Test(arguments: [
        "", "0198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a0", "0198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a011",
        "0198d2c4+7b1e-7c3a-9f00-5e6d7c8b9a01",
        "0198d2c47b1e7c3a9f005e6d7c8b9a01", "g198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a01",
        "-0198d2c4-7b1e-7c3a-9f005e6d7c8b9a01",
    ])
    func refusesWhatIsNoUUID(_ text: String) { #expect(TransferUUID(text) == nil) }
}
