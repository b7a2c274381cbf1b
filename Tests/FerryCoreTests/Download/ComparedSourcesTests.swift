import HTTPTypes
import Testing

@testable import FerryCore

/// Two servers of one file whose digest no one knows: what is compared, and what is made of a difference.
@Suite("Two servers side by side without a digest")
struct ComparedSourcesTests {
    private static let mirror = "mirror.example"
    private static let mirrorID = SourceID.mirror("https://mirror.example/f")

    private static let date = "Sat, 01 Jan 2000 00:00:00 GMT"
    private static let otherDate = "Thu, 01 Jun 2000 00:00:00 GMT"

    private func download(
        from progress: DownloadProgress = DownloadProgress(),
        fields: HTTPFields = [:],
        sendsParts: Bool = true,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) throws -> DividedDownload {
        let url = try HTTPURL(parsing: "https://\(Self.mirror)/f")
        return try DividedDownload(
            length: 400_000_000,
            fields: fields,
            from: progress,
            sendsParts: sendsParts
        ) { options in
            options.mirrors = [url]
            options.connections = 4
            change(&options)
        }
    }

    /// What the mirror does about a request.
    private enum Answer {
        case part(tag: String?, date: String? = nil), status(Int)
    }

    /// Answers every request; the URL's own server sends the right parts, or the whole.
    private func answer(_ download: inout DividedDownload, mirror: Answer, leadSendsParts: Bool) {
        while let number = download.unanswered.first {
            switch mirror {
            case _ where download.host(of: number) != Self.mirror:
                download.answers(number, leadSendsParts ? 206 : 200)
            case .part(let tag, let date):
                let fields: HTTPFields = date.map { [.lastModified: $0] } ?? [:]
                download.answers(number, 206, tag: tag, fields: fields)
            case .status(let status): download.answers(number, status)
            }
        }
    }

    /// Lets bytes arrive until the file counts as whole, or `isEnough`.
    private func run(
        _ download: inout DividedDownload,
        mirror: Answer = .part(tag: "\"m1\""),
        differs: Bool = false,
        leadSendsParts: Bool = true,
        until isEnough: (DividedDownload) -> Bool = { _ in false }
    ) {
        for _ in 0..<1_000 where !download.isWhole && download.outcome == nil && !isEnough(download) {
            download.passes(.milliseconds(200))
            answer(&download, mirror: mirror, leadSendsParts: leadSendsParts)
            if differs { endComparisons(of: &download) }
        }
    }

    /// What the connections compare is not equal.
    private func endComparisons(of download: inout DividedDownload) {
        for number in download.writing where comparison(number, of: download) != nil {
            download.ends(number, .overlapDiffers)
        }
    }

    private func comparison(_ number: Int, of download: DividedDownload) -> Comparison? {
        download.machine.board.connections[DividedDownload.id(number)]?.comparison
    }

    private func givers(of download: DividedDownload) -> Set<SourceID?> {
        download.machine.progress.mirroring.provenance.sources(of: 0..<download.length)
    }

    /// The bodies that were only compared.
    private func comparisons(in download: DividedDownload) -> Int {
        download.log.count {
            if case .receive(_, _, let limit, let overlap) = $0 { limit == overlap } else { false }
        }
    }

    @Test func aLeadThatSendsNoPartsGivesTheWholeAloneInTheNextAttempt() throws {
        var first = try download()
        run(&first, leadSendsParts: false)
        let former = first.machine.progress
        let told = first.log.contains {
            if case .note(let note) = $0 { note.code == .bytesRefetched } else { false }
        }
        #expect(told && !first.isWhole && former.segments.received > 0)
        var second = try download(from: former, sendsParts: false)
        run(&second, leadSendsParts: false)
        #expect(second.isWhole && givers(of: second) == [.own])
        let isMirrorAsked = second.log.contains {
            switch $0 {
            case .connect(_, let request), .connectBeside(_, let request): request.mirror != nil
            default: false
            }
        }
        #expect(!isMirrorAsked)
    }

