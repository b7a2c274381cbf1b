import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("After the death of an owner", .timeLimit(.minutes(10)))
struct OwnerDeathTests {
    /// Leaves the store as after the death of an owner during a download, after it recorded progress.
    private func crash(_ bench: Bench, written: Int64, durable: Int64) async throws -> TransferID {
        let process = bench.machine.spawn()
        let owner = try await bench.store.join(process.currentProcess, at: bench.clock.now)
        let specification = DownloadSpecification(url: bench.url, destination: try bench.destination)
        let added = try await bench.store.add(
            [NewTransfer(specification)],
            holder: owner,
            at: bench.clock.now
        )
        let claimed = try await bench.store.claim(upTo: 1, only: nil, for: owner, at: bench.clock.now)
        let claim = try #require(claimed.first?.claim)
        let place = FilePlace(directory: "/d", name: try FileName(userGiven: "file.bin"))
        let part = try await bench.files.createNamedPart(at: place)
        try part.write(Array(bench.bytes[..<Int(durable)]), at: 0)
        try await part.synchronize()
        try part.write(Array(bench.bytes[Int(durable)..<Int(written)]), at: durable)
        var progress = DownloadProgress()
        progress.name = place.name
        progress.part = PartFileClaim(name: place.part, identity: part.identity, boot: process.boot)
        progress.segments = try #require(
            SegmentMap(segments: [Segment(range: 0..<10_000, written: written, durable: durable)])
        )
        progress.validator = Validator([.eTag: "\"v1\""], receivedAt: bench.clock.now)
        progress.mediaType = MediaType("application/octet-stream")
        try await bench.store.record(progress, for: claim, durability: .power, at: bench.clock.now)
        bench.files.killProcess()
        bench.machine.kill(process)
        return added[0].transfer.id
    }

    @Test func underTheSameBootItGoesOnFromWhatWasWritten() async throws {
        let bench = try Bench()
        let id = try await crash(bench, written: 6_000, durable: 2_000)
        let engine = bench.engine(.everything(untilDrained: true))
        try await engine.run()
        #expect(bench.transport.requests.map { $0.headers[.range] } == ["bytes=6000-"])
        #expect(try bench.published == bench.bytes)
        #expect(try await engine.snapshot(of: id).downloadProgress.assurance == .proved)
    }

    @Test func nothingIsTakenFromAnOwnerWhoseDeathIsNotProved() async throws {
        let bench = try Bench()
        let process = bench.machine.spawn()
        let owner = try await bench.store.join(process.currentProcess, at: bench.clock.now)
        let specification = DownloadSpecification(url: bench.url, destination: try bench.destination)
        let new = NewTransfer(specification)
        let id = try #require(try await bench.store.add([new], holder: owner, at: bench.clock.now).first)
            .transfer.id
        _ = try await bench.store.claim(upTo: 1, only: nil, for: owner, at: bench.clock.now)
        let before = try #require(try await bench.store.transfer(id))
        let engine = bench.engine(.everything(untilDrained: true))
        bench.machine.kill(process)
        bench.machine.hide(process)
        try await engine.rescueTheDead()
        #expect(try await engine.snapshot(of: id) == before)
        #expect(try await engine.pause(id).wish == .pause)
        #expect(try await engine.owners().map { engine.life(of: $0) } == [.unproved])
    }

    @Test func aPersonTakesOverFromAnOwnerWhoseDeathIsNotProved() async throws {
        let bench = try Bench()
        let id = try await crash(bench, written: 6_000, durable: 2_000)
        let hidden = try #require(try await bench.store.owners().first)
        bench.machine.hide(hidden.process)
        let engine = bench.engine()
        try await engine.takeOver([TransferID(rawValue: id.rawValue + 1)])
        #expect(try await engine.snapshot(of: id).claim?.owner == hidden.id, "another transfer was named")
        try await engine.takeOver([id])
        #expect(try await engine.owners() == [])
        try await engine.follow([id])
        try await engine.run()
        #expect(bench.transport.requests.map { $0.headers[.range] } == ["bytes=6000-"])
        #expect(try bench.published == bench.bytes)
    }

    @Test func nobodyTakesOverFromAnOwnerThatLives() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let (handle, work) = try await bench.stalled(after: 5_000, under: engine)
        let before = try await bench.store.transfer(handle.id)
        try await bench.engine().takeOver([handle.id])
        #expect(try await bench.store.transfer(handle.id)?.claim == before?.claim)
        bench.transport.release()
        #expect(try await handle.value().length == 10_000)
        engine.stop()
        try await work.value
    }

    /// The lock file was removed or replaced.
    @Test func anOwnerThatNobodySeesAnyMoreTakesASeatAgain() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            #expect(await engine.isResponsive())
            let seat = ProcessIdentity.Seat(file: 7, place: 4)
            bench.machine.reseat(seat)
            let before = try await bench.store.owners().map(\.process.seat)
            bench.clock.advance(by: .seconds(3))
            #expect(await engine.isResponsive())
            let after = try await bench.store.owners().map(\.process.seat)
            #expect(before == [nil] && after == [seat])
        }
    }

    @Test(arguments: UInt64(0)..<8)
    func underAnotherBootItGoesOnFromWhatIsDurable(seed: UInt64) async throws {
        let bench = try Bench()
        _ = try await crash(bench, written: 6_000, durable: 2_000)
        bench.files.put(.file, as: try FileName(userGiven: "bystander"), in: "/d")
        bench.machine.reboot()
        bench.files.losePower(seed: seed)
        let engine = bench.engine(.everything(untilDrained: true))
        try await engine.run()
        #expect(bench.transport.requests.map { $0.headers[.range] } == ["bytes=2000-"], "seed \(seed)")
        #expect(try bench.published == bench.bytes, "seed \(seed)")
    }

    @Test func whatADeadOwnerLeavesIsTakenOverWhileTheEngineRuns() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let length = try await bench.running(engine) {
            let id = try await crash(bench, written: 1_000, durable: 1_000)
            bench.clock.advance(by: .seconds(3))
            return try await engine.transfer(id).value().length
        }
        #expect(length == 10_000)
    }

    /// An owner that has died since this engine looked.
    private func addDeadOwner(to bench: Bench) async throws {
        let process = bench.machine.spawn()
        _ = try await bench.store.join(process.currentProcess, at: bench.clock.now)
        bench.machine.kill(process)
    }

    @Test func anEngineOfGivenTransfersStartsThemBeforeItLooksForDeadOwnersAgain() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(5_000), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await addDeadOwner(to: bench)
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        #expect(try await bench.store.owners().count == 2)
        bench.clock.advance(by: .seconds(3))
        #expect(await engine.isResponsive())
        #expect(try await bench.store.owners().count == 1)
        bench.transport.release()
        try await work
        #expect(try await handle.snapshot.state == .completed)
    }

    @Test(arguments: [true, false])
    func joiningLooksForDeadOwnersUnlessTheStoreWasJustOpened(isJustOpened: Bool) async throws {
        let bench = try Bench()
        let engine = bench.engine()
        try await addDeadOwner(to: bench)
        try await engine.cleanUp()
        #expect(try await bench.store.owners().isEmpty)
        try await addDeadOwner(to: bench)
        if !isJustOpened { bench.clock.advance(by: .seconds(3)) }
        _ = try await engine.download(from: bench.url, to: bench.destination)
        #expect(try await bench.store.owners().count == (isJustOpened ? 2 : 1))
        try await engine.run()
        #expect(try bench.published == bench.bytes)
    }

    @Test func aSecondEngineNeverRunsWhatTheFirstRuns() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(5_000), at: bench.url)
        let first = bench.engine()
        let handle = try await first.download(from: bench.url, to: bench.destination)
        async let work: Void = first.run()
        try await bench.transport.nextStall()
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(bench.transport.requests.count == 1)
        #expect(try await handle.snapshot.state == .active)
        bench.transport.release()
        try await work
        #expect(try bench.published == bench.bytes)
    }

    @Test func anOwnerThatWasTakenForDeadStopsAndWritesNothing() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let (handle, work) = try await bench.stalled(after: 5_000, under: engine)
        let owners = try await bench.store.owners()
        _ = try await bench.store.remove(owners[0].id, at: bench.clock.now)
        let left = try await bench.store.transfer(handle.id)
        await #expect(throws: StoreError.self) { try await work.value }
        #expect(try await bench.store.transfer(handle.id) == left)
        #expect(left?.claim == nil && left?.state == .queued)
        #expect(try bench.published == nil)
    }
}
