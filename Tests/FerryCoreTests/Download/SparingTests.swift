import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// A further connection that fails costs the other connections nothing.
@Suite("A further connection that fails")
struct SparingTests {
    private typealias Machine = DownloadMachine

    /// A download that has just requested a second connection.
    private func asking(_ change: (inout DownloadOptions) -> Void = { _ in }) throws -> DividedDownload {
        var download = try DividedDownload(length: 1 << 34, change)
        download.asksForMore()
        try #require(download.open == [1, 2])
        return download
    }

    /// A download whose second connection has broken. A third one has requested the same bytes.
    private func replacing(
        _ change: (inout DividedDownload) -> Void = { _ in }
    ) throws -> DividedDownload {
        var download = try DividedDownload(length: 1 << 34) { $0.connections = 2 }
        download.grows(to: 2)
        change(&download)
        download.passes(.milliseconds(100))
        download.breaks(2)
        download.passes(.milliseconds(100))
        try #require(download.open == [1, 3])
        return download
    }

    /// Expects that the first connection continues unchanged, and without another connection for this long.
    private func expectAlone(
        _ download: inout DividedDownload,
        seconds: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for _ in 0..<(seconds * 2) {
            #expect(download.open == [1] && download.writing == [1], sourceLocation: sourceLocation)
            download.passes(.milliseconds(500))
        }
        download.hand(.advanced(download.bodies.mapValues(\.lowerBound)))
        let segments = download.machine.progress.segments
        #expect(segments.segments.count == 1, sourceLocation: sourceLocation)
        #expect(
            download.bodies[DividedDownload.id(1)]?.lowerBound == segments.received,
            sourceLocation: sourceLocation
        )
    }

    // MARK: Refusals

    @Test(arguments: [429, 503])
    func aServerThatRefusesOneIsMetWithFewerFromThenOn(status: Int) throws {
        var download = try asking()
        download.answers(2, status)
        #expect(download.remembered?.connectionLimit?.count == 1)
        expectAlone(&download, seconds: 100)
    }

    @Test func asManyAreKeptAsWereServed() throws {
        var download = try DividedDownload(length: 1 << 34)
        download.grows(to: 2)
        download.asksForMore()
        for number in 3...5 { download.proves(number) }
        for number in 6...8 { download.answers(number, 503) }
        #expect(download.writing == Array(1...5) && download.remembered?.connectionLimit?.count == 5)
        for _ in 0..<100 {
            download.passes(.seconds(1))
            download.provesAll()
            #expect(download.writing.count == 5)
        }
    }

    @Test func thoseThatAreNeverAnsweredAreGivenUpWhileOthersGoOn() throws {
        var download = try DividedDownload(length: 1 << 34)
        download.grows(to: 2)
        download.asksForMore()
        try #require(download.open == Array(1...8))
        download.proves(3)
        let silent = Array(4...8)
        for second in 1...60 {
            download.passes(.seconds(1))
            for number in download.unanswered where !silent.contains(number) { download.proves(number) }
            if second < 4 { #expect(download.unanswered == silent, "a server may be slow to answer") }
            if second > 6 { #expect(download.open.count == 3 && download.unanswered.isEmpty) }
        }
        #expect(download.remembered?.connectionLimit?.count == 3)
    }

    @Test(arguments: [false, true])
    func theLastOnesThatBringNothingDoNotHoldUpTheEnd(isAnswered: Bool) throws {
        var download = try DividedDownload(length: 100_000_000) { $0.connections = 2 }
        download.asksForMore()
        if isAnswered {
            download.speeds[DividedDownload.id(2)] = 0
            download.proves(2)
            download.passes(.milliseconds(100))
        }
        let asked = try #require(download.asked[DividedDownload.id(2)])
        for _ in 0..<30 where download.open.contains(1) {
            download.passes(.seconds(1))
            for number in download.unanswered where number != 2 { download.proves(number) }
        }
        for _ in 0..<30 where !download.machine.progress.segments.isComplete {
            download.passes(.seconds(1))
            for number in download.unanswered where number != 2 { download.proves(number) }
        }
        #expect(download.machine.progress.segments.isComplete && !download.open.contains(2))
        #expect(asked.from > 0)
    }

    @Test func oneThatBreaksBeforeItsAnswerMayHaveMetABadMoment() throws {
        var download = try asking()
        download.breaks(2)
        #expect(download.remembered == nil)
        expectAlone(&download, seconds: 2)
        download.asksForMore()
        #expect(download.open == [1, 3])
        download.breaks(3)
        #expect(download.remembered?.connectionLimit?.count == 1)
        expectAlone(&download, seconds: 100)
    }

    @Test func oneThatBreaksBeforeItsFirstByteIsNoBetter() throws {
        var download = try asking()
        download.proves(2)
        download.breaks(2)
        #expect(download.remembered == nil)
        download.passes(.seconds(1))
        #expect(download.open == [1])
        for _ in 0..<20 where download.open.count < 2 {
            download.passes(.milliseconds(500))
            if download.open.count == 1 { download.provesAll() }
        }
        let another = try #require(download.open.last)
        download.proves(another)
        download.breaks(another)
        #expect(download.remembered?.connectionLimit != nil)
    }

    @Test func whatBreaksAlongWithAllOthersSaysNothingOfTheServer() throws {
        var download = try DividedDownload(length: 1 << 34) { $0.connections = 4 }
        download.grows(to: 2)
        download.asksForMore()
        try #require(download.open == [1, 2, 3, 4])
        // The network is dead, and the timeouts expire one after another.
        download.speeds = [DividedDownload.id(1): 0, DividedDownload.id(2): 0]
        for _ in 0..<30 { download.passes(.seconds(1)) }
        download.breaks(3, .timeout)
        download.breaks(4, .timeout)
        #expect(download.remembered == nil)
        download.breaks(1, .timeout)
        download.breaks(2, .timeout)
        download.hand(.synchronized)
        guard case .failed(let problem)? = download.outcome else {
            Issue.record("\(String(describing: download.outcome))")
            return
        }
        #expect(problem.failure.code == .timeout && download.remembered == nil)
    }

    /// The host has none to spare, or a rate limit holds it back.
    @Test(arguments: [(.denied, 2), (.heldBack, 1)] as [(DownloadEvent.ConnectionEnd, Int)])
    func oneThatIsNotAllowedYetIsAskedForLater(end: DownloadEvent.ConnectionEnd, seconds: Int) throws {
        var download = try asking()
        download.ends(2, end)
        #expect(download.remembered == nil)
        expectAlone(&download, seconds: seconds)
        download.asksForMore()
        #expect(download.open == [1, 3])
    }

    @Test func whatWasToComeBesideGoesOnAloneWhenItIsLeftAlone() throws {
        var download = try asking()
        download.ends(1, .failed(.transient(.connectionLost, "It broke.")))
        download.ends(2, .denied)
        #expect(download.open == [3] && download.outcome == nil)
        download.proves(3)
        #expect(download.writing == [3])
    }

    // MARK: Answers

    @Test func aServerThatCannotSendPartsCostsNothing() throws {
        var download = try asking()
        let request = try #require(download.asked[DividedDownload.id(2)])
        download.answers(2, 200)
        // The server may not know If-Range.
        let again = try #require(download.asked[DividedDownload.id(3)])
        guard case .ifMatch = again.condition else {
            Issue.record("\(again)")
            return
        }
        #expect(again.from == request.from && again.upTo == request.upTo)
        download.answers(3, 200)
        #expect(download.remembered?.connectionLimit?.count == 1)
        expectAlone(&download, seconds: 100)
    }

    @Test func aServerThatDoesNotKnowIfRangeServesPartsAllTheSame() throws {
        var download = try asking()
        download.answers(2, 200)
        download.proves(3)
        #expect(download.writing == [1, 3] && download.remembered?.lacksIfRange == true)
    }

    @Test func anotherVersionSeenInPassingDropsNothing() throws {
        var download = try asking()
        download.answers(2, 200, tag: "\"v2\"")
        #expect(download.remembered == nil)
        expectAlone(&download, seconds: 10)
        // Another server behind this name may have the same version.
        for _ in 0..<4 where download.open == [1] { download.passes(.seconds(1)) }
        download.proves(3)
        #expect(download.writing == [1, 3])
    }

    @Test func aPartOfAnotherVersionIsNotUsed() throws {
        var download = try asking()
        download.answers(2, 206, tag: "\"v2\"")
        #expect(download.remembered == ServerTraits(lacksIfRange: true))
        expectAlone(&download, seconds: 10)
    }

    private static func dated(_ day: Int) -> HTTPFields {
        [.lastModified: "0\(day) Jan 2000 00:00:00 GMT", .date: "Wed, 15 Nov 2023 10:00:00 GMT"]
    }

    @Test(arguments: [200, 206])
    func aPartWithTheSameTagAndAnotherDateIsLeftToTheOthers(status: Int) throws {
        var download = try DividedDownload(length: 1 << 34, fields: Self.dated(1))
        download.asksForMore()
        download.answers(2, status, fields: Self.dated(2))
        #expect(download.remembered == nil)
        expectAlone(&download, seconds: 10)
    }

    @Test func whatHasTheSameTagAndAnotherDateIsComparedOnceNobodyElseBringsAnything() throws {
        var download = try DividedDownload(length: 1 << 34, fields: Self.dated(1)) { $0.connections = 2 }
        download.asksForMore()
        download.answers(2, 206, fields: Self.dated(1))
        download.passes(.milliseconds(100))
        download.breaks(2)
        download.passes(.milliseconds(100))
        try #require(download.open == [1, 3])
        let received = download.machine.progress.segments.received
        download.answers(3, 206, fields: Self.dated(2))
        #expect(download.writing == [1] && download.machine.progress.segments.received == received)
    }

    @Test func aPartWithoutAProofIsNotUsed() throws {
        var download = try asking()
        download.answers(2, 206, tag: nil)
        // Without bytes to compare, even a second check does not help.
        for number in download.open where number != 1 { download.answers(number, 206, tag: nil) }
        expectAlone(&download, seconds: 10)
    }

    @Test func anEncodedPartIsNotUsed() throws {
        var download = try asking()
        download.answers(2, 206, fields: [.contentEncoding: "gzip"])
        expectAlone(&download, seconds: 10)
    }

    @Test func anotherPartThanTheOneAskedForIsNotUsed() throws {
        for (range, total) in [(0..<1000 as Range<Int64>, nil), (nil, 1 << 35 as Int64)] {
            var download = try asking()
            download.answers(2, 206, range: range, total: total)
            expectAlone(&download, seconds: 2)
        }
    }

    @Test func noVersionIsTakenForAnotherWhereRedirectsLeadElsewhere() throws {
        // The same tag from another server is no proof. A strict user wants proof, but not at the cost of all bytes.
        for isStrict in [false, true] {
            var download = try asking { $0.strictResume = isStrict }
            let mirror = "https://mirror.example/f"
            download.answers(2, 206, from: mirror)
            for number in download.open where number != 1 {
                let isPart = download.asked[DividedDownload.id(number)]?.isWhole == false
                download.answers(number, isPart ? 206 : 200, from: mirror)
            }
            // It was not the first server that refused.
            #expect(download.remembered == nil)
            expectAlone(&download, seconds: 10)
        }
    }

    @Test func whatNothingProvesIsLeftUntilTheOthersAreDoneRatherThanStartedOver() throws {
        var download = try DividedDownload(length: 1 << 34) { options in
            options.connections = 2
            options.strictResume = true
        }
        download.grows(to: 2)
        download.passes(.milliseconds(100))
        download.breaks(2)
        download.passes(.milliseconds(100))
        try #require(download.open == [1, 3])
        let received = download.machine.progress.segments.received
        let mirror = "https://mirror.example/f"
        download.answers(3, 206, from: mirror)
        download.answers(4, 200, from: mirror)
        #expect(download.writing == [1] && download.machine.progress.segments.received == received)
    }

    @Test func aRefusalOfTheConditionAloneIsNoReasonToDropAnything() throws {
        var download = try DividedDownload(length: 1 << 34)
        download.known.lacksIfRange = true
        download.machine.board.sources.traitsOfLead.lacksIfRange = true
        download.asksForMore()
        download.answers(2, 412, tag: nil)
        expectAlone(&download, seconds: 10)
    }

    @Test(arguments: [ChangePolicy.fail, .keep])
    func aChangeThatIsNotWantedEndsNothingThatIsUnderWay(policy: ChangePolicy) throws {
        var download = try asking { $0.onChange = policy }
        download.answers(2, 200, tag: "\"v2\"")
        #expect(download.outcome == nil && download.remembered == nil)
        expectAlone(&download, seconds: 10)
    }

    @Test func anotherVersionOfWhatNobodyBringsStartsOver() throws {
        var download = try replacing()
        download.answers(3, 200, tag: "\"v2\"")
        #expect(download.writing == [3] && download.bodies[DividedDownload.id(3)] == 0..<(1 << 34))
        #expect(download.machine.progress.validator.entityTag?.description == "\"v2\"")
        #expect(download.machine.progress.segments.received == 0)
    }

    @Test func whyABodyDoesNotComeIsToldThoughTheFileWasToBeCutForIt() throws {
        let download = try replacing()
        var machine = download.machine
        let head = ResponseHead(status: 200, headers: [.eTag: "\"v2\""], bodyLength: 1 << 34)
        let url = try HTTPURL(parsing: "https://objects.example/f")
        let third = DividedDownload.id(3)
        _ = machine.handle(.head(third, ResponseFacts(head, from: url, at: download.now)), at: download.now)
        try #require(machine.stage == .busy(.preparing(.quieting(third))))
        // It breaks before the first connection, which still writes, has been cut.
        let broke = Problem.transient(.connectionRefused, "No listener.")
        _ = machine.handle(.connectionEnded(third, at: nil, .failed(broke)), at: download.now)
        let last = machine.handle(
            .connectionEnded(DividedDownload.id(1), at: nil, .disconnected),
            at: download.now
        )
        guard case .finish(.failed(let problem), _)? = last.last else {
            Issue.record("\(last)")
            return
        }
        #expect(problem == broke)
    }

    @Test func anotherVersionThatComesBeforeAByteIsKnownToBeThereDropsAllOthers() throws {
        var download = try replacing()
        // As after a power cut that kept the map and lost the bytes.
        download.machine.download.progress.segments.truncateClaims(to: 0)
        download.answers(3, 200, tag: "\"v2\"")
        #expect(download.writing == [3] && download.bodies[DividedDownload.id(3)] == 0..<(1 << 34))
        #expect(download.machine.progress.segments == SegmentMap(length: 1 << 34))
    }

    @Test func aTagThatIfMatchRefusesAndTheWholeConfirmsIsAskedWithIfRange() throws {
        var download = try replacing { $0.machine.board.sources.traitsOfLead.lacksIfRange = true }
        download.answers(3, 412, tag: nil)
        download.answers(4, 200)
        // No second connection fills the range of the first one.
        #expect(download.remembered?.lacksIfRange == false)
        for number in download.open where number != 1 {
            let request = try #require(download.asked[DividedDownload.id(number)])
            guard case .ifRange = request.condition else {
                Issue.record("\(request)")
                continue
            }
            download.proves(number)
        }
        let ranges = download.bodies.values.sorted { $0.lowerBound < $1.lowerBound }
        #expect(ranges.count == 2)
        for (one, next) in zip(ranges, ranges.dropFirst()) { #expect(one.upperBound <= next.lowerBound) }
    }

    // MARK: The disk

    @Test func aFullDiskIsFullForAllOfThem() throws {
        var download = try DividedDownload(length: 1 << 34)
        download.grows(to: 4)
        download.ends(3, .failed(.condition(.diskSpace(needed: 1), .diskFull, "The disk is full.")))
        #expect(download.open.isEmpty && download.remembered == nil)
        download.hand(.synchronized)
        guard case .failed(let problem)? = download.outcome else {
            Issue.record("\(String(describing: download.outcome))")
            return
        }
        #expect(problem.failure.code == .diskFull)
    }
}
