import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("Several callers of one download", .timeLimit(.minutes(10)))
struct SharedDownloadTests {
    @Test func allGetTheEndOfOneTransfer() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let ends = try await bench.running(engine) {
            let handles = [
                try await engine.download(from: bench.url, to: bench.destination),
                try await engine.download(from: bench.url, to: bench.destination),
            ]
            #expect(handles[0].id == handles[1].id)
            return [try await handles[0].value(), try await handles[1].value()]
        }
        #expect(ends[0] == ends[1] && ends[0].length == 10_000)
        #expect(bench.transport.requests.count == 1)
    }

    /// Another process completes the same download between the check for completed transfers and the add.
    @Test(arguments: [ExistingFilePolicy.fail, .autoRename, .noClobber])
    func whoAsksAtTheMomentWhenItIsCompletedAttachesToIt(_ policy: ExistingFilePolicy) async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            bench.store.beforeNextLookReturns { await complete(by: engine, in: bench) }
            var options = DownloadOptions()
            options.existingFile = policy
            let other = bench.engine()
            let handle = try await other.download(from: bench.url, to: bench.destination, options: options)
            #expect(try await handle.snapshot.state == .completed)
            #expect(try await bench.store.counts() == [.completed: 1])
        }
        #expect(bench.transport.requests.count == 1)
    }

    @Test func whatWasCompletedAtThatMomentAndHasLostItsFileIsFetchedAgain() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let name = try FileName(userGiven: "file.bin")
        try await bench.running(engine) {
            bench.store.beforeNextLookReturns {
                await complete(by: engine, in: bench)
                bench.files.remove(name, in: "/d")
            }
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            #expect(try await handle.value().length == 10_000)
            #expect(try await bench.store.counts() == [.completed: 2])
        }
        #expect(try bench.published == bench.bytes)
    }

    private func complete(by engine: TransferEngine, in bench: Bench) async {
        do {
            _ = try await engine.download(from: bench.url, to: bench.destination).value()
        } catch {
            Issue.record("it was not completed: \(error)")
        }
    }

    @Test func theCancelOfOneLeavesItToTheOther() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            let (one, other) = try await twoCallers(of: engine, in: bench)
            async let waiting = one.value()
            try await one.cancel()
            // A second cancel by the same caller does not affect the other one.
            try await one.cancel()
            do {
                _ = try await waiting
                Issue.record("it ended as if it were still wanted")
            } catch let end as NoDownload {
                #expect(end == .cancelled(one.id))
            }
            await #expect(throws: NoDownload.cancelled(one.id)) { try await one.value() }
            #expect(try await other.snapshot.state == .active)
            try await other.pause()
            _ = await other.reaches(.paused)
            try await other.resume()
            let length = try await other.value().length
            #expect(length == 10_000)
        }
        #expect(try bench.published == bench.bytes)
    }

    @Test func theCancelOfTheLastEndsIt() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            let (one, other) = try await twoCallers(of: engine, in: bench)
            try await one.cancel()
            try await other.cancel()
            _ = await other.reaches(.cancelled)
            // A request after that is another download with its own caller.
            let next = try await engine.download(from: bench.url, to: bench.destination)
            #expect(next.id != one.id)
            try await next.cancel()
            _ = await next.reaches(.cancelled)
        }
        #expect(bench.files.names(in: "/d") == [])
    }

    @Test func aHoldByNumberEndsItForAll() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            let (one, other) = try await twoCallers(of: engine, in: bench)
            try await engine.transfer(one.id).cancel()
            for handle in [one, other] {
                await #expect(throws: NoDownload.cancelled(one.id)) { try await handle.value() }
            }
        }
    }

    /// Two handles of one download, from two requests. The first answer stalls.
    private func twoCallers(
        of engine: TransferEngine,
        in bench: Bench
    ) async throws -> (TransferHandle, TransferHandle) {
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let one = try await engine.download(from: bench.url, to: bench.destination)
        let other = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.transport.nextStall()
        return (one, other)
    }
}