    @Test func bothGiveBytesAndAreComparedWhereTheseMeet() throws {
        var download = try download()
        run(&download)
        #expect(download.isWhole && givers(of: download) == [.own, Self.mirrorID])
        let review = JunctionReview(download.machine.download)
        #expect(review.open.isEmpty && review.doubtful.isEmpty)
        #expect(download.machine.progress.assurance == .overlapChecked)
        let compared = download.machine.progress.mirroring.compared
        #expect(!compared.isEmpty && comparisons(in: download) >= compared.count)
    }

    @Test func junctionsAreComparedWhileOtherBytesArrive() throws {
        var download = try download()
        run(&download) { comparisons(in: $0) > 0 }
        #expect(!download.machine.progress.segments.isComplete && !download.isWhole)
    }

    @Test func fewJunctionsAreMade() throws {
        var download = try download()
        run(&download)
        #expect(download.isWhole && comparisons(in: download) <= 4 * Int(PiecePlan.mostComparedPieces))
    }

    @Test(arguments: [nil, "W/\"m1\""])
    func aMirrorWithoutAStrongValidatorGivesNothingBesideTheLead(tag: String?) throws {
        var download = try download()
        run(&download, mirror: .part(tag: tag))
        #expect(download.isWhole && givers(of: download) == [.own])
        #expect(download.machine.progress.mirroring.excluded.isEmpty, "it may still take over")
    }

    /// The notes about the dates of sources.
    private func datesNoted(in download: DividedDownload) -> [String] {
        download.log.compactMap {
            if case .note(let note) = $0, note.code == .sourceHeldBack { note.message } else { nil }
        }
    }

    @Test func aMirrorOfAnotherDateIsAskedOnceAndGivesNothingBesideTheLead() throws {
        var download = try download(fields: [.lastModified: Self.date])
        run(&download, mirror: .part(tag: "\"m1\"", date: Self.otherDate))
        #expect(download.isWhole && givers(of: download) == [.own])
        #expect(download.machine.progress.mirroring.excluded.isEmpty, "it may still take over")
        let text =
            "Mirror https://mirror.example/f has another date (\(Self.otherDate), not \(Self.date)), "
            + "so it is asked only if the first server fails."
        #expect(datesNoted(in: download) == [text])
        let requests = download.log.count {
            if case .connectBeside(_, let request) = $0 { request.mirror != nil } else { false }
        }
        #expect(requests == 1)
    }

    @Test(arguments: [nil, date])
    func aMirrorOfTheSameDateOrWithoutOneGivesBytesBesideTheLead(date: String?) throws {
        var download = try download(fields: [.lastModified: Self.date])
        run(&download, mirror: .part(tag: "\"m1\"", date: date))
        #expect(download.isWhole && givers(of: download) == [.own, Self.mirrorID])
        #expect(datesNoted(in: download).isEmpty)
    }

    @Test func aMirrorOfAnotherDateTakesOverFromAServerThatFails() throws {
        var download = try download(fields: [.lastModified: Self.date])
        let mirror = Answer.part(tag: "\"m1\"", date: Self.otherDate)
        run(&download, mirror: mirror) { !datesNoted(in: $0).isEmpty }
        while let number = download.open.first(where: { download.host(of: $0) != Self.mirror }) {
            download.breaks(number)
        }
        run(&download, mirror: mirror)
        #expect(download.isWhole && givers(of: download) == [.own, Self.mirrorID])
        #expect(datesNoted(in: download).count == 1)
    }

    @Test func underStrictResumeTheMirrorIsNotAsked() throws {
        var download = try download { $0.strictResume = true }
        run(&download)
        #expect(download.isWhole && givers(of: download) == [.own])
        let requests = download.log.compactMap { action -> RangeRequest? in
            if case .connectBeside(_, let request) = action { request } else { nil }
        }
        #expect(!requests.isEmpty && requests.allSatisfy { $0.mirror == nil })
    }

    @Test func nothingOfAMirrorThatHasOtherBytesIsKept() throws {
        var download = try download()
        run(&download, differs: true)
        #expect(download.isWhole && givers(of: download) == [.own])
        #expect(download.machine.progress.mirroring.excluded == [Self.mirrorID: .bytes])
        let tag = download.machine.progress.validator.entityTag
        #expect(tag == EntityTag("\"v1\""), "the lead's file is kept")
    }

