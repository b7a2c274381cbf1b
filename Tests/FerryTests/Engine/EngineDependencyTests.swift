import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Transfers that wait for other transfers", .timeLimit(.minutes(10)))
struct EngineDependencyTests {
    @Test func aQueueIsDrainedInOrderWhateverThePriorities() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: true))
        let first = try await engine.add("a", on: bench)
        let second = try await engine.add("b", on: bench, priority: 5, after: [first])
        let third = try await engine.add("c", on: bench, priority: 9, after: [first, second])
        try await engine.run()
        #expect(bench.transport.requests.map(\.url.absoluteString) == bench.urls("a", "b", "c"))
        for id in [first, second, third] { #expect(try await engine.snapshot(of: id).state == .completed) }
    }

    @Test func aTransferWaitsForWhatAnotherProcessRunsAndGoesOnWhenThatIsDone() async throws {
        let bench = try Bench()
        let runner = bench.engine()
        let (first, work) = try await bench.stalled(after: 4_000, under: runner)
        let engine = bench.engine()
        let handle = try await engine.download(
            from: bench.resource("b"),
            to: bench.place("b"),
            after: [first.id]
        )
        let updates = handle.events
        async let waiting: Void = engine.run()
        for await update in updates where update.transfer.state == .waiting(.dependency) {
            #expect(update.transfer.dependencies == [first.id])
            break
        }
        // A round of the second engine has ended, so what it started for that round is over.
        _ = await engine.isResponsive()
        // Each engine searches for dead owners and prunes, and the attempt ticks: no timer without work.
        #expect(bench.clock.sleepers <= 5)
        bench.clock.advance(by: .seconds(3))
        #expect(try await handle.snapshot.state == .waiting(.dependency))
        #expect(bench.transport.requests.count == 1)
        bench.transport.release()
        try await work.value
        try await waiting
        #expect(try await handle.snapshot.state == .completed)
        #expect(bench.transport.requests.last?.url.absoluteString == bench.urls("b").first)
    }

    @Test func aDrainedQueueDoesNotStayForWhatAnotherProcessHolds() async throws {
        let bench = try Bench()
        let runner = bench.engine()
        let (first, work) = try await bench.stalled(after: 4_000, under: runner)
        let engine = bench.engine(.everything(untilDrained: true))
        let last = try await engine.add("b", on: bench, after: [first.id])
        try await engine.run()
        #expect(try await engine.snapshot(of: last).state == .waiting(.dependency))
        bench.transport.release()
        try await work.value
        let again = bench.engine(.everything(untilDrained: true))
        try await again.run()
        #expect(try await again.snapshot(of: last).state == .completed)
    }

    @Test func whatFailsTakesAllBehindItAlongAndTheyAreToldOf() async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: 404, [:]), at: try bench.resource("a"))
        let engine = bench.engine(.everything(untilDrained: true))
        let first = try await engine.add("a", on: bench)
        let second = try await engine.add("b", on: bench, after: [first])
        let third = try await engine.add("c", on: bench, after: [second])
        let apart = try await engine.add("d", on: bench)
        let updates = engine.updates()
        try await engine.run()
        var failed: [TransferID] = []
        for await update in updates {
            if case .failed = update.transfer.state { failed.append(update.transfer.id) }
        }
        #expect(failed == [first, second, third])
        let handle = engine.transfer(third)
        do {
            _ = try await handle.value()
            Issue.record("it came after what failed")
        } catch let failure as TransferFailure {
            #expect(failure.code == .dependencyFailed && failure.cause == .notFound)
            #expect(failure.message.contains("Transfer \(first)"))
        }
        #expect(try await engine.snapshot(of: apart).state == .completed)
        #expect(Set(bench.transport.requests.map(\.url.absoluteString)) == Set(bench.urls("a", "d")))
    }

    @Test func whatFailsBehindAnotherInAStrictQueueIsToldOfOnce() async throws {
        let bench = try Bench()
        for _ in 0..<2 { bench.transport.order(.answer(status: 404, [:]), at: try bench.resource("a")) }
        let engine = bench.engine(.everything(untilDrained: true))
        var edit = QueueEdit()
        (edit.slots, edit.order, edit.onFailure) = (1, .strict, .fail)
        _ = try await engine.editQueue("q", edit)
        var ids: [TransferID] = []
        for name in ["a", "b", "c"] { ids.append(try await engine.add(name, on: bench, queue: "q")) }
        let after = try await engine.add("d", on: bench, after: [ids[2]])
        let updates = engine.updates()
        try await engine.run()
        var failed: [TransferID] = []
        for await update in updates where update.transfer.state.name == .failed {
            failed.append(update.transfer.id)
        }
        #expect(failed.count == 4 && failed.first == ids[0] && Set(failed) == Set(ids + [after]))

        bench.clock.advance(by: .seconds(1))
        let again = bench.engine(.everything(untilDrained: true))
        try await again.resume(ids[0])
        let later = again.updates()
        try await again.run()
        failed = []
        for await update in later where update.transfer.state.name == .failed {
            failed.append(update.transfer.id)
        }
        #expect(failed == [ids[0]], "the others failed before")
    }

    @Test func oldFailuresAreNotToldAnew() async throws {
        let bench = try Bench()
        for _ in 0..<2 { bench.transport.order(.answer(status: 404, [:]), at: try bench.resource("a")) }
        let engine = bench.engine(.everything(untilDrained: true))
        let first = try await engine.add("a", on: bench)
        _ = try await engine.add("b", on: bench, after: [first])
        try await engine.run()
        bench.clock.advance(by: .seconds(1))
        let again = bench.engine(.everything(untilDrained: true))
        try await again.resume(first)
        let updates = again.updates()
        try await again.run()
        var failed: [TransferID] = []
        for await update in updates {
            if case .failed = update.transfer.state { failed.append(update.transfer.id) }
        }
        #expect(failed == [first])
    }

    @Test func whatIsCancelledEndsTheCommandThatWaitsForIt() async throws {
        let bench = try Bench()
        let other = bench.engine(.everything(untilDrained: false))
        let first = try await other.add("a", on: bench)
        let engine = bench.engine()
        let handle = try await engine.download(
            from: bench.resource("b"),
            to: bench.place("b"),
            after: [first]
        )
        async let work: Void = engine.run()
        _ = await handle.reaches(.waiting)
        try await other.cancel(first)
        try await work
        await #expect(throws: TransferFailure.self) { try await handle.value() }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func whatWaitedWhenItsCommandWasStoppedWaitsAgain() async throws {
        let bench = try Bench()
        let queue = bench.engine(.everything(untilDrained: true))
        let first = try await queue.add("a", on: bench)
        let engine = bench.engine(whenStopped: .pause)
        let handle = try await engine.download(
            from: bench.resource("b"),
            to: bench.place("b"),
            after: [first]
        )
        async let work: Void = engine.run()
        _ = await handle.reaches(.waiting)
        engine.stop()
        try await work
        #expect(try await handle.snapshot.state == .paused)
        #expect(try await queue.resume(handle.id).state == .waiting(.dependency))
        #expect(bench.transport.requests.isEmpty)
        try await queue.run()
        #expect(bench.transport.requests.map(\.url.absoluteString) == bench.urls("a", "b"))
    }

    @Test func nothingIsRecordedOfWhatCannotComeAfterWhatWasNamed() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        await #expect(throws: StoreError.noSuchTransfer(TransferID(rawValue: 7))) {
            try await engine.download(
                from: bench.url,
                to: bench.destination,
                after: [TransferID(rawValue: 7)]
            )
        }
        #expect(try await engine.transfers(limit: 1).isEmpty)
    }
}

extension Bench {
    /// A resource of this name at the origin.
    fileprivate func resource(_ name: String) throws -> HTTPURL {
        let url = try HTTPURL(parsing: "http://origin.example/\(name)")
        transport.set(ScriptedResource(bytes, entityTag: "\"v1\""), at: url)
        return url
    }

    fileprivate func place(_ name: String) throws -> Destination {
        .file(directory: "/d", name: try FileName(userGiven: name))
    }

    fileprivate func urls(_ names: String...) -> [String] {
        names.map { "http://origin.example/\($0)" }
    }
}

extension TransferEngine {
    /// Queues a resource of a bench.
    fileprivate func add(
        _ name: String,
        on bench: Bench,
        priority: Int = 0,
        queue: String = NewTransfer.defaultQueue,
        after others: [TransferID] = []
    ) async throws -> TransferID {
        let specification = DownloadSpecification(
            url: try bench.resource(name),
            destination: try bench.place(name)
        )
        let new = NewTransfer(specification, queue: queue, priority: priority, after: others)
        return try await add([new])[0].transfer.id
    }
}
