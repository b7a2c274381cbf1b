import Ferry
import Testing

@testable import FerryFrontend

@Suite("The part of a sealed file")
struct SealedPartTests {
    @Test(
        arguments: [
            ("0-", 0, 0..<0), ("0-9", 0, 0..<0), ("-9", 0, 0..<0), ("0-", 9, 0..<9), ("8-", 9, 8..<9),
            ("8-8", 9, 8..<9), ("3-99", 9, 3..<9), ("-4", 9, 5..<9), ("-99", 9, 0..<9),
        ] as [(String, Int64, Range<Int64>)]
    )
    func isCutAtTheEnd(_ text: String, of length: Int64, _ expected: Range<Int64>) throws {
        let range = try ByteRange(userGiven: text)
        #expect(try SealedPart.bytes(range, in: length, named: "a.age") == expected)
    }

    @Test(arguments: [("9-", 9), ("9-9", 9), ("1152921504606846976-", 9), ("1-", 0)] as [(String, Int64)])
    func thatBeginsPastTheEndIsRefusedWithTheLength(_ text: String, of length: Int64) throws {
        let range = try ByteRange(userGiven: text)
        let failure = #expect(throws: CommandFailure.self) {
            try SealedPart.bytes(range, in: length, named: "a.age")
        }
        #expect(failure?.status == .usage)
        #expect(
            failure?.message
                == "a.age has no bytes \(text): its length in clear is \(length) bytes. Nothing was printed."
        )
    }
}
