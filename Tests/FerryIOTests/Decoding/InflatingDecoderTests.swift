import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryIO

/// Bodies in a content coding become the file, or are noticed to be damaged.
@Suite struct InflatingDecoderTests {
    private static let text = Array(String(repeating: "The same lines, again and again.\n", count: 20).utf8)
    private static let gzip = bytes(
        "H4sIAAAAAAAC/wvJSFUoTsxNVcjJzEst1lFITE/MzFNIzEuBsPS4QkYVjCqgrwIAlk8bgpQCAAA="
    )
    private static let zlib = bytes("eNoLyUhVKE7MTVXIycxLLdZRSExPzMxTSMxLgbD0uEJGFYwqoK8CABlT3fU=")
    private static let raw = bytes("C8lIVShOzE1VyMnMSy3WUUhMT8zMU0jMS4Gw9LhCRhWMKqCvAgA=")

    private static func bytes(_ base64: String) -> [UInt8] {
        Data(base64Encoded: base64).map { Array($0) } ?? []
    }

    private func decode(
        _ body: [UInt8],
        _ coding: ContentCoding = .gzip,
        in length: Int = .max
    ) -> InputProperty.DecodedBody {
        InputProperty.decoded(body, by: coding, in: length)
    }

    @Test(arguments: [1, 2, 3, 17, Int.max])
    func givesTheSameHoweverTheBodyIsCut(length: Int) {
        for (body, coding) in [
            (Self.gzip, ContentCoding.gzip), (Self.zlib, .deflate), (Self.raw, .deflate),
        ] {
            let result = decode(body, coding, in: length)
            #expect(result.isWhole && result.bytes == Self.text)
        }
    }

    @Test(arguments: [1, 5, Int.max])
    func takesSeveralMembersAndZerosBehindThem(length: Int) {
        let two = decode(Self.gzip + Self.gzip, in: length)
        #expect(two.isWhole && two.bytes == Self.text + Self.text)
        let padded = decode(Self.gzip + [UInt8](repeating: 0, count: 600), in: length)
        #expect(padded.isWhole && padded.bytes == Self.text)
    }

    @Test func noticesABodyThatIsCutAnywhere() {
        for count in 0..<Self.gzip.count { #expect(!decode(Array(Self.gzip.prefix(count))).isWhole) }
        for count in 0..<Self.zlib.count {
            #expect(!decode(Array(Self.zlib.prefix(count)), .deflate).isWhole)
        }
        for count in 0..<Self.raw.count { #expect(!decode(Array(Self.raw.prefix(count)), .deflate).isWhole) }
        for count in 1..<Self.gzip.count {
            #expect(!decode(Self.gzip + Array(Self.gzip.prefix(count))).isWhole)
        }
    }

    @Test func noticesBytesThatAreNotRight() {
        // The head of a member has a time and a system, of which nothing depends.
        for index in 10..<Self.gzip.count {
            var damaged = Self.gzip
            damaged[index] ^= 0x10
            #expect(!decode(damaged).isWhole, "byte \(index)")
        }
    }

    @Test(arguments: ["garbage", "\0\0x", "\u{1F}x"])
    func noticesWhatDoesNotBelongThere(garbage: String) {
        #expect(!decode(Self.gzip + Array(garbage.utf8)).isWhole)
        #expect(!decode(Self.gzip + Array(garbage.utf8), in: 1).isWhole)
        #expect(!decode(Self.zlib + Array(garbage.utf8), .deflate).isWhole)
        #expect(!decode(Self.raw + [0], .deflate).isWhole)
    }

    @Test func handsOverWhatSwellsInPiecesOfBoundedSize() throws {
        let decoder = InflatingDecoder(.gzip)
        // 200,000 zeros in 216 bytes, five hundred times.
        let seeds = try SeedFolder("content-decoder").seeds
        let member = Array(try #require(seeds.last).bytes.drop { $0 != 0x0A }.dropFirst())
        let body = Array(repeatElement(member, count: 500).joined())
        var total = 0
        var largest = 0
        try decoder.decode(body.span.bytes) { piece throws(StorageProblem) in
            total += piece.byteCount
            largest = max(largest, piece.byteCount)
        }
        try decoder.finish()
        #expect(total == 100_000_000 && largest <= InflatingDecoder.pieceLength)
    }

    /// What takes the bytes may wait for someone who asks the decoder.
    @Test func holdsNoLockWhileItsBytesAreTaken() throws {
        let decoder = InflatingDecoder(.gzip)
        var refusals = 0
        try decoder.decode(Self.bytes("H4sIAAAAAAACA0vKLCkoSi0uBgDutZfCCAAAAA==").span.bytes) { _ in
            do throws(StorageProblem) {
                try decoder.finish()
            } catch {
                refusals += 1
            }
        }
        #expect(refusals == 1)
    }

    @Test func stopsWhereItsBytesCannotBeWritten() {
        let decoder = InflatingDecoder(.gzip)
        let full = StorageProblem(
            .condition(.diskSpace(needed: 1), .diskFull, "The disk is full."),
            errno: 28
        )
        #expect(throws: full) {
            try decoder.decode(Self.gzip.span.bytes) { _ throws(StorageProblem) in throw full }
        }
        #expect(throws: StorageProblem.self) { try decoder.finish() }
    }

    @Test(arguments: InputProperty.bodies.map(\.name))
    func everyReaderOfBodiesHoldsWhatItPromisesOfEverySeed(name: String) throws {
        let property = try #require(InputProperty.bodies.first { $0.name == name })
        let seeds = try SeedFolder(name).seeds
        try #require(seeds.count >= 3, "Fuzz/Corpus/\(name) has too few seeds")
        for seed in seeds {
            #expect(throws: Never.self, "Fuzz/Corpus/\(name)/\(seed.file)") { try property.check(seed.bytes) }
        }
        for round in 0..<UInt64(300) {
            var mutation = SeedMutation(seed: round)
            let (seed, other) = (seeds[Int(round) % seeds.count], seeds[Int(round / 7) % seeds.count])
            let input = mutation.damaged(seed.bytes, with: other.bytes)
            #expect(throws: Never.self, "round \(round): \(input)") { try property.check(input) }
        }
    }
}
