import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// A body that comes in a content coding: decoded, never continued, and never half believed.
@Suite("An answer in a content coding")
struct EncodedBodyTests {
    private typealias Machine = DownloadMachine
    private static let gzip: HTTPFields = [.contentEncoding: "gzip"]
    private static let first = ConnectionID(rawValue: 1)

    private func progress(received: Int64, length: Int64? = nil) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: length)
        progress.segments.advance(0, writtenTo: received)
        progress.validator = Validator([.eTag: "\"v1\""], receivedAt: .epoch)
        progress.contentCoding = "gzip"
        progress.isDecoded = true
        progress.part = PartFileClaim(
            name: .fallback,
            identity: DownloadScenario.identity,
            boot: DownloadScenario.boot
        )
        return progress
    }

    @Test func itIsDecodedAndItsLengthIsNotThatOfTheFile() throws {
        let download = try DividedDownload(length: 1000, fields: Self.gzip)
        let orders = download.log.compactMap { action -> String? in
            switch action {
            case .decode(Self.first, .gzip): "decode"
            case .receive(Self.first, at: 0, limit: nil, comparing: 0): "receive"
            case .reserve: "reserve"
            default: nil
            }
        }
        #expect(orders == ["decode", "receive"])
        let progress = download.machine.progress
        #expect(progress.isDecoded && progress.segments.length == nil)
    }

    @Test func whatItSaysOfItsBytesIsNotOfTheFile() throws {
        var fields = Self.gzip
        fields[HTTPField.Name("Repr-Digest")!] = "sha-256=:\(String(repeating: "A", count: 43))=:"
        let decoded = try DividedDownload(length: 1000, fields: fields)
        #expect(decoded.machine.progress.volunteered == nil)
        fields[.contentType] = "application/gzip"
        let kept = try DividedDownload(length: 1000, fields: fields)
        #expect(kept.machine.progress.volunteered != nil && !kept.machine.progress.isDecoded)
        #expect(kept.machine.progress.segments.length == 1000)
    }

    @Test func whatWasCutIsFetchedAnewAndThatIsSaid() throws {
        let download = try DividedDownload()
        var machine = Machine(
            download.machine.specification,
            from: progress(received: 400),
            boot: DownloadScenario.boot,
            at: .epoch
        )
        let actions = machine.handle(.begin, at: .epoch)
        #expect(
            actions.contains {
                if case .note(let note) = $0 { note.code == .startedOver } else { false }
            }
        )
        let entry = FileSurvey.Entry(identity: DownloadScenario.identity, length: 400, kind: .file)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: entry)), at: .epoch)
        let asked = machine.handle(.partReady(DownloadScenario.identity), at: .epoch)
        #expect(asked.contains(.connect(Self.first, .whole)) && machine.progress.segments.received == 0)
    }

    @Test func aMirrorIsAskedForTheWholeWhenItBreaksOff() throws {
        let mirror = try HTTPURL(parsing: "http://mirror.example/f")
        var download = try DividedDownload(length: 1000, fields: Self.gzip) { $0.mirrors = [mirror] }
        download.hand(.advanced([Self.first: 400]))
        try #require(download.machine.progress.segments.received == 400)
        download.breaks(1)
        #expect(download.outcome == nil && download.open == [2] && download.host(of: 2) == "mirror.example")
        #expect(download.asked[DividedDownload.id(2)]?.isWhole == true)
        #expect(download.machine.progress.segments.received == 0)
        #expect(
            download.machine.progress.note?.message.hasPrefix("Starting over from mirror.example: ") == true
        )
        download.answers(2, 200)
        download.hand(.advanced([DividedDownload.id(2): 500]))
        #expect(download.machine.progress.segments.received == 500)
    }

    @Test func withoutAMirrorTheAttemptEndsWhenItBreaksOff() throws {
        var download = try DividedDownload(length: 1000, fields: Self.gzip)
        download.hand(.advanced([Self.first: 400]))
        download.breaks(1)
        guard case .failed(let problem)? = download.outcome else {
            Issue.record("\(download.log)")
            return
        }
        #expect(problem.failure.code == .connectionLost)
    }

    /// Nothing is resumed when it has its name back.
    @Test func aPartThatWasRenamedIsNotToBeRenamedBack() throws {
        let download = try DividedDownload()
        var specification = download.machine.specification
        specification.destination = .file(directory: "/d", name: .fallback)
        var machine = Machine(
            specification,
            from: progress(received: 400),
            boot: DownloadScenario.boot,
            at: .epoch
        )
        _ = machine.handle(.begin, at: .epoch)
        let entry = FileSurvey.Entry(identity: DownloadScenario.identity, length: 400, kind: .file)
        let actions = machine.handle(.surveyed(FileSurvey(final: entry, part: nil)), at: .epoch)
        guard case .finish(.failed(let problem), _)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(problem.failure.code == .destinationExists)
        #expect(problem.failure.message.contains("It cannot be resumed"))
        #expect(problem.failure.remedies == [.moveAway, .fetchAgain, .overwrite])
    }

    @Test func whatWasWholeIsVerifiedAfterACrash() throws {
        let download = try DividedDownload()
        var machine = Machine(
            download.machine.specification,
            from: progress(received: 400, length: 400),
            boot: DownloadScenario.boot,
            at: .epoch
        )
        _ = machine.handle(.begin, at: .epoch)
        #expect(machine.progress.segments.isComplete)
    }

    @Test func aPowerCutThatTookBytesOfTheWholeIsNotMadeUpForByRanges() {
        let damaged = progress(received: 400, length: 1000)
        let request = RangeRequest.resuming(
            damaged.segments.segments[0],
            of: damaged,
            server: ServerTraits(),
            strict: false
        )
        #expect(request == .whole)
        let judge = ResponseJudge(known: damaged, specification: Answers.specification(DownloadOptions()))
        let verdict = judge.judge(
            ResponseFacts(200, Self.gzip, length: 77),
            to: .whole,
            segment: damaged.segments.segments[0]
        )
        #expect(Answers.Verdict(verdict) == .startOver(.rangesUnsupported))
    }

    @Test func aStreamThatWasCutDoesNotBeginAgainBehindWhatWasWritten() throws {
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://objects.example/f"),
            destination: .standardOutput
        )
        var machine = Machine(
            specification,
            from: progress(received: 400),
            boot: DownloadScenario.boot,
            at: .epoch
        )
        let actions = machine.handle(.begin, at: .epoch)
        guard case .finish(.failed(let problem), _)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(problem.failure.code == .cannotResume)
    }

    @Test func aCodingThatCannotBeUndoneEndsItBeforeAnythingIsMade() throws {
        let download = try DividedDownload(length: 1000, fields: [.contentEncoding: "br"])
        guard case .failed(let problem)? = download.outcome else {
            Issue.record("\(download.log)")
            return
        }
        #expect(problem.failure.message.contains("'br'") && problem.disposition == .permanent)
        #expect(!download.log.contains { if case .createPart = $0 { true } else { false } })
    }
}
