import Testing

@testable import FerryCore

/// The last bytes of a slow connection, while a fast one has nothing else to do.
@Suite("The rest of a slow connection")
struct TailReliefTests {
    private static let mirror = "mirror.example"
    private static let slow: Int64 = 200
    private static let fast: Int64 = 2_000_000

    // MARK: The decision

    private struct Row {
        var bytes: Int64
        var speed: Double
        var fast = 2_000_000.0
        var answer: Duration = .milliseconds(50)
        var isRelieved: Bool
    }

    @Test func aRestIsLeftToAnotherOnlyWhereThatIsMuchSooner() {
        let rows = [
            Row(bytes: 500_000, speed: 200, isRelieved: true),
            Row(bytes: 1_000, speed: 200, isRelieved: true),
            Row(bytes: 1_000, speed: 0, isRelieved: true),
            // It is over soon.
            Row(bytes: 300, speed: 200, isRelieved: false),
            Row(bytes: 100_000, speed: 1_000_000, fast: 100_000_000, isRelieved: false),
            Row(bytes: 0, speed: 0, isRelieved: false),
            // The other is not much faster.
            Row(bytes: 50_000_000, speed: 2_000_000, isRelieved: false),
            Row(bytes: 5_000_000, speed: 1_000_000, isRelieved: false),
            Row(bytes: 5_000_000, speed: 500_000, answer: .zero, isRelieved: true),
            Row(bytes: 5_000_000, speed: 500_000, answer: .milliseconds(50), isRelieved: false),
            // The answer takes longer than the bytes.
            Row(bytes: 500_000, speed: 200_000, fast: 20_000_000, answer: .seconds(1), isRelieved: false),
        ]
        for row in rows {
            let rest = TailRelief.Rest(range: 7..<7 + row.bytes, speed: row.speed)
            let isRelieved = TailRelief().isWorthwhile(rest, at: row.fast, answeredAfter: row.answer)
            #expect(isRelieved == row.isRelieved, "\(row)")
        }
    }

    @Test func theSameBytesAreLeftToAnotherTwiceAtMostUnlessThatIsFast() {
        func rest(_ range: Range<Int64>) -> TailRelief.Rest {
            TailRelief.Rest(range: range, speed: 1)
        }
        func mayBeRelieved(_ range: Range<Int64>, after relief: TailRelief) -> Bool {
            relief.isWorthwhile(rest(range), at: 1_000, answeredAfter: .zero)
        }
        var relief = TailRelief()
        relief.note(rest(0..<1_000))
        #expect(mayBeRelieved(100..<1_000, after: relief))
        relief.note(rest(100..<1_000))
        #expect(!mayBeRelieved(200..<1_000, after: relief))
        #expect(mayBeRelieved(0..<100, after: relief) && mayBeRelieved(1_000..<2_000, after: relief))
        // A fast connection got the next bytes, and then these.
        relief.forget(in: 1_000..<2_000)
        #expect(!mayBeRelieved(200..<1_000, after: relief))
        relief.forget(in: 100..<600)
        #expect(mayBeRelieved(200..<1_000, after: relief))
    }

    /// A connection that still has to bring these bytes.
    private func candidate(
        _ number: Int,
        _ range: Range<Int64>,
        at speed: Double,
        fast: Double = 10_000_000
    ) -> TailRelief.Candidate {
        let rest = TailRelief.Rest(range: range, speed: speed)
        return TailRelief.Candidate(id: DividedDownload.id(number), source: .own, rest: rest, fast: fast)
    }

    /// The numbers of the connections that are relieved, in order.
    private func choice(
        of candidates: [TailRelief.Candidate],
        after relief: TailRelief = TailRelief()
    ) -> [Int] {
        relief.choice(of: candidates, answeredAfter: .milliseconds(50)).map(\.id.rawValue)
    }

    /// What remembers so many rests, which lie behind all others.
    private func relief(of count: Int) -> TailRelief {
        var relief = TailRelief()
        for number in 0..<count {
            let start = 1_000_000_000 + Int64(number) * 1_000
            relief.note(candidate(number, start..<start + 1_000, at: 1).rest)
        }
        return relief
    }

