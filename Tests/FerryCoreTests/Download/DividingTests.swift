import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// When another connection is opened, what it takes, and when one is given up.
@Suite("A download divided among connections")
struct DividingTests {
    private typealias Machine = DownloadMachine

    private static let tag = EntityTag("\"v1\"")!

    private func shortened(_ download: DividedDownload) -> [DownloadAction] {
        download.log.filter { if case .shorten = $0 { true } else { false } }
    }

    private func upper(_ number: Int, of download: DividedDownload) -> Int64? {
        download.bodies[DividedDownload.id(number)]?.upperBound
    }

    // MARK: Whether

    @Test func theSecondConnectionAsksForTheSameVersionOnly() throws {
        var download = try DividedDownload()
        download.asksForMore()
        #expect(download.open == [1, 2])
        let request = try #require(download.asked[DividedDownload.id(2)])
        #expect(request.condition == .ifRange(Self.tag))
        // A piece that takes two seconds, behind one that the first keeps.
        #expect((20_000_000...25_000_000).contains(request.from))
        let length = try #require(request.upTo) - request.from
        #expect((18_000_000...20_000_000).contains(length))
    }

    @Test func theFirstGivesNothingUpBeforeTheSecondHasProvedItself() throws {
        var download = try DividedDownload()
        download.asksForMore()
        #expect(shortened(download).isEmpty && upper(1, of: download) == DividedDownload.length)
        download.proves(2)
        let piece = try #require(download.bodies[DividedDownload.id(2)])
        #expect(shortened(download).count == 1 && upper(1, of: download) == piece.lowerBound)
        // What lies behind the piece is left for others.
        let bounds = download.machine.progress.segments.segments.map(\.range.lowerBound)
        #expect(bounds == [0, piece.lowerBound, piece.upperBound])
    }

