import HTTPTypes
import Testing

@testable import FerryCore

/// What another tool fetched of a file of which no digest is known.
@Suite("The runs of an adopted file")
struct AdoptedRunsTests {
    private static let length: Int64 = 100_000_000
    private static let runs: [Range<Int64>] = [0..<20_000_000, 40_000_000..<60_000_000, 80_000_000..<length]

    /// A download that has taken over these runs, and whose server sends this entity tag.
    private func download(
        having runs: [Range<Int64>] = Self.runs,
        of otherTool: [Range<Int64>] = Self.runs,
        tag: String? = "\"v1\"",
        isKnown: Bool = false
    ) throws -> DividedDownload {
        var progress = DownloadProgress()
        progress.name = .fallback
        progress.segments = SegmentMap(having: runs, length: Self.length)
        progress.mirroring.noteOtherTool(otherTool)
        if isKnown { progress.validator = Validator([.eTag: "\"v1\""], receivedAt: .epoch) }
        progress.part = PartFileClaim(
            name: FileName.fallback.partName,
            identity: DownloadScenario.identity,
            boot: DownloadScenario.boot
        )
        progress.part?.adoption = PendingAdoption(name: .fallback, length: Self.length)
        return try DividedDownload(length: Self.length, tag: tag, from: progress)
    }

    /// Lets bytes arrive until the file counts as whole. What is compared differs if it has the byte at `wrong`.
    private func run(_ download: inout DividedDownload, tag: String? = "\"v1\"", wrong: Int64? = nil) {
        for _ in 0..<1_000 where !download.isWhole && download.outcome == nil && !isGivenBack(download) {
            download.passes(.milliseconds(200))
            for number in download.unanswered {
                let window = comparedBytes(number, of: download)
                download.answers(number, 206, tag: tag)
                if let wrong, window.contains(wrong) { download.ends(number, .overlapDiffers) }
            }
        }
    }

    /// The bytes of the other tool that a connection compares.
    private func comparedBytes(_ number: Int, of download: DividedDownload) -> Range<Int64> {
        guard let connection = download.machine.board.connections[DividedDownload.id(number)] else {
            return 0..<0
        }
        if let comparison = connection.comparison { return comparison.window }
        guard case .overlap(let length) = connection.request.condition else { return 0..<0 }
        return connection.request.from..<connection.request.from + length
    }

    private func isGivenBack(_ download: DividedDownload) -> Bool {
        download.log.contains { if case .giveBack = $0 { true } else { false } }
    }

    private func notes(of download: DividedDownload) -> [String] {
        download.log.compactMap { if case .note(let note) = $0 { note.message } else { nil } }
    }

    private func isOfOtherTool(_ download: DividedDownload) -> Bool {
        download.machine.progress.mirroring.provenance.sources(of: 0..<download.length).contains(.otherTool)
    }

    /// How many bytes are asked for to be written.
    private func fetched(_ download: DividedDownload) -> Int64 {
        download.log.reduce(0) { sum, action in
            guard case .receive(_, let offset, let limit, let overlap) = action, limit != overlap else {
                return sum
            }
            return sum + (limit ?? download.length - offset) - overlap
        }
    }

