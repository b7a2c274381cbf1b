import Ferry
import FerryCore
import FerryTesting
import Testing

/// A transfer waits for space on a full disk (I10).
@Suite(.timeLimit(.minutes(10)))
struct DiskSpaceTests {
    @Test func aTransferThatWaitsForSpaceGoesOnWhenThereIsSome() async throws {
        let bench = try Bench()
        bench.files.setCapacity(4_000)
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            let waiting = await handle.reaches(.waiting)
            guard case .waiting(.diskSpace)? = waiting?.state else {
                Issue.record("\(String(describing: waiting?.state))")
                return
            }
            #expect(waiting?.attempts == 0 && waiting?.latestFailure?.code == .diskFull)
            #expect(try bench.published == nil)
            bench.files.setCapacity(nil)
            let download = try await bench.advancing { try await handle.value() }
            #expect(download.length == 10_000)
            #expect(try bench.published == bench.bytes)
        }
    }

    @Test func aRequestThatSavesItsResponseGoesOnWhenThereIsSome() async throws {
        let bench = try Bench()
        bench.files.setCapacity(4_000)
        let engine = bench.engine(.everything(untilDrained: false))
        var request = try RequestSpecification(url: bench.url)
        request.responseFile = ResponseFile(directory: "/d", name: try FileName(userGiven: "file.bin"))
        try await bench.running(engine) { [request] in
            let handle = try await engine.send(request)
            guard case .waiting(.diskSpace)? = await handle.reaches(.waiting)?.state else {
                Issue.record("it does not wait for space")
                return
            }
            #expect(try bench.published == nil)
            bench.files.setCapacity(nil)
            let response = try await bench.advancing { try await handle.response() }
            #expect(response.savedLength == 10_000)
            #expect(try bench.published == bench.bytes)
        }
    }

    @Test func aLookForSpaceAsksForNoRoute() async throws {
        let bench = try Bench()
        bench.files.setCapacity(4_000)
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            _ = await handle.reaches(.waiting)
            #expect(await engine.isResponsive())
            let asked = bench.network.questions.count
            let start = bench.clock.elapsed
            try await bench.advance { bench.clock.elapsed - start >= .seconds(20) }
            #expect(await engine.isResponsive())
            #expect(bench.network.questions.count == asked)
            bench.files.setCapacity(nil)
            #expect(try await bench.advancing { try await handle.value() }.length == 10_000)
        }
    }
}
