import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// A server whose parts cannot be used gives the whole in the end, and nothing is dropped before that has come.
@Suite("Parts that cannot be used")
struct RefusedPartTests {
    private typealias Machine = DownloadMachine
    private static let place = FilePlace(directory: "/d", name: .fallback)
    private static let identity = FileIdentity(device: 1, inode: 2)

    /// An attempt with 400 of 1000 bytes and an open first connection, after this many parts were refused. Returns its last
    /// actions as well.
    private func attempt(
        refused: Int,
        isStream: Bool = false,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) throws -> (machine: Machine, actions: [DownloadAction]) {
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: 1000)
        progress.segments.advance(0, writtenTo: 400)
        progress.validator = Validator([.eTag: "\"v1\""], receivedAt: .epoch)
        progress.refusedParts = refused
        if !isStream {
            progress.part = PartFileClaim(
                name: Self.place.part,
                identity: Self.identity,
                boot: DownloadScenario.boot
            )
        }
        var options = DownloadOptions()
        change(&options)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: isStream ? .standardOutput : .file(directory: "/d", name: Self.place.name),
            options: options
        )
        var machine = Machine(specification, from: progress, boot: DownloadScenario.boot, at: .epoch)
        let begun = machine.handle(.begin, at: .epoch)
        guard !isStream else { return (machine, begun) }
        let entry = FileSurvey.Entry(identity: Self.identity, length: 400, kind: .file)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: entry)), at: .epoch)
        let opened = machine.handle(.partReady(Self.identity), at: .epoch)
        return (machine, opened)
    }

    private func id(_ number: Int) -> ConnectionID { ConnectionID(rawValue: number) }

    /// Answers that cannot be used for the rest of a file of 1000 bytes of which 400 are there.
    private var useless: [ResponseFacts] {
        [
            ResponseFacts(206, [.contentRange: "bytes 400-999/1000", .contentEncoding: "gzip"], length: 600),
            ResponseFacts(206, [.contentRange: "bytes 401-999/1000"], length: 599),
            ResponseFacts(206, [.contentRange: "bytes 400-999/2000"], length: 600),
            ResponseFacts(206, [:], length: 600),
            ResponseFacts(200, [.contentRange: "bytes 400-999/1000"], length: 600),
            ResponseFacts(200, [:], length: 900),
        ]
    }

    private func asksForWhole(_ actions: [DownloadAction]) -> Bool {
        actions.contains {
            if case .connect(_, let request) = $0 { request == .whole } else { false }
        }
    }

    private func requests(_ actions: [DownloadAction]) -> [RangeRequest] {
        actions.compactMap { if case .connect(_, let request) = $0 { request } else { nil } }
    }

    @Test func afterOneTheSamePartIsAskedForOnceMoreAndTheBytesAreKept() throws {
        for facts in useless {
            var (machine, begun) = try attempt(refused: 0)
            let actions = machine.handle(.head(id(1), facts), at: .epoch)
            #expect(requests(actions).count == 1 && requests(actions) == requests(begun))
            #expect(!machine.stage.isStopping)
            #expect(machine.progress.refusedParts == 1 && machine.progress.segments.received == 400)
        }
    }

    @Test func afterTwoInOneAttemptTheWholeIsAskedFor() throws {
        for facts in useless {
            var (machine, _) = try attempt(refused: 0)
            _ = machine.handle(.head(id(1), facts), at: .epoch)
            _ = machine.handle(.connectionEnded(id(1), at: nil, .disconnected), at: .epoch)
            let actions = machine.handle(.head(id(2), facts), at: .epoch)
            #expect(asksForWhole(actions) && machine.progress.segments.received == 400)
        }
    }

    @Test func aRightPartAfterAnUnusableOneIsTaken() throws {
        for facts in useless {
            var (machine, _) = try attempt(refused: 0)
            _ = machine.handle(.head(id(1), facts), at: .epoch)
            _ = machine.handle(.connectionEnded(id(1), at: nil, .disconnected), at: .epoch)
            let part = ResponseFacts(206, [.contentRange: "bytes 400-999/1000"], length: 600)
            let actions = machine.handle(.head(id(2), part), at: .epoch)
            #expect(actions.contains(.receive(id(2), at: 400, limit: 600, comparing: 0)))
            #expect(machine.progress.refusedParts == 0 && machine.progress.segments.received == 400)
        }
    }

    /// The bytes of one version never follow those of another, even if both answers lie alike.
    @Test func aWholeThatSaysItIsAPartReplacesWhatIsThere() throws {
        for status in [200, 206] {
            var (machine, _) = try attempt(refused: 2)
            let whole = ResponseFacts(status, [.contentRange: "bytes 0-999/1000"], length: 1000)
            let actions = machine.handle(.head(id(1), whole), at: .epoch)
            #expect(actions.contains(.replacePart(Self.place, Self.identity)))
            #expect(machine.progress.segments.received == 0 && machine.progress.segments.length == 1000)
        }
    }

    @Test func aWholeThatSaysItIsAPartBeginsADownload() throws {
        for status in [200, 206] {
            var machine = try Machine.begun(to: .standardOutput)
            let whole = ResponseFacts(status, [.contentRange: "bytes 0-999/1000"], length: 1000)
            let actions = machine.handle(.head(id(1), whole), at: .epoch)
            #expect(actions.contains(.receive(id(1), at: 0, limit: 1000, comparing: 0)), "\(actions)")
        }
    }

    @Test func theSecondIsFollowedByARequestForTheWholeAndNothingIsDroppedForIt() throws {
        for facts in useless {
            var (machine, _) = try attempt(refused: 1)
            let actions = machine.handle(.head(id(1), facts), at: .epoch)
            #expect(asksForWhole(actions) && machine.progress.segments.received == 400)
            #expect(machine.progress.note?.code == .wholeRequested)
        }
    }

    @Test(arguments: [1000 as Int64, 900], [false, true])
    func theWholeTakesThePlaceOfWhatIsThere(length: Int64, isStrict: Bool) throws {
        var (machine, actions) = try attempt(refused: 2) { $0.strictResume = isStrict }
        try #require(asksForWhole(actions))
        actions = machine.handle(.head(id(1), ResponseFacts(200, length: length)), at: .epoch)
        #expect(actions.contains(.replacePart(Self.place, Self.identity)))
        #expect(machine.progress.segments.received == 0 && machine.progress.segments.length == length)
        // If it breaks off, the server gets one chance to send a part.
        #expect(machine.progress.refusedParts == 1)
        #expect(machine.progress.note?.code == .startedOver)
        if length == 1000 { #expect(machine.progress.note?.message.contains("cannot resume") == true) }
    }

    /// Parts of it would be refused again, and it would be dropped for them without end.
    @Test func theWholeIsNotDividedIntoParts() throws {
        for refused in [1, 2] {
            var (machine, _) = try attempt(refused: refused)
            var whole = id(1)
            if refused == 1 {
                _ = machine.handle(.head(whole, useless[0]), at: .epoch)
                _ = machine.handle(.connectionEnded(whole, at: nil, .disconnected), at: .epoch)
                whole = id(2)
            }
            _ = machine.handle(.head(whole, ResponseFacts(200, length: 1 << 30)), at: .epoch)
            _ = machine.handle(.partReady(Self.identity), at: .epoch)
            _ = machine.handle(.partNamed, at: .epoch)
            let received = machine.handle(.reserved, at: .epoch)
            #expect(received.contains(.receive(whole, at: 0, limit: 1 << 30, comparing: 0)), "\(received)")
            for second in 1...60 {
                let moment = Instant.epoch.advanced(by: .seconds(second))
                let actions = machine.handle(.sampled([whole: Int64(second) << 20]), at: moment)
                #expect(!actions.contains { if case .connect = $0 { true } else { false } }, "\(actions)")
            }
        }
    }

    @Test(arguments: [206, 404, 503])
    func nothingIsDroppedForAWholeThatDoesNotCome(status: Int) throws {
        var (machine, _) = try attempt(refused: 2)
        _ = machine.handle(.head(id(1), ResponseFacts(status, length: 1000)), at: .epoch)
        #expect(machine.stage.isStopping && machine.progress.segments.received == 400)
        #expect(machine.progress.refusedParts == 2)
    }

    @Test func aPartThatIsOfUseEndsTheCount() throws {
        var (machine, _) = try attempt(refused: 1)
        let part = ResponseFacts(206, [.contentRange: "bytes 400-999/1000"], length: 600)
        let actions = machine.handle(.head(id(1), part), at: .epoch)
        #expect(actions.contains(.receive(id(1), at: 400, limit: 600, comparing: 0)))
        #expect(machine.progress.refusedParts == 0)
    }

    /// Where nothing may be dropped, or the bytes were written to a stream.
    @Test(arguments: [(.keep, false), (.fail, false), (.automatic, true)] as [(ChangePolicy, Bool)])
    func whereBytesAreNeverDroppedOnlyPartsAreAskedFor(policy: ChangePolicy, isStream: Bool) throws {
        var (machine, actions) = try attempt(refused: 5, isStream: isStream) { $0.onChange = policy }
        #expect(!asksForWhole(actions))
        actions = machine.handle(.head(id(1), useless[0]), at: .epoch)
        #expect(!asksForWhole(actions) && machine.stage.isStopping)
    }

    @Test func aRefusalOfAnotherKindIsNotCounted() throws {
        for status in [204, 404, 429, 500, 503] {
            var (machine, _) = try attempt(refused: 1)
            let actions = machine.handle(.head(id(1), ResponseFacts(status, length: 0)), at: .epoch)
            #expect(!asksForWhole(actions) && machine.progress.refusedParts == 1)
        }
    }

    @Test func aMirrorIsAskedBeforeAnythingIsDropped() throws {
        let mirror = try HTTPURL(parsing: "http://mirror.example/f")
        var (machine, _) = try attempt(refused: 1) { $0.mirrors = [mirror] }
        let actions = machine.handle(.head(id(1), useless[0]), at: .epoch)
        #expect(!asksForWhole(actions))
        let asked = actions.compactMap {
            if case .connect(_, let request) = $0 { request.mirror } else { nil }
        }
        #expect(asked == [mirror])
    }

    /// What comes beside others costs them nothing, however often it is of no use.
    @Test func aPartBesideTheFirstIsNotCounted() throws {
        var download = try DividedDownload(length: 1 << 34)
        download.asksForMore()
        try #require(download.open == [1, 2])
        for _ in 0..<40 {
            for number in download.open where number != 1 {
                download.answers(number, 206, fields: [.contentEncoding: "gzip"])
            }
            download.passes(.milliseconds(500))
        }
        #expect(download.writing == [1] && download.machine.progress.refusedParts == 0)
        #expect(!download.log.contains { asksForWhole([$0]) && $0 != .connect(id(1), .whole) })
    }
}