    @Test("count once they are equal at both ends and at places within", arguments: ["\"v1\"", nil])
    func counts(tag: String?) throws {
        var download = try download(tag: tag)
        run(&download, tag: tag)
        #expect(download.isWhole && isOfOtherTool(download))
        // Nine parts of 60 MB, and three in each run.
        let places = Self.runs.flatMap { run in
            [run.lowerBound, run.lowerBound + 6_666_666, run.lowerBound + 13_333_332, run.upperBound]
        }
        let mirroring = download.machine.progress.mirroring
        #expect(mirroring.compared.map(\.offset).sorted() == places)
        #expect(mirroring.placesOfOtherTool == places.count)
        #expect(JunctionReview(download.machine.download).open.isEmpty)
        #expect(download.machine.progress.assurance == .overlapChecked)
        if tag == nil { #expect(fetched(download) == 40_000_000) }
    }

    @Test(
        "are all fetched again, also those before the first gap, if one place is not equal",
        arguments: [0, 6_666_666, 13_333_332, 40_000_000, 46_666_666, 59_999_999, 99_999_999] as [Int64]
    )
    func differs(wrong: Int64) throws {
        var download = try download()
        run(&download, wrong: wrong)
        #expect(download.isWhole && !isOfOtherTool(download), "\(String(describing: download.outcome))")
        #expect(download.machine.progress.mirroring.excluded == [.otherTool: .bytes])
        let notes = notes(of: download)
        #expect(notes.contains { $0.hasPrefix("index.html has other bytes than the server in some places") })
        #expect(notes.contains { $0.contains("of another tool are fetched again") }, "\(notes)")
    }

    @Test("leave a note that they are fetched again, which stays when the download resumes")
    func noteStays() throws {
        var download = try download().machine.download
        _ = download.note(.bytesRefetched, "again")
        let shown = download.note(.resumed, "resumed")
        #expect(shown == .note(TransferNote(.resumed, "resumed")))
        #expect(download.progress.note == TransferNote(.bytesRefetched, "again"))
        _ = download.note(.startedOver, "anew")
        #expect(download.progress.note == TransferNote(.startedOver, "anew"))
    }

    @Test("of a tool that writes in order are fetched again if their beginning is not equal")
    func prefixDiffers() throws {
        let front = Array(Self.runs.prefix(1))
        var download = try download(having: front, of: front)
        run(&download, wrong: 0)
        #expect(download.isWhole && !isOfOtherTool(download), "\(String(describing: download.outcome))")
    }

    @Test("need no further comparison if the first request brings all of them again")
    func short() throws {
        let front: [Range<Int64>] = [0..<60_000]
        var download = try download(having: front, of: front)
        run(&download)
        #expect(download.isWhole && isOfOtherTool(download))
        #expect(download.machine.progress.mirroring.compared.map(\.offset) == [60_000])
    }

    /// The server's bytes before and after the comparison could be of two versions.
    @Test(
        "are given back if one place is not equal and the server gives no strong validator",
        arguments: [0, 59_999_999] as [Int64]
    )
    func differsWithoutAValidator(wrong: Int64) throws {
        var download = try download(tag: nil)
        run(&download, tag: nil, wrong: wrong)
        #expect(isGivenBack(download) && !download.isWhole)
    }

    @Test("are given back if they are all that there is", arguments: [true, false])
    func wholeFileDiffers(isKnown: Bool) throws {
        let whole = [0..<Self.length]
        var download = try download(having: whole, of: whole, isKnown: isKnown)
        run(&download, wrong: Self.length / 9)
        #expect(isGivenBack(download) && !download.isWhole)
        download.hand(.partRemoved)
        guard case .failed(let problem)? = download.outcome else {
            Issue.record("it does not fail")
            return
        }
        let message = problem.failure.message
        #expect(message.hasPrefix("Some bytes of index.html differ") && message.hasSuffix("was deleted."))
        #expect(problem.disposition == .permanent)
    }

    @Test("are given back if the first request shows that they are of another file")
    func otherFile() throws {
        let front = Array(Self.runs.prefix(1))
        var download = try download(having: front, of: front)
        download.ends(1, .overlapDiffers)
        #expect(isGivenBack(download) && download.machine.progress.mirroring.excluded.isEmpty)
    }

    @Test("are fetched in the next attempt if the server compares nothing")
    func notCompared() throws {
        var download = try download(having: [0..<Self.length], isKnown: true)
        while download.outcome == nil, let number = download.unanswered.first {
            download.answers(number, 200)
        }
        #expect(!download.isWhole && !isOfOtherTool(download) && !isGivenBack(download))
        #expect(!download.machine.progress.segments.isComplete)
        #expect(download.machine.progress.segments.received == 40_000_000)
    }

    @Test("are fetched if a digest that the server gives is wrong")
    func wrongDigest() throws {
        var download = try download(having: [0..<Self.length]).machine.download
        let digests = try ["1", "2"].map { try Checksum(parsing: "md5=" + String(repeating: $0, count: 32)) }
        let repair = download.repair(wrongWhole: digests[0], expected: digests[1])
        guard case .fetchAgain(let ranges, _, let culprits) = repair else {
            Issue.record("\(repair)")
            return
        }
        #expect(ranges == Self.runs && culprits.isEmpty)
        let whole = [0..<Self.length]
        var other = try self.download(having: whole, of: whole).machine.download
        let failure = other.repair(wrongWhole: digests[0], expected: digests[1])
        guard case .fail = failure else {
            Issue.record("\(failure)")
            return
        }
    }

    @Test("cast no doubt on a download, and belong to no mirror")
    func noMirror() {
        var mirroring = Mirroring()
        mirroring.noteOtherTool([10..<20])
        #expect(!mirroring.usesMirrors(besides: []) && !mirroring.isDiscovered(.otherTool))
    }
}