    @Test(arguments: ["W/\"v1\"", nil])
    func whatCannotBeProvedToBeTheSameIsNotDivided(tag: String?) throws {
        var download = try DividedDownload(tag: tag)
        download.passes(.seconds(1))
        download.passes(.seconds(1))
        #expect(
            download.open == [1] && !download.log.contains { if case .sample = $0 { true } else { false } }
        )
    }

    @Test func aStrongDateIsProofWhereThereIsNoTag() throws {
        let fields: HTTPFields = [
            .lastModified: "Sat, 01 Jan 2000 00:00:00 GMT", .date: "Wed, 15 Nov 2023 10:00:00 GMT",
        ]
        var dated = try DividedDownload(tag: nil, fields: fields)
        dated.asksForMore()
        #expect(dated.open == [1, 2])
        var tagged = try DividedDownload(tag: "W/\"v1\"", fields: fields)
        tagged.asksForMore()
        #expect(tagged.open == [1])
    }

    /// The first bytes are of a file that another tool left, so that no validator is known when the download begins.
    @Test func theTagOfAComparedPartLetsOthersJoin() throws {
        var progress = DownloadProgress()
        progress.name = .fallback
        progress.segments = SegmentMap(having: [0..<1_000_000], length: nil)
        progress.part = PartFileClaim(
            name: FilePlace(directory: "/d", name: .fallback).part,
            identity: DownloadScenario.identity,
            boot: DownloadScenario.boot
        )
        func samples(_ download: DividedDownload) -> Int {
            download.log.count { if case .sample = $0 { true } else { false } }
        }
        var download = try DividedDownload(from: progress)
        let first = DividedDownload.id(1)
        #expect(download.asked[first]?.condition == .overlap(RangeRequest.overlapLength))
        download.hand(.advanced([first: 999_999]))
        #expect(samples(download) == 0, "the part is not compared to its end")
        download.hand(.advanced([first: 1_000_000]))
        try #require(samples(download) == 1)
        download.asksForMore()
        #expect(download.asked[DividedDownload.id(2)]?.condition == .ifRange(Self.tag))
        download.proves(2)
        #expect(download.writing == [1, 2])
        #expect(download.machine.progress.assurance == .overlapChecked, "it still says what was compared")
    }

    @Test func anEncodedFormIsNotDivided() throws {
        var download = try DividedDownload(fields: [.contentEncoding: "gzip"])
        download.asksForMore()
        #expect(download.open == [1])
    }

    @Test func aStreamIsNotDivided() throws {
        var download = try DividedDownload(isStream: true)
        download.asksForMore()
        #expect(download.open == [1])
    }

    @Test func oneConnectionIsEnoughForAShortFileAndForWhoWantsOne() throws {
        let enough = 4 * DownloadMachine.smallestPiece
        var short = try DividedDownload(length: enough - 1)
        short.speeds = [DividedDownload.id(1): 1000]
        short.asksForMore()
        #expect(short.open == [1])
        var long = try DividedDownload(length: enough)
        long.speeds = [DividedDownload.id(1): 1000]
        long.asksForMore()
        #expect(long.open == [1, 2])
        var single = try DividedDownload { $0.connections = 1 }
        single.asksForMore()
        #expect(single.open == [1])
    }

    @Test func whatIsOverWithinASecondIsNotWorthAnother() throws {
        // 10 MB/s: of 11 MB less than a second is left when two tenths have come, of 13 MB more.
        var short = try DividedDownload(length: 11_000_000)
        short.asksForMore()
        #expect(short.open == [1])
        var long = try DividedDownload(length: 13_000_000)
        long.asksForMore()
        #expect(long.open == [1, 2])
    }

    @Test func noMoreThanAreKnownToBeServed() throws {
        var download = try DividedDownload()
        download.known.connectionLimit = .init(2, found: .epoch)
        download.grows(to: 8)
        #expect(download.log.contains { if case .connectBeside = $0 { true } else { false } })
        #expect(download.open.count <= 2)
        var alone = try DividedDownload()
        alone.known.connectionLimit = .init(1, found: .epoch)
        alone.grows(to: 2)
        #expect(alone.open == [1])
    }

    @Test func whatWasRefusedAnHourAgoIsTriedAgain() throws {
        let hour = ServerTraits.ConnectionLimit.lifetime
        let limit = ServerTraits.ConnectionLimit(1, found: .epoch)
        #expect(limit.holds(at: .epoch) && limit.holds(at: .epoch.advanced(by: hour - .milliseconds(1))))
        #expect(!limit.holds(at: .epoch.advanced(by: hour)))
        // One that is found later than now was found while the clock was wrong.
        for found in [Instant.epoch.advanced(by: .zero - hour), .epoch.advanced(by: .seconds(86_400))] {
            var download = try DividedDownload()
            download.known.connectionLimit = .init(1, found: found)
            download.grows(to: 8)
            #expect(download.open.count == 8)
        }
    }

    @Test func whatIsKnownOfTheServerIsLookedUpOnceAndOnlyForASecondConnection() throws {
        func lookups(_ download: DividedDownload) -> Int {
            download.log.count { if case .recall = $0 { true } else { false } }
        }
        var download = try DividedDownload()
        #expect(lookups(download) == 0)
        download.grows(to: 8)
        #expect(lookups(download) == 1 && download.writing.count == 8)
    }

    // MARK: What

    @Test func theRestThatWouldTakeLongestIsDivided() throws {
        var download = try DividedDownload(length: 40_000_000) { $0.connections = 3 }
        download.grows(to: 2)
        download.speeds[DividedDownload.id(1)] = 15_000_000
        download.asksForMore()
        #expect(download.open == [1, 2, 3])
        let second = try #require(download.bodies[DividedDownload.id(2)])
        let request = try #require(download.asked[DividedDownload.id(3)])
        #expect(request.from > second.lowerBound && request.from < second.upperBound)
        // The slower one keeps less than what a connection of middling speed is given.
        #expect(request.from - second.lowerBound < second.upperBound - request.from)
    }

    @Test func aBodyIsAskedForByOneOtherAtATime() throws {
        var download = try DividedDownload()
        download.grows(to: 2)
        download.asksForMore()
        try #require(download.open == Array(1...8))
        // What lies between is free; and each of the two bodies is asked for once at most.
        for number in 3...8 { download.proves(number) }
        let bodies = download.bodies.values.sorted { $0.lowerBound < $1.lowerBound }
        for (one, next) in zip(bodies, bodies.dropFirst()) { #expect(one.upperBound <= next.lowerBound) }
        #expect(bodies.count == 8 && Set(shortened(download)).count == shortened(download).count)
    }

    @Test func whatHardlyLastsIsNotDivided() throws {
        var download = try DividedDownload(length: 30_000_000) { $0.connections = 2 }
        download.grows(to: 2)
        // The second one ends long before the first, which has less left than a tenth of a second takes.
        download.speeds = [DividedDownload.id(1): 10_000_000, DividedDownload.id(2): 200_000_000]
        let first = try #require(download.bodies[DividedDownload.id(1)])
        let rest = Double(first.upperBound - first.lowerBound - 900_000) / 10_000_000
        download.passes(.milliseconds(Int64(rest * 1000)))
        download.passes(.milliseconds(10))
        #expect(download.writing == [1] && download.open == [1])
    }

    @Test func whoIsDoneTakesAboutHalfOfWhatIsLeft() throws {
        var download = try DividedDownload(length: 30_000_000) { $0.connections = 2 }
        download.grows(to: 2)
        download.speeds[DividedDownload.id(2)] = 200_000_000
        download.passes(.milliseconds(100))
        download.speeds[DividedDownload.id(2)] = 10_000_000
        #expect(download.open == [1, 3])
        let first = try #require(download.bodies[DividedDownload.id(1)])
        let request = try #require(download.asked[DividedDownload.id(3)])
        #expect(request.upTo == first.upperBound && request.from > first.lowerBound)
        #expect(request.from < first.upperBound - 2_000_000)
    }

    @Test func theMapStaysSmallHoweverOftenItWasDivided() throws {
        var download = try DividedDownload(length: 1 << 32) { $0.connections = 4 }
        download.grows(to: 4)
        for round in 1..<400 {
            // One of them is always so fast that it is done at once, and takes from another one.
            let fast = download.writing[round % download.writing.count]
            download.speeds = [DividedDownload.id(fast): 1 << 40]
            download.passes(.milliseconds(100))
            download.provesAll()
            try #require(download.machine.progress.segments.segments.count <= 16)
            guard download.writing.count == 4 else { break }
        }
        #expect(download.log.count { if case .connectBeside = $0 { true } else { false } } > 30)
    }

    @Test func whenAllPiecesEndAtOnceEachConnectionStillTakesNoMoreThanAPiece() throws {
        var download = try DividedDownload(length: 1 << 34) { $0.connections = 4 }
        download.grows(to: 4)
        for _ in 0..<6 {
            // All of them are so fast that they are done at the next look.
            download.passes(.seconds(5))
            let pieces = download.asked.values.map { ($0.upTo ?? download.length) - $0.from }
            #expect(!pieces.isEmpty && pieces.allSatisfy { $0 < 1 << 30 }, "\(pieces)")
            download.provesAll()
        }
    }

    // MARK: The answer

    @Test func aBodyThatHasComeTooFarIsLeftAlone() throws {
        var download = try DividedDownload()
        download.asksForMore()
        download.givesUp = false
        download.proves(2)
        #expect(!download.open.contains(2) && upper(1, of: download) == DividedDownload.length)
        #expect(download.machine.progress.segments.segments.count == 1)
    }

    @Test func whatItsGiverLeftWhenItBrokeIsStillTaken() throws {
        var download = try DividedDownload()
        download.asksForMore()
        let request = try #require(download.asked[DividedDownload.id(2)])
        let from = request.from
        download.breaks(1)
        #expect(download.outcome == nil)
        download.proves(2)
        #expect(download.bodies[DividedDownload.id(2)] == from..<(request.upTo ?? DividedDownload.length))
        // Another connection gets the rest of the first at the next measurement of speed.
        download.passes(.milliseconds(100))
        #expect(download.asked.values.contains { $0.from < from })
    }

    @Test func aGiverThatEndsWhereTheOtherBeginsLosesNothing() throws {
        var download = try DividedDownload()
        download.asksForMore()
        let request = try #require(download.asked[DividedDownload.id(2)])
        // It comes that far in the moment in which the other one proves itself.
        download.hand(.advanced([DividedDownload.id(1): request.from]))
        download.proves(2)
        let piece = download.bodies[DividedDownload.id(2)]
        #expect(piece == request.from..<(request.upTo ?? DividedDownload.length))
    }

    @Test func noTwoConnectionsFillTheSameSegment() throws {
        var download = try DividedDownload { $0.connections = 3 }
        download.grows(to: 2)
        let from = try #require(download.machine.progress.segments.segments.last?.range.lowerBound)
        // The third asks for a part of the rest of one of them, which breaks; the rest is taken by a fourth.
        download.asksForMore()
        let third = try #require(download.asked[DividedDownload.id(3)])
        download.breaks(third.from > from ? 2 : 1)
        download.passes(.milliseconds(100))
        for number in download.open where !download.writing.contains(number) && number > 3 {
            download.proves(number)
        }
        download.proves(3)
        let ranges = download.bodies.values.sorted { $0.lowerBound < $1.lowerBound }
        for (one, next) in zip(ranges, ranges.dropFirst()) { #expect(one.upperBound <= next.lowerBound) }
    }

    // MARK: Ends

    @Test func oneThatIsStuckWhileOthersGoOnIsReplaced() throws {
        var download = try DividedDownload(length: 1 << 34) { $0.connections = 2 }
        download.grows(to: 2)
        let stuck = try #require(download.bodies[DividedDownload.id(2)])
        download.speeds[DividedDownload.id(2)] = 0
        for _ in 0..<4 {
            download.passes(.seconds(1))
            download.provesAll()
            #expect(download.writing.contains(2) && download.writing.count == 2)
        }
        for _ in 0..<4 {
            download.passes(.seconds(1))
            download.provesAll()
        }
        #expect(!download.open.contains(2))
        let segments = download.machine.progress.segments
        #expect(segments.segment(containing: stuck.lowerBound)?.written ?? 0 > stuck.lowerBound)
    }

    @Test func whenNoneGoesOnNoneIsReplaced() throws {
        var download = try DividedDownload(length: 1 << 34) { $0.connections = 2 }
        download.grows(to: 2)
        download.speeds = [DividedDownload.id(1): 0, DividedDownload.id(2): 0]
        for _ in 0..<10 { download.passes(.seconds(1)) }
        #expect(download.open == [1, 2])
    }

    @Test func thoseThatDoHarmAreGivenUpTheYoungestFirst() throws {
        var download = try DividedDownload(length: 1 << 34) { $0.connections = 4 }
        download.grows(to: 4)
        let before = download.bodies
        for number in 1...4 { download.speeds[DividedDownload.id(number)] = 1_000_000 }
        // One bad moment is not enough.
        for _ in 0..<3 { download.passes(.milliseconds(100)) }
        #expect(download.open == [1, 2, 3, 4])
        for _ in 0..<5 { download.passes(.milliseconds(100)) }
        #expect(download.open == [1, 2])
        let left = try #require(before[DividedDownload.id(3)])
        let segment = download.machine.progress.segments.segment(containing: left.lowerBound)
        #expect(segment?.range.upperBound == left.upperBound)
    }

    @Test func thoseThatBringNothingAreClosedAgainAndNotTakenForRefused() throws {
        var download = try DividedDownload(length: 1 << 34)
        var counts: [Int] = []
        for _ in 0..<20 {
            // All of them share the same speed.
            let share = 20_000_000 / Int64(max(1, download.bodies.count))
            for number in download.writing { download.speeds[DividedDownload.id(number)] = share }
            download.passes(.milliseconds(100))
            download.provesAll()
            counts.append(download.writing.count)
        }
        #expect(counts.max() == 4 && counts.last == 2, "\(counts)")
        #expect(download.remembered == nil && download.outcome == nil)
    }

    @Test func whatOthersLeftIsFetchedBeforeTheEnd() throws {
        var download = try DividedDownload(length: 40_000_000) { $0.connections = 4 }
        download.grows(to: 4)
        download.breaks(2)
        download.breaks(4)
        for _ in 0..<200 where !download.machine.progress.segments.isComplete {
            download.passes(.milliseconds(100))
            for number in download.open where !download.writing.contains(number) { download.proves(number) }
        }
        #expect(download.machine.progress.segments.isComplete)
        download.passes(.milliseconds(100))
        #expect(download.machine.stage == .busy(.synchronizing) && download.open.isEmpty)
    }

    @Test func whoHasNotAnsweredWhenAllIsThereIsNotAwaited() throws {
        var download = try DividedDownload()
        download.asksForMore()
        download.passes(.seconds(20))
        #expect(download.open.isEmpty && download.machine.stage == .busy(.synchronizing))
    }

    @Test func aWishEndsAllOfThem() throws {
        var download = try DividedDownload()
        download.grows(to: 4)
        download.hand(.ask(.release))
        #expect(download.open.isEmpty)
        download.hand(.synchronized)
        #expect(download.outcome == .released)
        let received = download.machine.progress.segments.received
        #expect(received > 0 && download.machine.progress.segments.durableBytes == received)
    }

    // MARK: What the others do meanwhile

    /// The first body broke before its first byte, and another one was asked for already.
    @Test func whileRoomIsMadeForOneBodyTheOthersWait() throws {
        var machine = Machine(
            DownloadSpecification(
                url: try HTTPURL(parsing: "https://objects.example/f"),
                destination: .file(directory: "/d", name: .fallback)
            ),
            from: DownloadProgress(),
            boot: DownloadScenario.boot,
            at: .epoch
        )
        machine.download.progress.segments = SegmentMap(length: 1_000)
        machine.download.progress.validator = Validator([.eTag: "\"v1\""], receivedAt: .epoch)
        _ = machine.download.progress.segments.divide(0, at: 500)
        let (first, second) = (DividedDownload.id(1), DividedDownload.id(2))
        for (id, segment) in [(first, Int64(0)), (second, 500)] {
            let request = RangeRequest(from: segment, upTo: segment + 500, condition: .ifRange(Self.tag))
            let connection = OpenConnection(
                .segment(segment),
                request,
                from: .own,
                at: .epoch,
                isBeside: id == second
            )
            let opened = machine.board.connections.open(connection)
            #expect(opened == id)
        }
        machine.part.opened()
        machine.stage = .busy(.preparing(.reserving(first, upTo: 500)))
        let head = ResponseHead(
            status: 206,
            headers: [.eTag: "\"v1\"", .contentRange: "bytes 500-999/1000"],
            bodyLength: 500
        )
        let facts = ResponseFacts(head, at: .epoch)
        #expect(machine.handle(.head(second, facts), at: .epoch) == [.disconnect(second)])
        #expect(machine.handle(.connectionEnded(second, at: nil, .disconnected), at: .epoch) == [])
        let actions = machine.handle(.reserved, at: .epoch)
        #expect(actions.contains(.receive(first, at: 0, limit: 500, comparing: 0)))
        #expect(machine.stage == .transferring)
    }
}
