import FerryCore
import FerryTesting
import Testing

@testable import FerryIO

@Suite("Cancellation", .timeLimit(.minutes(10)))
struct CancellationTests {
    private struct MomentHasCome: Error {}

    /// Runs `work` in a task, cancels it once `moment` has come, and expects a `CancellationError`.
    private func expectCancellation(
        after moment: @escaping @Sendable () async throws -> Void,
        _ work: @escaping @Sendable () async throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let errors = ValueRecorder<any Error>()
        do {
            // What the steps throw cancels the work, and is thrown when that has ended.
            try await perform {
                do {
                    try await work()
                } catch {
                    errors.record(error)
                    throw error
                }
            } meanwhile: {
                try await moment()
                throw MomentHasCome()
            }
        } catch is MomentHasCome {
            #expect(errors.values.first is CancellationError, sourceLocation: sourceLocation)
        }
    }

    @Test func cancelledBeforeTheStart() async throws {
        try await withTransport { transport in
            let work = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await transport.fetch(.get("http://127.0.0.1:1/"))
            }
            await #expect(throws: CancellationError.self) { try await work.value }
        }
    }

    @Test func cancelledDuringTheHandshake() async throws {
        let connected = ThreadGate()
        try await withServer { connection in
            connected.open()
            await connection.waitUntilClosed()
        } _: { transport, server in
            try await expectCancellation(after: { try await connected.waitUntilOpen() }) {
                _ = try await transport.fetch(.get(server, scheme: "https"))
            }
        }
    }

    @Test func cancelledWhileTheHeadIsAwaited() async throws {
        let (asked, closed) = (ThreadGate(), ThreadGate())
        try await withServer { connection in
            try await connection.readHead()
            asked.open()
            await connection.waitUntilClosed()
            closed.open()
        } _: { transport, server in
            try await expectCancellation(after: { try await asked.waitUntilOpen() }) {
                _ = try await transport.fetch(.get(server))
            }
            try await closed.waitUntilOpen()
        }
    }

    @Test func cancelledWhileTheBodyIsHeldBack() async throws {
        let (held, closed) = (ThreadGate(), ThreadGate())
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nx")
            await connection.waitUntilClosed()
            closed.open()
        } _: { transport, server in
            try await expectCancellation(after: { try await held.waitUntilOpen() }) {
                try await transport.withResponse(to: .get(server)) { _, body in
                    held.open()
                    do {
                        try await ThreadGate().waitUntilOpen()
                    } catch {
                        // It is cancelled, and asks for the body all the same.
                    }
                    _ = try await body.receive(into: MemorySink(), at: 0, limit: nil) { _ in }
                }
            }
            try await closed.waitUntilOpen()
        }
    }

    @Test func cancelledInTheMiddleOfTheBody() async throws {
        let closed = ThreadGate()
        let sink = MemorySink()
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")
            await connection.waitUntilClosed()
            closed.open()
        } _: { transport, server in
            try await expectCancellation(after: { try await sink.waitForBytes(10) }) {
                _ = try await transport.fetch(.get(server), into: sink)
            }
            try await closed.waitUntilOpen()
        }
    }

    @Test func cancelledTransferReturnsOnlyWhenNoWriteIsUnderWay() async throws {
        let gate = ThreadGate()
        let sink = MemorySink(gate: gate)
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")
            await connection.waitUntilClosed()
            // The request is cut off at once, although the disk is busy; only then does the disk go on.
            gate.open()
        } _: { transport, server in
            try await expectCancellation(after: { try await gate.waitForArrival() }) {
                do {
                    _ = try await transport.fetch(.get(server), into: sink)
                } catch {
                    #expect(!sink.isWriting)
                    throw error
                }
            }
        }
    }

    @Test func errorOfTheHandlerClosesTheConnectionAndIsPassedOn() async throws {
        struct Unwanted: Error {}
        let closed = ThreadGate()
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234")
            await connection.waitUntilClosed()
            closed.open()
        } _: { transport, server in
            await #expect(throws: Unwanted.self) {
                try await transport.withResponse(to: .get(server)) { _, _ in throw Unwanted() }
            }
            try await closed.waitUntilOpen()
        }
    }

    @Test func shutdownEndsWhatIsRunning() async throws {
        let asked = ThreadGate()
        try await withServer { connection in
            try await connection.readHead()
            asked.open()
            await connection.waitUntilClosed()
        } _: { transport, server in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    await #expect(throws: CancellationError.self) { try await transport.fetch(.get(server)) }
                }
                try await asked.waitUntilOpen()
                await transport.shutdown()
            }
            await #expect(throws: CancellationError.self) { try await transport.fetch(.get(server)) }
        }
    }
}