    @Test func nothingOfAMirrorWhoseFileHasChangedIsKept() throws {
        var download = try download()
        run(&download) { givers(of: $0).contains(Self.mirrorID) }
        #expect(!download.machine.progress.segments.isComplete)
        run(&download, mirror: .part(tag: "\"m2\""))
        #expect(download.isWhole && givers(of: download) == [.own])
        #expect(download.machine.progress.mirroring.excluded == [Self.mirrorID: .changed])
    }

    @Test func theOtherServerComparesForAMirrorThatIsGone() throws {
        var download = try download()
        run(&download) { givers(of: $0).contains(Self.mirrorID) }
        run(&download, mirror: .status(404))
        #expect(download.isWhole && givers(of: download) == [.own, Self.mirrorID])
        #expect(JunctionReview(download.machine.download).open.isEmpty)
        #expect(comparisons(in: download) > 0)
    }

    @Test func theNextProcessComparesWhatThisOneDidNot() throws {
        var former = try download()
        run(&former) { !JunctionReview($0.machine.download).open.isEmpty }
        let progress = former.machine.progress
        let open = JunctionReview(former.machine.download).open
        #expect(!open.isEmpty && !progress.segments.isComplete)
        var download = try download(from: progress)
        run(&download)
        #expect(download.isWhole && JunctionReview(download.machine.download).open.isEmpty)
        #expect(download.machine.progress.mirroring.compared.isSuperset(of: open))
    }

    @Test func theNextProcessKeepsNothingOfAMirrorThatHasOtherBytes() throws {
        var former = try download()
        run(&former) { !JunctionReview($0.machine.download).open.isEmpty }
        var download = try download(from: former.machine.progress)
        run(&download, differs: true)
        #expect(download.isWhole && givers(of: download) == [.own])
    }

    /// A download whose bytes are all there, of which nothing was compared.
    private func uncompared() throws -> DividedDownload {
        var former = try download()
        run(&former)
        var progress = former.machine.progress
        progress.mirroring.forgetComparisons()
        return try download(from: progress)
    }

    @Test func aServerThatIgnoresIfRangeComparesWithIfMatch() throws {
        var download = try uncompared()
        while !download.isWhole, download.outcome == nil, let number = download.unanswered.first {
            switch download.asked[DividedDownload.id(number)]?.condition {
            case _ where download.host(of: number) == Self.mirror: download.answers(number, 404)
            case .ifMatch?:
                download.proves(number)
                download.passes(.milliseconds(200))
            default: download.answers(number, 200)
            }
        }
        #expect(download.isWhole && givers(of: download) == [.own, Self.mirrorID])
        #expect(download.remembered?.lacksIfRange == true)
    }

    @Test func whatNoServerComparesIsFetchedAgain() throws {
        var download = try uncompared()
        #expect(!download.unanswered.isEmpty && givers(of: download).contains(Self.mirrorID))
        while download.outcome == nil, let number = download.unanswered.first {
            // The URL's own server sends the whole of the same version, but no part of it.
            download.answers(number, download.host(of: number) == Self.mirror ? 404 : 200)
        }
        // The bytes that are kept are synced before the attempt ends.
        download.hand(.synchronized)
        #expect(download.outcome != nil && !download.isWhole)
        #expect(!download.machine.progress.segments.isComplete && givers(of: download) == [.own])
    }

    @Test func aComparisonThatEndsEarlyProvesNothing() throws {
        var download = try download()
        run(&download) { candidate in
            candidate.writing.contains { comparison($0, of: candidate) != nil }
        }
        let number = try #require(download.writing.first { comparison($0, of: download) != nil })
        let junction = try #require(comparison(number, of: download)?.junction)
        download.ends(number, .complete)
        #expect(!download.machine.progress.mirroring.compared.contains(junction))
        run(&download)
        #expect(download.isWhole && JunctionReview(download.machine.download).open.isEmpty)
    }

    /// A download whose server gave the beginning and the end of the file, and cannot be asked any more.
    private func failedWithItsEnd() throws -> DividedDownload {
        var progress = try download().machine.progress
        let ends: [Range<Int64>] = [0..<100_000_000, 300_000_000..<400_000_000]
        progress.segments = SegmentMap(having: ends, length: 400_000_000)
        var download = try download(from: progress)
        download.breaks(1)
        return download
    }

