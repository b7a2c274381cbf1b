import Testing

@testable import FerrySQLite

struct ClusteredDigestTests {
    /// Rows that are stored have it. The text of the block is that of the file, with the number of the block and a zero byte in
    /// place of the counter; these are SHA-256 of both.
    @Test func itsFormNeverChanges() {
        let digest = ClusteredDigest("https://a.example/2024/page-0041.jpg\nfile\n/srv\n")
        #expect(
            digest.bytes == [
                0x1B, 0x68, 0xCA, 0x8E, 0xD7, 0x2D, 0x51, 0x6F, 0x48, 0xB0, 0x84, 0x3B, 0xC3,
                0x60, 0x28, 0x7F, 0x24, 0xA8, 0x78, 0xEA, 0x3B, 0x48, 0xB2, 0x08, 0x72,
            ]
        )
        #expect(digest.number == 1975051151446200687)
    }

    @Test func textsThatDifferInACounterAreNeighbours() {
        let digests = (512..<768).map {
            ClusteredDigest("https://a.example/2024/page-\($0).jpg\nfile\n/srv\n").bytes
        }
        #expect(Set(digests).count == 256, "each is another one")
        #expect(Set(digests.map { $0.prefix(5) }).count == 1, "all begin alike")
        #expect(Set(digests.map { $0[5] }).count > 100, "the rest says nothing of their order")
    }

    @Test(arguments: [
        ("page-511.jpg", "page-512.jpg"), ("a-7.jpg", "b-7.jpg"), ("a.jpg", "b.jpg"), ("", "a"),
        // A counter is in the last segment of the path.
        ("a/7/page.jpg", "a/8/page.jpg"), ("page.jpg?7", "page.jpg?8"),
        // Nine digits and more are none.
        ("page-123456789.jpg", "page-123456788.jpg"),
    ])
    func othersAreNot(_ one: String, _ other: String) {
        #expect(ClusteredDigest(one).bytes.prefix(5) != ClusteredDigest(other).bytes.prefix(5))
    }

    @Test(arguments: [("/srv/clip-7.mp4", "/srv/clip-8.mp4"), ("/srv/v2-07.bin", "/srv/v2-08.bin")])
    func theLongestRunOfDigitsIsTheCounter(_ one: String, _ other: String) {
        #expect(ClusteredDigest(one).bytes.prefix(5) == ClusteredDigest(other).bytes.prefix(5))
        #expect(ClusteredDigest(one).number != ClusteredDigest(other).number)
    }

    @Test(arguments: ["x-1.bin", "x-01.bin", "x-1.bin?2", "x.bin", "1", "00000001", ""])
    func everyTextHasADigestOfItsOwn(_ text: String) {
        #expect(ClusteredDigest(text) == ClusteredDigest(text))
        for other in ["x-1.bin", "x-01.bin", "x-1.bin?2", "x.bin", "1", "00000001", ""] where other != text {
            #expect(ClusteredDigest(text).bytes.suffix(20) != ClusteredDigest(other).bytes.suffix(20))
            #expect(ClusteredDigest(text).number != ClusteredDigest(other).number)
        }
    }

    @Test func theCounterIsNotToBeReadFromIt() {
        // The block is hashed: what differs in it differs everywhere.
        let blocks = (0..<100).map { ClusteredDigest("https://a.example/pin/\($0 * 256)").bytes.prefix(5) }
        #expect(Set(blocks).count == 100)
        #expect(!blocks.sorted { $0.lexicographicallyPrecedes($1) }.elementsEqual(blocks))
    }
}
