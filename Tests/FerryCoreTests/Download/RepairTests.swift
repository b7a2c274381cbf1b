import Testing

@testable import FerryCore

/// A download begins from its URL alone, so that nothing records the source of its first bytes. Mirrors are added later.
@Suite("Wrong digests of bytes that have no record of their source")
struct RepairTests {
    private static let mirror = SourceID.mirror("https://mirror.example/f")
    private static let length: Int64 = 100

    /// A whole download from a URL and a mirror, in ten pieces.
    private func download(
        giving spans: [(Range<Int64>, SourceID?)],
        inPieces: Bool = false,
        isSealed: Bool = false
    ) throws -> Download {
        var options = DownloadOptions()
        if isSealed { options.recipients = ["age1"] }
        options.mirrors = [try HTTPURL(parsing: "https://mirror.example/f")]
        if inPieces { options.pieces = try pieces() }
        var progress = DownloadProgress()
        progress.segments = SegmentMap(having: [0..<Self.length], length: Self.length)
        for (range, source) in spans { progress.mirroring.provenance.note(range, from: source) }
        return try Download(options: options, progress: progress)
    }

    private func digest(_ digit: String) throws -> Checksum {
        try Checksum(parsing: "md5=" + String(repeating: digit, count: 32))
    }

    private func pieces() throws -> PieceDigests {
        let piece = try digest("1")
        return try #require(PieceDigests(length: 10, checksums: Array(repeating: piece, count: 10)))
    }

    @Test func theMirrorIsNotBlamedForAWholeThatTheLeadGaveToo() throws {
        var download = try download(giving: [(50..<100, Self.mirror)])
        let repair = download.repair(wrongWhole: try digest("2"), expected: try digest("1"))
        guard case .fetchAgain(let ranges, _, let culprits) = repair else {
            Issue.record("\(repair)")
            return
        }
        #expect(ranges == [50..<100] && culprits.isEmpty, "the lead's bytes are kept")
        #expect(download.progress.mirroring.isAlone)
    }

    @Test func theLeadIsBlamedForAWholeThatItGaveAlone() throws {
        for spans in [[], [(50..<100, .own)]] as [[(Range<Int64>, SourceID?)]] {
            var download = try download(giving: spans)
            let repair = download.repair(wrongWhole: try digest("2"), expected: try digest("1"))
            #expect(repair == .startOver(without: .own))
        }
    }

    @Test func aSealedFileOfTwoSourcesStartsOverOnceForEach() throws {
        var download = try download(giving: [(50..<100, Self.mirror)], isSealed: true)
        for round in 1...3 {
            let repair = download.repair(wrongWhole: try digest("2"), expected: try digest("1"))
            switch repair {
            case .replace(_, let culprits): #expect(round < 3 && culprits.isEmpty)
            case .fail(let problem): #expect(round == 3 && problem.failure.code == .checksumMismatch)
            default: Issue.record("\(repair)")
            }
        }
        #expect(download.progress.mirroring.isAlone)
    }

    @Test func aSealedFileStartsOverWithoutTheSourceOfAWrongPiece() throws {
        var download = try download(giving: [(0..<10, Self.mirror)], inPieces: true, isSealed: true)
        let whole = download.repair(wrongWhole: try digest("2"), expected: try digest("1"))
        #expect(whole == .findPieces(Self.length, wrongWhole: try digest("2")))
        let repair = download.repair(wrongPieces: [0], of: try pieces(), wrongWhole: nil)
        guard case .replace(_, let culprits) = repair else {
            Issue.record("\(repair)")
            return
        }
        #expect(culprits == [Self.mirror] && !download.progress.mirroring.isAlone)
    }

    /// The bytes of the first piece, and which source is excluded if it is wrong.
    @Test(
        arguments: [
            ([(5..<10, mirror)], nil), ([(0..<5, mirror)], nil), ([(0..<10, mirror)], mirror),
            ([(5..<10, .own)], .own), ([(0..<5, .own), (5..<10, mirror)], nil),
            // Another tool may have left them.
            ([], nil),
        ] as [([(Range<Int64>, SourceID?)], SourceID?)]
    )
    func onlyTheSourceThatGaveAllOfAPieceIsBlamed(
        spans: [(Range<Int64>, SourceID?)],
        culprit: SourceID?
    ) throws {
        var download = try download(giving: spans, inPieces: true)
        let repair = download.repair(wrongPieces: [0], of: try pieces(), wrongWhole: nil)
        guard case .fetchAgain(let ranges, _, let culprits) = repair else {
            Issue.record("\(repair)")
            return
        }
        #expect(ranges == [0..<10] && culprits == [culprit].compactMap { $0 })
        #expect(download.progress.mirroring.isAlone == (culprit == nil))
    }
}