    @Test func aMirrorThatTakesOverIsComparedAtTheEndOfItsBytesToo() throws {
        var download = try failedWithItsEnd()
        run(&download, mirror: .part(tag: nil))
        #expect(download.isWhole && givers(of: download).contains(Self.mirrorID))
        let compared = download.machine.progress.mirroring.compared.map(\.offset)
        #expect(compared.sorted() == [100_000_000, 300_000_000])
    }

    @Test func nothingOfAMirrorThatTookOverIsKeptIfTheEndOfItsBytesDiffers() throws {
        var download = try failedWithItsEnd()
        run(&download, mirror: .part(tag: nil), differs: true)
        #expect(!download.isWhole && !givers(of: download).contains(Self.mirrorID))
        #expect(download.machine.progress.mirroring.excluded == [Self.mirrorID: .bytes])
    }

    // MARK: The end of the file

    /// A download whose bytes are all there. The mirror gave its second half while the server could be asked, and was
    /// compared where this half begins.
    private func givenToTheEnd() throws -> DividedDownload {
        var former = try download()
        run(&former)
        var progress = former.machine.progress
        progress.mirroring.provenance = Provenance()
        progress.mirroring.provenance.note(0..<former.length / 2, from: .own)
        progress.mirroring.provenance.note(former.length / 2..<former.length, from: Self.mirrorID)
        progress.mirroring.sharing = [Self.mirrorID]
        progress.mirroring.forgetComparisons()
        progress.mirroring.note(
            compared: Junction(offset: former.length / 2, before: .own, after: Self.mirrorID)
        )
        return try download(from: progress)
    }

    @Test func aMirrorThatGivesBytesBesideTheServerIsRecorded() throws {
        var download = try download()
        run(&download) { givers(of: $0).contains(Self.mirrorID) }
        #expect(download.machine.progress.mirroring.sharing == [Self.mirrorID])
    }

    @Test func theServerComparesTheEndThatAMirrorGave() throws {
        var download = try givenToTheEnd()
        let number = try #require(download.unanswered.first)
        let request = try #require(download.asked[DividedDownload.id(number)])
        #expect(download.unanswered == [number] && request.mirror == nil)
        #expect(request.from == download.length - RangeRequest.overlapLength)
        #expect(request.upTo == download.length && !download.isWhole)
        run(&download)
        #expect(download.isWhole && givers(of: download) == [.own, Self.mirrorID])
    }

    @Test func nothingOfAMirrorWhoseFileEndsDifferentlyIsKept() throws {
        var download = try givenToTheEnd()
        let number = try #require(download.unanswered.first)
        download.proves(number)
        download.ends(number, .overlapDiffers)
        #expect(download.machine.progress.mirroring.excluded == [Self.mirrorID: .bytes])
        run(&download)
        #expect(download.isWhole && givers(of: download) == [.own])
    }

    @Test(arguments: [TransferFailure.Code.connectionRefused, .connectionLost, .timeout])
    func withoutTheServerTheEndThatAMirrorGaveDoesNotCount(code: TransferFailure.Code) throws {
        var download = try givenToTheEnd()
        download.breaks(try #require(download.unanswered.first), code)
        #expect(!download.isWhole && download.unanswered.isEmpty)
        #expect(download.machine.progress.segments.isComplete, "the next attempt only compares")
    }

    @Test func theMirrorGivesAllOnceTheServerThatWouldCompareIsGone() throws {
        var download = try givenToTheEnd()
        download.answers(try #require(download.unanswered.first), 404)
        let number = try #require(download.unanswered.last)
        #expect(download.host(of: number) == Self.mirror && !download.isWhole)
        #expect(download.machine.progress.segments.received == 0)
    }

    @Test func theEndIsFetchedAgainWithoutTheMirrorIfTheServerDoesNotSendIt() throws {
        var download = try givenToTheEnd()
        while download.outcome == nil, let number = download.unanswered.first {
            download.answers(number, 200)
        }
        #expect(!download.isWhole && givers(of: download) == [.own])
        #expect(!download.machine.progress.segments.isComplete)
    }
}
