import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Rate limits of one transfer and of all together", .timeLimit(.minutes(10)))
struct RateLimitingTests {
    private func options(_ limit: String) throws -> DownloadOptions {
        var options = DownloadOptions()
        options.rateLimit = try RateLimit(parsing: limit)
        return options
    }

    /// Downloads the bench's 10,000 bytes, and returns how long that took.
    private func download(
        _ bench: Bench,
        _ engine: TransferEngine,
        _ options: DownloadOptions = DownloadOptions()
    ) async throws -> Duration {
        let begin = bench.clock.elapsed
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
            try await bench.advance { try await handle.snapshot.state == .completed }
        }
        #expect(try bench.published == bench.bytes)
        return bench.clock.elapsed - begin
    }

    @Test func aTransferKeepsToItsOwnLimit() async throws {
        let bench = try Bench()
        #expect(try await download(bench, bench.engine(), options("1K")) >= .seconds(9.7))
    }

    @Test func allTransfersKeepToTheLimitOfTheirEngineTogether() async throws {
        let bench = try Bench()
        let other = try HTTPURL(parsing: "http://origin.example/other.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: other)
        let engine = bench.engine(rateLimit: try RateSchedule(parsing: "2K"))
        try await bench.running(engine) {
            let directory = Destination.file(directory: "/d", name: nil)
            let one = try await engine.download(from: bench.url, to: directory, options: options("1M"))
            let two = try await engine.download(from: other, to: directory)
            try await bench.advance {
                let states = [try await one.snapshot.state, try await two.snapshot.state]
                return states == [.completed, .completed]
            }
        }
        #expect(bench.clock.elapsed >= .seconds(9.7))
    }

    @Test func theSmallerOfBothLimitsHolds() async throws {
        let bench = try Bench()
        let engine = bench.engine(rateLimit: try RateSchedule(parsing: "1M"))
        #expect(try await download(bench, engine, options("1K")) >= .seconds(9.7))
    }

    /// Downloads three files of 10,000 bytes, one after another, from a server whose bodies come all at once; returns how
    /// long that took.
    private func downloadThree(
        _ bench: Bench,
        _ engine: TransferEngine,
        in queue: String = NewTransfer.defaultQueue
    ) async throws -> Duration {
        let transfers = try ["a", "b", "c"].map { name in
            let url = try HTTPURL(parsing: "http://origin.example/\(name)")
            bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: url)
            let work = DownloadSpecification(url: url, destination: .file(directory: "/d", name: nil))
            return NewTransfer(work, queue: queue)
        }
        let handles = try await engine.download(transfers).map { engine.transfer($0.transfer.id) }
        try await bench.running(engine) {
            try await bench.advance {
                for handle in handles {
                    guard try await handle.snapshot.state == .completed else { return false }
                }
                return true
            }
        }
        return bench.clock.elapsed
    }

    /// A server that closes each connection leaves nothing to hold back, so the next request waits instead.
    @Test func filesThatComeAllAtOnceKeepToTheLimitTogether() async throws {
        let bench = try Bench(bringsWholeBodies: true)
        let engine = bench.engine(rateLimit: try RateSchedule(parsing: "1K"), slots: 1)
        #expect(try await downloadThree(bench, engine) >= .seconds(19))
    }

    @Test func aQueueRemembersWhatItsLastTransferHasReceived() async throws {
        let bench = try Bench(bringsWholeBodies: true)
        let engine = bench.engine(.everything(untilDrained: false))
        var queue = TransferQueue("narrow")
        (queue.slots, queue.rateLimit) = (1, try RateLimit(parsing: "1K"))
        try await engine.setQueue(queue)
        #expect(try await downloadThree(bench, engine, in: "narrow") >= .seconds(19))
    }

    @Test func aFileThatHasComeAllAtOnceIsNotHeldBack() async throws {
        let bench = try Bench(bringsWholeBodies: true)
        let engine = bench.engine(rateLimit: try RateSchedule(parsing: "1K"))
        try await bench.running(engine) {
            _ = try await engine.download(from: bench.url, to: bench.destination).value()
        }
        #expect(bench.clock.elapsed == .zero)
    }

    @Test func aRequestWaitsForTheResponseOfTheOneBefore() async throws {
        let bench = try Bench()
        let engine = bench.engine(rateLimit: try RateSchedule(parsing: "1K"), slots: 1)
        try await bench.running(engine) {
            let request = try RequestSpecification(method: .post, url: bench.url, body: StoredBody([1]))
            let first = try await engine.send(request)
            let second = try await engine.send(request)
            try await bench.advance {
                let states = [try await first.snapshot.state, try await second.snapshot.state]
                return states == [.completed, .completed]
            }
        }
        #expect(bench.clock.elapsed >= .seconds(9))
    }

    @Test func questionsBesideTheTransfersKeepToTheLimitOfTheEngine() async throws {
        let bench = try Bench()
        let engine = bench.engine(rateLimit: try RateSchedule(parsing: "1K"))
        let client = DirectoryClient(engine, home: bench.url.origin, ExchangeTerms(), retries: 0)
        try await bench.advancing {
            for _ in 1...2 {
                let document = try await client.document(at: bench.url)
                #expect(document.bytes == bench.bytes)
            }
        }
        #expect(bench.clock.elapsed >= .seconds(9))
    }

    @Test func withoutALimitNoTimePasses() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        try await bench.running(engine) {
            _ = try await engine.download(from: bench.url, to: bench.destination).value()
        }
        #expect(bench.clock.elapsed == .zero)
    }

    @Test(arguments: [true, false])
    func aLimitThatIsLiftedWhileATransferRunsLetsItGoOnOverTheSameConnection(_ isOwn: Bool) async throws {
        let bench = try Bench()
        let slow = "1K"
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        bench.transport.set(ScriptedResource(bytes, entityTag: "\"v2\""), at: bench.url)
        let engine = bench.engine(rateLimit: isOwn ? .off : try RateSchedule(parsing: slow))
        try await bench.running(engine) {
            let handle = try await engine.download(
                from: bench.url,
                to: bench.destination,
                options: isOwn ? options(slow) : DownloadOptions()
            )
            try await bench.advance { try await engine.progress(of: handle.id).received >= 2000 }
            if isOwn {
                var edit = TransferEdit()
                edit.rateLimit = .off
                #expect(try await engine.edit(handle.id, edit).wish == nil)
            } else {
                engine.setRateLimit(.off)
            }
            try await bench.advance { try await handle.snapshot.state == .completed }
        }
        #expect(try bench.published == bytes)
        #expect(bench.transport.requests.count == 1)
        // Under the limit it would have taken more than a thousand seconds.
        #expect(bench.clock.elapsed < .seconds(500))
    }

    @Test func theLimitFollowsTheTimeOfDay() async throws {
        let bench = try Bench()
        // The bench's clock shows 22:13:20; the limit of the night is lifted after almost seven minutes.
        let engine = bench.engine(rateLimit: try RateSchedule(parsing: "22:00,1K 22:20,off"))
        bench.transport.set(
            ScriptedResource([UInt8](repeating: 1, count: 1 << 20), entityTag: "\"v2\""),
            at: bench.url
        )
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            try await bench.advance { bench.clock.elapsed >= .seconds(399) }
            #expect(try await engine.progress(of: handle.id).received < 420 * 1024)
            try await bench.advance { try await handle.snapshot.state == .completed }
        }
        // A megabyte at a kibibyte a second would have taken more than a thousand seconds.
        #expect(bench.clock.elapsed < .seconds(900))
    }
}