    @Test func moreAndMoreRestsThatDripAreLeftToOthersAtOnce() {
        let dripping = (1...15).map { number in
            candidate(number, Int64(number) * 1_000_000..<Int64(number + 1) * 1_000_000, at: 5)
        }
        let counts = [0, 1, 2, 4, 8].map { choice(of: dripping, after: relief(of: $0)).count }
        #expect(counts == [1, 1, 2, 4, 8])
        let many = relief(of: 20)
        #expect(choice(of: dripping, after: many) == Array(1...15))
        let fast = candidate(16, 0..<1_000_000, at: 10_000_000)
        #expect(choice(of: [fast] + dripping, after: many) == Array(1...15))
        // The server is as slow for all.
        let slow = (1...15).map { candidate($0, 0..<1_000_000, at: 5, fast: 6) }
        #expect(choice(of: slow, after: many).isEmpty)
    }

    @Test func restsAreLeftToOthersOnlyIfOneConnectionBringsAllOfThemMuchSooner() {
        // Each takes 8 seconds, and 0.4 over a fast connection.
        let candidates = (1...9).map { number in
            candidate(number, Int64(number) * 4_000_000..<Int64(number + 1) * 4_000_000, at: 500_000)
        }
        let many = relief(of: 20)
        #expect(choice(of: candidates, after: many) == [1, 2, 3, 4])
        #expect(
            choice(of: [candidate(10, 0..<4_000_000, at: 100)] + candidates, after: many) == [10, 1, 2, 3]
        )
    }

    @Test func restsThatAreSlowForTheSecondTimeAreLeftToAnotherOneByOne() {
        var relief = TailRelief()
        relief.note(candidate(1, 0..<1_000, at: 1).rest)
        relief.note(candidate(2, 1_000..<2_000, at: 1).rest)
        let again = [candidate(3, 500..<1_000, at: 1), candidate(4, 1_400..<2_000, at: 1)]
        #expect(choice(of: again, after: relief) == [4])
        #expect(choice(of: again + [candidate(5, 2_000..<2_100, at: 1)], after: relief) == [4])
        // One that is slow for the first time takes none of them along.
        #expect(choice(of: again + [candidate(5, 2_000..<9_000, at: 1)], after: relief) == [5])
    }

    @Test func onlyAConnectionThatIsStillWantedIsIdle() {
        var pieces = PiecePlan(most: 2, smallestPiece: 1)
        pieces.noteOpen(2)
        pieces.plan.sample(received: 0, receiving: 1, at: .epoch)
        pieces.plan.sample(received: 1_000_000, receiving: 1, at: .epoch.advanced(by: .milliseconds(40)))
        var connections = ConnectionSet()
        let request = RangeRequest(from: 0, upTo: nil, condition: .none)
        _ = connections.open(OpenConnection(.segment(0), request, from: .own, at: .epoch))
        let segments = SegmentMap(length: 100)
        #expect(pieces.hasIdle(segments, beside: connections))
        // A rate limit sets the speed, or the server serves no more.
        pieces.plan.hold(at: 1, until: .epoch.advanced(by: .seconds(2)))
        #expect(!pieces.hasIdle(segments, beside: connections))
    }

    // MARK: The speed

    @Test func burstsAreNotTakenForASlowConnection() {
        // Each second begins with all of its bytes.
        var speed = SteadySpeed()
        var known: [Double] = []
        for step in 0...200 as ClosedRange<Int64> {
            speed.sample((step + 19) / 20 * 3_000_000, at: .epoch.advanced(by: .milliseconds(step * 50)))
            known += speed.bytesPerSecond.map { [$0] } ?? []
        }
        #expect(known.count == 161, "it is known after two seconds")
        #expect(known.allSatisfy { (1_500_000...6_000_000).contains($0) })
    }

    @Test func aConnectionThatBecomesSlowIsKnownToBeSlowInFourSeconds() {
        var speed = SteadySpeed()
        for step in 0...80 as ClosedRange<Int64> {
            let slow = max(0, step - 20)
            let offset = (step - slow) * 400_000 + slow * 10
            speed.sample(offset, at: .epoch.advanced(by: .milliseconds(step * 50)))
        }
        #expect(speed.bytesPerSecond.map { $0 < 2_100_000 } == true)
        for step in 81...120 as ClosedRange<Int64> {
            speed.sample(8_000_000 + (step - 20) * 10, at: .epoch.advanced(by: .milliseconds(step * 50)))
        }
        #expect(speed.bytesPerSecond == 200)
    }

    @Test func aClockThatIsSetBackBeginsAnotherMeasurement() {
        var speed = SteadySpeed()
        for second in [100, 101, 102, 5, 6] as [Int64] {
            speed.sample(second == 5 ? 300 : second * 1_000, at: .epoch.advanced(by: .seconds(second)))
        }
        #expect(speed.soFar == 5_700)
    }

    // MARK: Downloads

    private func download(mirror: Bool = true, digest: Bool = true) throws -> DividedDownload {
        let url = try HTTPURL(parsing: "https://\(Self.mirror)/f")
        return try DividedDownload(length: 24_000_000) { options in
            options.connections = 2
            if mirror { options.mirrors = [url] }
            if digest {
                options.checksum = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))
            }
        }
    }

    /// Lets bytes arrive until the file is whole. Servers send every part that is asked for.
    private func run(
        _ download: inout DividedDownload,
        steps: Int = 200,
        isSlow: (DividedDownload, Int) -> Bool
    ) {
        for _ in 0..<steps where !download.isWhole {
            for number in download.open {
                let speed = isSlow(download, number) ? Self.slow : Self.fast
                download.speeds[DividedDownload.id(number)] = speed
            }
            download.passes(.milliseconds(200))
            download.provesAll()
        }
    }

    /// The connections that were cut while they brought bytes.
    private func cut(_ download: DividedDownload) -> [DividedDownload.ID] {
        let received = Set(
            download.log.compactMap { action -> DividedDownload.ID? in
                if case .receive(let id, _, _, _) = action { id } else { nil }
            }
        )
        return download.log.compactMap { action -> DividedDownload.ID? in
            if case .disconnect(let id) = action, received.contains(id) { id } else { nil }
        }
    }

    /// The hosts that were asked after the first connection was cut.
    private func askedAfterCut(_ download: DividedDownload) -> Set<String> {
        guard let first = cut(download).first, let place = download.log.firstIndex(of: .disconnect(first))
        else { return [] }
        let hosts = download.log[place...].compactMap { action -> String? in
            switch action {
            case .connect(_, let request), .connectBeside(_, let request):
                request.mirror?.host ?? DividedDownload.server.host
            default: nil
            }
        }
        return Set(hosts)
    }

    private func elapsed(_ download: DividedDownload) -> Duration {
        Instant.epoch.duration(to: download.now)
    }

    /// At the speed of the slow source, the smallest piece would take three quarters of an hour.
    @Test(arguments: [true, false])
    func theLeadTakesTheRestOfADrippingMirror(digest: Bool) throws {
        var download = try download(digest: digest)
        run(&download) { $0.host(of: $1) == Self.mirror }
        #expect(download.isWhole && elapsed(download) < .seconds(30))
        #expect(cut(download).count == 1 && askedAfterCut(download) == [DividedDownload.server.host])
        #expect(JunctionReview(download.machine.download).open.isEmpty || digest)
    }

    @Test func aMirrorTakesTheRestOfADrippingLead() throws {
        var download = try download()
        run(&download) { $0.host(of: $1) != Self.mirror }
        #expect(download.isWhole && elapsed(download) < .seconds(40))
        #expect(cut(download).count == 1 && askedAfterCut(download) == [Self.mirror])
    }

    @Test func aNewConnectionTakesTheRestOfADrippingOneOfTheSameServer() throws {
        var download = try download(mirror: false)
        run(&download) { $1 == 2 }
        #expect(download.isWhole && elapsed(download) < .seconds(30))
        #expect(cut(download) == [DividedDownload.id(2)])
    }

    /// Eight connections to one server, each of which has helped. Then all but the first drip.
    private func dripping() throws -> (download: DividedDownload, slow: Set<ConnectionID>) {
        var download = try DividedDownload(length: 400_000_000) { $0.connections = 8 }
        download.grows(to: 8)
        passTime(of: &download, 10, each: .milliseconds(100)) { _ in false }
        let slow = Set(download.open.dropFirst().map(DividedDownload.id))
        for id in slow { download.speeds[id] = 5 }
        return (download, slow)
    }

    private func passTime(
        of download: inout DividedDownload,
        _ steps: Int,
        each step: Duration = .milliseconds(200),
        until isOver: (DividedDownload) -> Bool
    ) {
        for _ in 0..<steps where !isOver(download) {
            download.passes(step)
            download.provesAll()
        }
    }

    @Test func theOnlyFastConnectionAsksForLongPieces() throws {
        var (download, _) = try dripping()
        passTime(of: &download, 600) { $0.isWhole }
        // Each of the others gives up its rest in several steps.
        let asked = download.log.count { if case .connectBeside = $0 { true } else { false } }
        #expect(download.isWhole && asked < 200)
    }

    @Test func allThatDripBesideAFastConnectionAreCutInTheMiddleOfADownload() throws {
        var (download, slow) = try dripping()
        #expect(slow.count == 7)
        passTime(of: &download, 25) { _ in false }
        #expect(Set(cut(download)) == slow && !download.isWhole)
        passTime(of: &download, 600) { $0.isWhole }
        #expect(download.isWhole)
    }

    @Test(arguments: [true, false])
    func connectionsOfOneSpeedAreNotCut(mirror: Bool) throws {
        var download = try download(mirror: mirror)
        run(&download) { _, _ in false }
        #expect(download.isWhole && cut(download).isEmpty)
    }

    @Test func whereTheNextOneDripsTooTheRestChangesHandsTwiceAtMost() throws {
        var download = try download()
        run(&download) { $0.host(of: $1) == Self.mirror || !cut($0).isEmpty }
        #expect(!download.isWhole && download.writing.count == 1)
        #expect(cut(download).count == TailRelief.mostOfRange)
        #expect(askedAfterCut(download) == [DividedDownload.server.host])
    }

    @Test func whileNothingArrivesAtAllNoConnectionIsCut() throws {
        var download = try download()
        for _ in 0..<200
        where download.open.count > 1 || download.machine.progress.segments.received < 20_000_000 {
            run(&download, steps: 1) { $0.host(of: $1) == Self.mirror }
        }
        let last = try #require(download.open.first)
        #expect(download.host(of: last) == Self.mirror && cut(download).isEmpty)
        download.speeds[DividedDownload.id(last)] = 0
        for _ in 0..<10 { download.passes(.seconds(1)) }
        #expect(download.open == [last])
        run(&download) { $0.host(of: $1) == Self.mirror }
        #expect(download.isWhole && cut(download) == [DividedDownload.id(last)])
    }

    @Test func theNextConnectionWritesFromWhereTheSlowOneEnded() throws {
        var download = try download()
        run(&download) { $0.host(of: $1) == Self.mirror }
        let slow = try #require(cut(download).first)
        let place = try #require(download.log.firstIndex(of: .disconnect(slow)))
        let receive = download.log[place...].lazy.compactMap { action -> (at: Int64, overlap: Int64)? in
            if case .receive(_, let offset, _, let overlap) = action { (offset, overlap) } else { nil }
        }
        let next = try #require(receive.first)
        let mirror = SourceID.mirror("https://\(Self.mirror)/f")
        let given = download.machine.progress.mirroring.spans(of: 0..<download.length)
            .filter { $0.source == mirror }
        #expect(given.last?.range.upperBound == next.at && next.overlap == 0)
    }
}
