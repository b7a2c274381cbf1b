import HTTPTypes
import Testing

@testable import FerryCore

@Suite("Where the bytes of several sources meet")
struct JunctionReviewTests {
    private static let first = SourceID.mirror("https://a.example/f")
    private static let second = SourceID.mirror("https://b.example/f")
    private static let mebibyte: Int64 = 1 << 20

    /// A download of 10 MiB from a URL and two mirrors, all of whose bytes were received.
    private func download(
        giving spans: [(Range<Int64>, SourceID?)],
        _ change: (inout DownloadProgress) -> Void = { _ in }
    ) throws -> Download {
        var options = DownloadOptions()
        options.mirrors = [
            try HTTPURL(parsing: "https://a.example/f"), try HTTPURL(parsing: "https://b.example/f"),
        ]
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: 10 * Self.mebibyte)
        progress.segments.advance(0, writtenTo: 10 * Self.mebibyte)
        for (range, source) in spans {
            progress.mirroring.provenance.note(
                range.lowerBound * Self.mebibyte..<range.upperBound * Self.mebibyte,
                from: source
            )
        }
        for source in [Self.first, Self.second] {
            let validator = Validator([.eTag: "\"m\""], receivedAt: .epoch)
            progress.mirroring.versions[source] = Mirroring.Version(validator: validator)
        }
        change(&progress)
        return try Download(options: options, progress: progress)
    }

    private func junction(_ place: Int64, _ before: SourceID, _ after: SourceID) -> Junction {
        Junction(offset: place * Self.mebibyte, before: before, after: after)
    }

    @Test func bytesWithoutARecordAreTheLeads() throws {
        let review = JunctionReview(try download(giving: [(2..<3, Self.first), (3..<4, .own)]))
        #expect(review.runs.map(\.source) == [.own, Self.first, .own])
        #expect(review.open == [junction(2, .own, Self.first), junction(3, Self.first, .own)])
        #expect(review.doubtful.isEmpty)
    }

    @Test func whatWasComparedIsNotOpen() throws {
        let review = JunctionReview(
            try download(giving: [(2..<3, Self.first), (3..<4, Self.second)]) {
                $0.mirroring.note(compared: junction(2, .own, Self.first))
                $0.mirroring.note(compared: junction(3, .own, Self.second))
            }
        )
        let open = [junction(3, Self.first, Self.second), junction(4, Self.second, .own)]
        #expect(review.open == open, "a comparison of other sources proves nothing")
    }

    @Test(arguments: [true, false])
    func theLeadComparesTheEndsOfTheFileForAMirrorThatGaveBytesBesideIt(isBeside: Bool) throws {
        let review = JunctionReview(
            try download(giving: [(0..<2, Self.first), (8..<10, Self.first)]) {
                if isBeside { $0.mirroring.sharing = [Self.first] }
            }
        )
        let inner = [junction(2, Self.first, .own), junction(8, .own, Self.first)]
        let (begin, end) = (junction(0, .own, Self.first), junction(10, Self.first, .own))
        #expect(review.open == (isBeside ? [begin] + inner + [end] : inner))
        guard isBeside else { return }
        let length = RangeRequest.overlapLength
        let first = Comparison(junction: begin, source: .own, window: 0..<length)
        let last = Comparison(junction: end, source: .own, window: end.offset - length..<end.offset)
        #expect(review.comparisons(of: begin) == [first] && review.comparisons(of: end) == [last])
        #expect(review.isOfLead(begin) && review.isOfLead(end) && !inner.contains { review.isOfLead($0) })
        #expect(review.ranges(at: [end]) == [8 << 20..<10 << 20])
    }

    @Test func anEndThatWasComparedOrHasNotArrivedIsNotOpen() throws {
        let compared = try download(giving: [(8..<10, Self.first)]) {
            $0.mirroring.sharing = [Self.first]
            $0.mirroring.note(compared: junction(10, Self.first, .own))
        }
        #expect(JunctionReview(compared).open == [junction(8, .own, Self.first)])
        let partial = try download(giving: [(8..<10, Self.first)]) {
            $0.mirroring.sharing = [Self.first]
            $0.segments = SegmentMap(having: [0..<(9 << 20)], length: 10 << 20)
        }
        #expect(JunctionReview(partial).open == [junction(8, .own, Self.first)])
    }

    @Test func bytesThatDoNotTouchMeetNowhere() throws {
        let download = try download(giving: [(2..<3, Self.first)]) { progress in
            progress.segments = SegmentMap(having: [0..<100, 2 << 20..<3 << 20], length: 10 << 20)
        }
        let review = JunctionReview(download)
        #expect(review.open.isEmpty && review.runs.map(\.source) == [.own, Self.first])
    }

    @Test func bytesThatAFormerMirrorHasLostAreTheLeadsOnceItGivesThem() throws {
        let before = try download(giving: [(2..<5, Self.first)]) { progress in
            progress.segments = SegmentMap(length: 10 << 20)
            progress.segments.advance(0, writtenTo: 3 << 20)
        }
        // The mirrors were removed meanwhile.
        var specification = before.specification
        specification.options.mirrors = []
        var download = Download(specification: specification, progress: before.progress, now: .epoch)
        let request = RangeRequest(from: 3 << 20, upTo: nil, condition: .none)
        download.advance(OpenConnection(.segment(0), request, from: .own, at: .epoch), to: 5 << 20)
        #expect(JunctionReview(download).open.map(\.offset) == [2 << 20, 3 << 20])
    }

    @Test func theSourceOfBytesThatAreNotThereDoesNotCount() throws {
        let download = try download(giving: [(2..<5, Self.first)]) { progress in
            progress.segments = SegmentMap(having: [0..<(3 << 20)], length: 10 << 20)
        }
        #expect(JunctionReview(download).runs.map(\.range) == [0..<(2 << 20), 2 << 20..<3 << 20])
    }

    @Test(arguments: [Mirroring.Exclusion.bytes, .length, .changed, .digest])
    func noByteOfAnExcludedSourceCounts(reason: Mirroring.Exclusion) throws {
        let review = JunctionReview(
            try download(giving: [(2..<3, Self.first), (3..<4, Self.second), (6..<7, Self.first)]) {
                progress in
                progress.mirroring.excluded[Self.first] = reason
                progress.mirroring.note(compared: junction(6, .own, Self.first))
                progress.mirroring.note(compared: junction(7, Self.first, .own))
            }
        )
        #expect(review.doubtful == [2 << 20..<3 << 20, 6 << 20..<7 << 20])
        #expect(review.open == [junction(4, Self.second, .own)])
    }

    @Test func bytesOfAnUnknownSourceOrAForgottenVersionAreDoubtful() throws {
        let review = JunctionReview(
            try download(giving: [(2..<3, nil), (5..<6, Self.first)]) {
                $0.mirroring.versions[Self.first] = nil
            }
        )
        #expect(review.doubtful == [2 << 20..<3 << 20, 5 << 20..<6 << 20])
    }

    @Test func theLeadsBytesAreNeverDoubtful() throws {
        let review = JunctionReview(
            try download(giving: [(2..<3, .own)]) { $0.mirroring.excluded[.own] = .length }
        )
        #expect(review.doubtful.isEmpty)
    }

    @Test func eitherSideComparesUpToTheLengthOfAnOverlap() throws {
        let review = JunctionReview(try download(giving: [(2..<3, Self.first)]))
        let (meeting, length) = (junction(2, .own, Self.first), RangeRequest.overlapLength)
        let before = meeting.offset - length..<meeting.offset
        let after = meeting.offset..<meeting.offset + length
        let expected = [
            Comparison(junction: meeting, source: Self.first, window: before),
            Comparison(junction: meeting, source: .own, window: after),
        ]
        #expect(review.comparisons(of: meeting) == expected && expected.allSatisfy(\.isFull))
    }

    @Test func theSideWithMoreBytesIsComparedFirst() throws {
        let download = try download(giving: []) { progress in
            progress.mirroring.provenance.note(0..<100, from: Self.first)
        }
        let review = JunctionReview(download)
        let meeting = Junction(offset: 100, before: Self.first, after: .own)
        #expect(review.open == [meeting])
        let comparisons = review.comparisons(of: meeting)
        #expect(comparisons.map(\.source) == [Self.first, .own])
        #expect(comparisons.map(\.isFull) == [true, false] && comparisons.last?.window == 0..<100)
    }

    @Test(
        "an overlap counts as a comparison only at full length, or from the beginning of the file",
        arguments: [
            (mebibyte, RangeRequest.overlapLength, true), (mebibyte, 10, false),
            (10, 10, true), (10, 9, false),
        ] as [(Int64, Int64, Bool)]
    )
    func shortOverlapsProveLess(offset: Int64, overlap: Int64, isProof: Bool) throws {
        var download = try download(giving: [])
        let request = RangeRequest(from: offset - overlap, upTo: nil, condition: .overlap(overlap))
        var connection = OpenConnection(.segment(0), request, from: Self.first, at: .epoch)
        let unproved = OpenConnection.Unproved(
            version: Mirroring.Version(),
            announcement: TransferNote(.resumed, "The last bytes are the same there.")
        )
        connection.body = .arriving(from: offset, unproved: unproved)
        _ = download.prove(&connection, at: offset)
        let meeting = Junction(offset: offset, before: .own, after: Self.first)
        #expect(download.progress.mirroring.compared == (isProof ? [meeting] : []))
    }

    @Test(arguments: 1...4)
    func noMoreConnectionsCompareThanTheUserAllows(most: Int) throws {
        let download = try download(giving: [(2..<3, Self.first), (5..<6, Self.second)])
        let review = JunctionReview(download)
        var board = ConnectionBoard(
            pieces: PiecePlan(most: most, smallestPiece: 1),
            sources: SourceBoard(lead: ServerTraits())
        )
        let actions = board.compareAll(review.open, of: review, download)
        #expect(actions.count == min(most, 3), "at most one for each of three sources")
    }

    /// A board whose lead and first mirror have brought this many bytes in a second.
    private func board(lead: Int64?, mirror: Int64?) -> ConnectionBoard {
        var connections = ConnectionSet()
        var board = ConnectionBoard(
            pieces: PiecePlan(most: 4, smallestPiece: 1),
            sources: SourceBoard(lead: ServerTraits())
        )
        for (source, bytes) in [(SourceID.own, lead), (Self.first, mirror)] {
            guard let bytes else { continue }
            let request = RangeRequest(from: 0, upTo: nil, condition: .none)
            var connection = OpenConnection(.segment(0), request, from: source, at: .epoch)
            connection.body = .arriving(from: 0, unproved: nil)
            let id = connections.open(connection)
            connections.sample([id: 0], at: .epoch)
            connections.sample([id: bytes], at: .epoch.advanced(by: .seconds(1)))
        }
        board.sources.noteSpeeds(of: connections, at: .epoch.advanced(by: .seconds(1)))
        return board
    }

    @Test(
        "of two sources that can prove the same, a much faster one compares",
        arguments: [
            (nil, nil, false, true), (1_000, nil, false, true), (nil, 1_000, false, true),
            (1_000_000, 2_000_000, false, true), (2_000_000, 20_000, false, true),
            (20_000, 2_000_000, false, false), (0, 2_000_000, false, false), (0, 0, false, true),
            (2_000_000, 20_000, true, true), (20_000, 2_000_000, true, true),
        ] as [(Int64?, Int64?, Bool, Bool)]
    )
    func theFasterCompares(lead: Int64?, mirror: Int64?, isShort: Bool, isOfLead: Bool) throws {
        // The beginning that the lead gave may be shorter than an overlap, so the mirror would compare less than the lead.
        let given = isShort ? 1_000..<10 * Self.mebibyte : 0..<2 * Self.mebibyte
        let download = try download(giving: []) {
            $0.mirroring.provenance.note(given, from: Self.first)
        }
        let review = JunctionReview(download)
        let meeting = try #require(review.open.first)
        // The source on each side of a junction gives again what the other one gave.
        let able = review.comparisons(of: meeting)
        #expect(able.map(\.source).contains(.own) && able.count == 2)
        var board = board(lead: lead, mirror: mirror)
        let actions = board.compareAll([meeting], of: review, download)
        guard case .connect(_, let request)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect((request.mirror == nil) == isOfLead)
    }

    @Test func theLeadComparesAlsoWithinTheBytesOfAnotherTool() throws {
        let (length, most) = (10 * Self.mebibyte, RangeRequest.overlapLength)
        let review = JunctionReview(
            try download(giving: []) { $0.mirroring.noteOtherTool([0..<length]) }
        )
        let within = review.open.filter { $0.before == $0.after }
        let offsets: [Int64] = (1...8).map { length / 9 * $0 }
        #expect(within.map(\.offset) == offsets)
        #expect(review.open.count == 10 && review.open.allSatisfy { review.isOfLead($0) })
        for junction in within {
            let window = junction.offset..<junction.offset + most
            let comparison = Comparison(junction: junction, source: .own, window: window)
            #expect(review.comparisons(of: junction) == [comparison])
            #expect(review.ranges(at: [junction]) == [0..<length])
        }
    }

    @Test(arguments: 1...9 as ClosedRange<Int64>)
    func shortRunsOfAnotherToolAreComparedAtTheirEndsOnly(runs: Int64) throws {
        let step = 10 * Self.mebibyte / runs
        let ranges = (0..<runs).map { $0 * step..<$0 * step + step / 2 }
        let review = JunctionReview(try download(giving: []) { $0.mirroring.noteOtherTool(ranges) })
        let within = review.open.filter { $0.before == $0.after }
        #expect(within.count <= 8 && within.isEmpty == (step / 2 < 2 * Self.mebibyte))
        for junction in within {
            #expect(ranges.contains { $0.contains(junction.offset) && $0.contains(junction.offset + 65_535) })
        }
    }

    @Test(arguments: [65_536, 65_537] as [Int64])
    func theBeginningOfAnotherToolsRunIsComparedUnlessItsEndReachesBackToIt(length: Int64) throws {
        let review = JunctionReview(try download(giving: []) { $0.mirroring.noteOtherTool([0..<length]) })
        #expect(review.open.map(\.offset) == (length > 65_536 ? [0, length] : [length]))
    }

    @Test func onlyWhatIsNotTheLeadsIsFetchedAgain() throws {
        let review = JunctionReview(
            try download(giving: [(2..<3, Self.first), (3..<4, Self.second), (6..<7, Self.first)])
        )
        let ranges = review.ranges(at: [junction(3, Self.first, Self.second)])
        #expect(ranges == [2 << 20..<3 << 20, 3 << 20..<4 << 20])
    }
}

extension Download {
    /// A download of `https://own.example/f` to a file.
    init(options: DownloadOptions, progress: DownloadProgress) throws {
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://own.example/f"),
            destination: .file(directory: "/d", name: .fallback),
            options: options
        )
        self.init(specification: specification, progress: progress, now: .epoch)
    }
}
