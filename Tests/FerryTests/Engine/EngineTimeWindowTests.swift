import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// On the bench's clock it is 22:13:20 on a Tuesday.
@Suite("Transfers run within their time windows", .timeLimit(.minutes(10)))
struct EngineTimeWindowTests {
    private func options(_ window: String) throws -> DownloadOptions {
        var options = DownloadOptions()
        options.window = try TimeWindow(parsing: window)
        return options
    }

    /// A time this long after the start of the bench's clock.
    private func moment(_ bench: Bench, _ seconds: Int) -> Instant {
        Instant(seconds: 1_700_000_000).advanced(by: .seconds(seconds))
    }

    /// Until 23:00, and until 22:00 on the next day.
    private let untilEleven = 2800
    private let untilTomorrow = 86_400 - 800

    @Test(arguments: [EngineConfiguration.Scope.followed, .everything(untilDrained: true)])
    func whatIsAddedOutsideOfItsWindowRunsWhenThatOpens(_ scope: EngineConfiguration.Scope) async throws {
        let bench = try Bench()
        let engine = bench.engine(scope)
        let handle = try await engine.download(
            from: bench.url,
            to: bench.destination,
            options: options("23:00-23:30")
        )
        let opens = moment(bench, untilEleven)
        #expect(try await handle.snapshot.state == .waiting(.window(opens: opens)))
        bench.clock.jump(to: opens.advanced(by: .seconds(-1)))
        try await bench.advancing { try await engine.run() }
        #expect(try await handle.snapshot.state == .completed)
        #expect(bench.clock.now >= opens)
        #expect(bench.transport.requests.count == 1)
        #expect(try bench.published == bench.bytes)
    }

    @Test func nothingIsAskedOfTheServerBeforeItOpens() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let handle = try await engine.download(
            from: bench.url,
            to: bench.destination,
            options: options("22:15-23:30")
        )
        try await bench.running(engine) {
            try await bench.advance {
                let state = try await handle.snapshot.state
                if bench.clock.now < moment(bench, 100) {
                    #expect(state == .waiting(.window(opens: moment(bench, 100))))
                    #expect(bench.transport.requests.isEmpty)
                }
                return state == .completed
            }
        }
        #expect(try await handle.snapshot.attempts == 1)
    }

    @Test func whatRunsStopsWhenItsWindowClosesAndGoesOnFromTheSameByteWhenItOpens() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let closes = moment(bench, 100)
        let opens = moment(bench, untilTomorrow)
        try await bench.running(engine) {
            let handle = try await engine.download(
                from: bench.url,
                to: bench.destination,
                options: options("22:00-22:15")
            )
            try await bench.transport.nextStall()
            try await bench.advance { try await handle.snapshot.state != .active }
            let stopped = try await handle.snapshot
            #expect(stopped.state == .waiting(.window(opens: opens)) && stopped.claim == nil)
            #expect(stopped.updated >= closes)
            #expect(stopped.attempts == 0 && stopped.latestFailure == nil, "it counts for no attempt")
            #expect(stopped.downloadProgress.segments.durableBytes == 4_000)
            #expect(try await engine.attempts(of: handle.id).isEmpty)
            bench.clock.jump(to: opens)
            try await bench.advance { try await handle.snapshot.state == .completed }
        }
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=4000-"])
        #expect(try bench.published == bench.bytes)
    }

    @Test func aClockThatIsSetOverTheClosingEndsIt() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        try await bench.running(engine) {
            let handle = try await engine.download(
                from: bench.url,
                to: bench.destination,
                options: options("22:00-04:00")
            )
            try await bench.transport.nextStall()
            bench.clock.jump(to: moment(bench, 6 * 3600))
            try await bench.advance { try await handle.snapshot.state != .active }
            #expect(try await handle.snapshot.state == .waiting(.window(opens: moment(bench, untilTomorrow))))
        }
    }

    @Test func whatStandsInLineWhenItsWindowClosesIsNotClaimed() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false), slots: 1)
        let other = try HTTPURL(parsing: "http://origin.example/other.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: other)
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let directory = Destination.file(directory: "/d", name: nil)
        let opens = moment(bench, untilTomorrow)
        try await bench.running(engine) {
            let window = try options("22:00-22:15")
            let first = try await engine.download(from: bench.url, to: directory, options: window)
            try await bench.transport.nextStall()
            let second = try await engine.download(from: other, to: directory, options: window)
            #expect(try await second.snapshot.state == .queued)
            try await bench.advance {
                let states = [try await first.snapshot.state, try await second.snapshot.state]
                return states.allSatisfy { $0 == .waiting(.window(opens: opens)) }
            }
            #expect(try await second.snapshot.attempts == 0)
            #expect(bench.transport.requests.count == 1)
            bench.clock.jump(to: opens)
            try await bench.advance {
                let states = [try await first.snapshot.state, try await second.snapshot.state]
                return states == [.completed, .completed]
            }
        }
    }

    @Test func anotherProcessFreesItAtOnceByAWiderWindow() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let handle = try await engine.download(
            from: bench.url,
            to: bench.destination,
            options: options("23:00-23:30")
        )
        async let work: Void = engine.run()
        _ = await handle.reaches(.waiting)
        var edit = TransferEdit()
        edit.window = try TimeWindow(parsing: "22:00-23:30")
        let other = bench.engine(.everything(untilDrained: false))
        #expect(try await other.edit(handle.id, edit).state == .queued)
        try await work
        #expect(try await handle.snapshot.state == .completed)
        #expect(bench.clock.elapsed == .zero, "no time had to pass")
    }

    @Test func aWindowThatIsMadeNarrowerEndsWhatRunsOutsideOfItAndAWiderOneLetsItGoOn() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine()
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            try await bench.transport.nextStall()
            var edit = TransferEdit()
            edit.window = try TimeWindow(parsing: "22:00-23:00")
            #expect(try await engine.edit(handle.id, edit).wish == nil)
            edit.window = try TimeWindow(parsing: "23:00-23:30")
            #expect(try await engine.edit(handle.id, edit).state == .active)
            let waiting = await handle.reaches(.waiting)
            #expect(waiting?.state == .waiting(.window(opens: moment(bench, untilEleven))))
            #expect(waiting?.downloadProgress.segments.received == 4_000)
            edit.window = .always
            try await engine.edit(handle.id, edit)
            #expect(try await handle.value().length == 10_000)
        }
        #expect(bench.clock.elapsed == .zero)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func aStreamBeginsWithinItsWindowAndGoesOnBehindIt() async throws {
        let bench = try Bench()
        bench.files.addStream("/pipe")
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine()
        try await bench.running(engine) {
            let handle = try await engine.download(
                from: bench.url,
                to: .stream(path: "/pipe"),
                options: options("22:00-22:15")
            )
            try await bench.transport.nextStall()
            bench.clock.jump(to: moment(bench, untilEleven))
            try await bench.advance { bench.clock.elapsed > .seconds(120) }
            #expect(try await handle.snapshot.state == .active)
            bench.transport.release()
            _ = try await handle.value()
        }
        #expect(bench.transport.requests.count == 1)
        #expect(bench.files.streamed(to: "/pipe") == bench.bytes)
    }
}
