import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("An application in the background", .timeLimit(.minutes(10)))
struct BackgroundTests {
    static let scopes: [EngineConfiguration.Scope] = [.followed, .everything(untilDrained: false)]

    @Test(arguments: scopes)
    func whatIsStoppedIsRecordedAndFreeAndGoesOnFromTheSameByte(
        _ scope: EngineConfiguration.Scope
    ) async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine(scope)
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            await engine.applicationDidEnterBackground(.stop)
            let row = try await handle.snapshot
            #expect(row.state == .queued && row.claim == nil && row.attempts == 0)
            #expect(row.downloadProgress.segments.received == 4_000)
            // An observer that starts here sees why nothing happens.
            #expect(await handle.reaches(.waiting)?.state == .waiting(.applicationInactive))
            engine.applicationWillEnterForeground()
            let length = try await handle.value().length
            #expect(length == 10_000)
        }
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=4000-"])
    }

    @Test func anotherProcessMayGoOnMeanwhile() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            await engine.applicationDidEnterBackground(.stop)
            try await bench.engine(.everything(untilDrained: true)).run()
            let length = try await handle.value().length
            #expect(length == 10_000)
        }
    }

    @Test func whatRunsMayFinishAndNothingElseBegins() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        let other = try HTTPURL(parsing: "http://other.example/file.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: other)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            await engine.applicationDidEnterBackground(.finishActive)
            let later = try await engine.download(
                from: other,
                to: .file(directory: "/d", name: try FileName(userGiven: "other.bin"))
            )
            bench.transport.release()
            _ = try await handle.value()
            #expect(await later.reaches(.waiting)?.state == .waiting(.applicationInactive))
            #expect(bench.transport.requests.map(\.url) == [bench.url])
            engine.applicationWillEnterForeground()
            _ = try await later.value()
        }
    }

    @Test func whereEverythingGoesOnNothingIsStopped() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        await engine.applicationDidEnterBackground(.keepRunning)
        try await engine.run()
        #expect(try await handle.snapshot.state == .completed)
    }

    @Test func anEngineThatDoesNotRunIsStoppedAtOnceAndBeginsNothing() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        await engine.applicationDidEnterBackground(.stop)
        try await bench.running(engine) {
            #expect(await handle.reaches(.waiting)?.state == .waiting(.applicationInactive))
            #expect(bench.transport.requests.isEmpty)
            engine.applicationWillEnterForeground()
            _ = try await handle.value()
        }
    }

    private var foregroundOnly: DownloadOptions {
        var options = DownloadOptions()
        options.runsInBackground = false
        return options
    }

    @Test(arguments: scopes, [BackgroundPolicy.keepRunning, .finishActive])
    func whatRunsInTheForegroundOnlyIsReleasedAndTheRestRunsOn(
        _ scope: EngineConfiguration.Scope,
        _ policy: BackgroundPolicy
    ) async throws {
        let bench = try Bench()
        let other = try HTTPURL(parsing: "http://other.example/other.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: other)
        for url in [bench.url, other] { bench.transport.order(.stallAfter(4_000), at: url) }
        let engine = bench.engine(scope)
        let handle = try await engine.download(
            from: bench.url,
            to: bench.destination,
            options: foregroundOnly
        )
        let rest = try await engine.download(from: other, to: .file(directory: "/d", name: nil))
        try await bench.running(engine) {
            for _ in 1...2 { try await bench.transport.nextStall() }
            await engine.applicationDidEnterBackground(policy)
            let row = try await handle.snapshot
            #expect(row.state == .queued && row.claim == nil && row.attempts == 0)
            #expect(row.downloadProgress.segments.received == 4_000)
            #expect(await handle.reaches(.waiting)?.state == .waiting(.applicationInactive))
            #expect(try await rest.snapshot.state == .active)
            bench.transport.release()
            _ = try await rest.value()
            #expect(try await handle.snapshot.state == .queued, "a free slot is no reason to start it")
            engine.applicationWillEnterForeground()
            #expect(try await handle.value().length == 10_000)
        }
        let ranges = bench.transport.requests.filter { $0.url == bench.url }.map { $0.headers[.range] }
        #expect(ranges == [nil, "bytes=4000-"])
    }

    @Test func whatRunsInTheForegroundOnlyDoesNotBeginInTheBackground() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let other = try HTTPURL(parsing: "http://other.example/other.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: other)
        let options = foregroundOnly
        try await bench.running(engine) {
            await engine.applicationDidEnterBackground(.keepRunning)
            let handle = try await engine.download(
                from: bench.url,
                to: bench.destination,
                options: options
            )
            let rest = try await engine.download(from: other, to: .file(directory: "/d", name: nil))
            _ = try await rest.value()
            #expect(await handle.reaches(.waiting)?.state == .waiting(.applicationInactive))
            #expect(bench.transport.requests.map(\.url) == [other])
            engine.applicationWillEnterForeground()
            _ = try await handle.value()
            #expect(try await handle.snapshot.attempts == 1)
        }
    }

    @Test func anotherProcessRunsWhatThisOneRunsInTheForegroundOnly() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.download(
            from: bench.url,
            to: bench.destination,
            options: foregroundOnly
        )
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            await engine.applicationDidEnterBackground(.keepRunning)
            try await bench.engine(.everything(untilDrained: true)).run()
            #expect(try await handle.value().length == 10_000)
        }
    }

    @Test(arguments: scopes, [BackgroundPolicy.stop, .finishActive, .keepRunning])
    func anotherProcessMayRunWhatIsAddedInTheBackground(
        _ scope: EngineConfiguration.Scope,
        _ policy: BackgroundPolicy
    ) async throws {
        let bench = try Bench()
        let engine = bench.engine(scope)
        let options = foregroundOnly
        try await bench.running(engine) {
            #expect(await engine.isResponsive())
            await engine.applicationDidEnterBackground(policy)
            let handle = try await engine.download(
                from: bench.url,
                to: bench.destination,
                options: options
            )
            #expect(await engine.isResponsive())
            #expect(try await handle.snapshot.claim == nil)
            try await bench.engine(.everything(untilDrained: true)).run()
            #expect(try await handle.value().length == 10_000)
        }
    }

    @Test(arguments: scopes)
    func anotherProcessMayRunWhatWaitedInTheBackgroundAndIsNowForTheForegroundOnly(
        _ scope: EngineConfiguration.Scope
    ) async throws {
        let bench = try Bench()
        let other = try HTTPURL(parsing: "http://other.example/other.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: other)
        bench.transport.order(.stallAfter(4_000), at: other)
        let engine = bench.engine(scope, slots: 1)
        _ = try await engine.download(from: other, to: .file(directory: "/d", name: nil))
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            await engine.applicationDidEnterBackground(.keepRunning)
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            #expect(await engine.isResponsive())
            #expect(try await handle.snapshot.claim != nil, "this engine runs it next")
            var edit = TransferEdit()
            edit.runsInBackground = false
            try await engine.edit(handle.id, edit)
            #expect(await engine.isResponsive())
            #expect(try await handle.snapshot.claim == nil)
            try await bench.engine(.everything(untilDrained: true)).run()
            #expect(try await handle.value().length == 10_000)
        }
    }

    @Test func aStopIsObeyedInTheBackgroundAsWell() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            await engine.applicationDidEnterBackground(.stop)
        }
        #expect(try await handle.snapshot.state == .queued)
    }
}
