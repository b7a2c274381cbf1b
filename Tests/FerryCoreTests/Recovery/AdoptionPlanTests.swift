import FerryTesting
import Testing

@testable import FerryCore

@Suite("An unfinished file that no transfer knows")
struct AdoptionPlanTests {
    /// A control file of aria2 for pieces of this length, as its technical notes describe it.
    private static func control(
        _ pieces: [Bool],
        length: Int64,
        piece: Int64 = 16,
        version: UInt8 = 1,
        infoHash: Int = 0
    ) -> [UInt8] {
        func number(_ value: Int64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> Int64(8 * (count - 1 - $0))) }
        }
        var field = [UInt8](repeating: 0, count: (pieces.count + 7) / 8)
        for (index, isThere) in pieces.enumerated() where isThere {
            field[index / 8] |= 0x80 >> UInt8(index % 8)
        }
        return [0, version, 0, 0, 0, 0] + number(Int64(infoHash), 4) + [UInt8](repeating: 9, count: infoHash)
            + number(piece, 4) + number(length, 8) + number(0, 8) + number(Int64(field.count), 4) + field
            + number(0, 4)
    }

    @Test("the pieces of a control file are read")
    func readsPieces() throws {
        let control = try #require(
            Aria2ControlFile(Self.control([true, true, false, true, false, true], length: 90, infoHash: 20))
        )
        #expect(control.length == 90 && control.runs == [0..<32, 48..<64, 80..<90])
    }

    @Test("drawn bitfields agree with the pieces that were drawn")
    func drawn() throws {
        for seed in 0..<500 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let count = Int.random(in: 1...40, using: &random)
            let pieces = (0..<count).map { _ in Bool.random(using: &random) }
            let length = Int64(count - 1) * 16 + .random(in: 1...16, using: &random)
            let control = try #require(Aria2ControlFile(Self.control(pieces, length: length)))
            let bytes = Set(control.runs.flatMap { Array($0) })
            for byte in 0..<length { #expect(bytes.contains(byte) == pieces[Int(byte / 16)], "seed \(seed)") }
        }
    }

    @Test("damaged control files are refused or give bytes within the file")
    func damaged() {
        let whole = Self.control([true, false, true], length: 40)
        for end in 0..<whole.count - 4 { #expect(Aria2ControlFile(Array(whole[..<end])) == nil) }
        #expect(Aria2ControlFile(Self.control([true], length: 16, version: 0)) == nil)
        #expect(Aria2ControlFile(Self.control([true, true], length: 16)) != nil)
        #expect(Aria2ControlFile(Self.control([Bool](repeating: true, count: 9), length: 16)) == nil)
        #expect(Aria2ControlFile(Self.control([true], length: 0)) == nil)
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var bytes = whole
            bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            if let control = Aria2ControlFile(bytes) {
                #expect(control.runs.allSatisfy { $0.upperBound <= control.length }, "seed \(seed)")
            }
        }
    }

    private static func segments(
        _ source: AdoptionPlan.Source,
        length: Int64,
        isVerified: Bool
    ) throws -> SegmentMap {
        try AdoptionPlan.segments(of: source, length: length, isVerified: isVerified)
    }

    @Test(
        "a file that was written in order counts to its end, which the server decides",
        arguments: [false, true]
    )
    func inOrder(isVerified: Bool) throws {
        let segments = try Self.segments(.inOrder, length: 100, isVerified: isVerified)
        #expect(segments.received == 100 && segments.durableBytes == 100 && segments.length == nil)
    }

    @Test("a file that has holes counts up to the first one", arguments: [false, true])
    func sparse(isVerified: Bool) throws {
        func segments(_ hole: Int64?, _ source: AdoptionPlan.Source = .inOrder) throws -> SegmentMap {
            try AdoptionPlan.segments(of: source, length: 100, firstHole: hole, isVerified: isVerified)
        }
        #expect(try segments(40).received == 40 && segments(nil).received == 100)
        #expect(throws: AdoptionPlan.Refusal.noBytes) { try segments(0) }
        // The control file says what counts. Bytes in gaps may have been written, and others not.
        let control = try #require(Aria2ControlFile(Self.control([true, true], length: 32)))
        #expect(try segments(0, .aria2(control)).received == 32)
    }

    @Test("a file that has nothing yet is taken over, and fetched from the start", arguments: [false, true])
    func nothingYet(isVerified: Bool) throws {
        let control = try #require(Aria2ControlFile(Self.control([false, false], length: 32)))
        let files: [(AdoptionPlan.Source, Int64)] = [(.inOrder, 0), (.part, 0), (.aria2(control), 32)]
        for (source, length) in files {
            let segments = try Self.segments(source, length: length, isVerified: isVerified)
            #expect(segments == SegmentMap(length: nil))
        }
    }

    @Test("a part file counts only if a digest decides")
    func part() throws {
        #expect(throws: AdoptionPlan.Refusal.needsDigest) {
            try Self.segments(.part, length: 9, isVerified: false)
        }
        #expect(try Self.segments(.part, length: 9, isVerified: true).received == 9)
    }

    @Test("behind the first gap, long runs count without a digest, and of too many the longest")
    func longRuns() throws {
        let piece = AdoptionPlan.leastRun
        func runs(_ pieces: [Bool], length: Int64, of pieceLength: Int64) throws -> [Range<Int64>] {
            let bytes = Self.control(pieces, length: length, piece: pieceLength)
            let control = try #require(Aria2ControlFile(bytes))
            let map = try Self.segments(.aria2(control), length: length, isVerified: false)
            return map.segments.map { $0.range.lowerBound..<$0.written }
        }
        let both = try runs([true, false, true, false, true], length: 4 * piece + 5, of: piece)
        #expect(both == [0..<piece, 2 * piece..<3 * piece], "a short last piece is not worth it")
        #expect(try runs([true, false, true], length: 3 * piece - 3, of: piece - 1) == [0..<piece - 1])
        let many = (0..<100).map { $0.isMultiple(of: 2) } + [true]
        let chosen = try runs(many, length: 101 * piece, of: piece)
        #expect(chosen.count == AdoptionPlan.mostRuns + 1 && chosen.first == 0..<piece)
        #expect(zip(chosen, chosen.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    }

    @Test("behind the first gap of aria2's file, short runs count only if a digest decides")
    func gaps() throws {
        let control = try #require(Aria2ControlFile(Self.control([true, false, true, true], length: 64)))
        let before = try Self.segments(.aria2(control), length: 64, isVerified: false)
        #expect(before.received == 16 && before.length == nil)
        let all = try Self.segments(.aria2(control), length: 64, isVerified: true)
        #expect(all.received == 48 && all.length == 64 && all.completePrefix == 16)
        #expect(throws: AdoptionPlan.Refusal.tooShort) {
            try Self.segments(.aria2(control), length: 63, isVerified: true)
        }
        let headless = try #require(Aria2ControlFile(Self.control([false, true], length: 32)))
        #expect(throws: AdoptionPlan.Refusal.noBytes) {
            try Self.segments(.aria2(headless), length: 32, isVerified: true)
        }
    }

    @Test("the first request reaches back over the bytes, without a condition")
    func overlap() throws {
        var progress = DownloadProgress()
        progress.segments = try Self.segments(.inOrder, length: 1_000_000, isVerified: false)
        let segment = try #require(progress.segments[0])
        let request = RangeRequest.resuming(segment, of: progress, server: ServerTraits(), strict: false)
        #expect(request.condition == .overlap(RangeRequest.overlapLength))
        #expect(request.from == 1_000_000 - RangeRequest.overlapLength)
    }
}
