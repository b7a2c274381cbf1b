import FerryCore
import FerryTesting
import Testing

@testable import FerryIO

@Suite("Network and disk at different speeds", .timeLimit(.minutes(10)))
struct BackPressureTests {
    @Test func bodyIsHeldBackUntilItIsAskedFor() async throws {
        try await withServer(serveLargeBody) { transport, server in
            let sink = MemorySink()
            let count = try await transport.withResponse(to: .get(server)) { _, body in
                // The event loops of both sides turn often enough to bring all of it, were it let through.
                for _ in 0..<100 { _ = try await transport.fetch(.get(server, "/small")) }
                #expect(sink.bytes.isEmpty)
                #expect(server.bytesSent < largeBodyLength / 2)
                return try await body.receive(into: sink, at: 0, limit: nil) { _ in }
            }
            #expect(count == Int64(largeBodyLength))
        }
    }

    @Test func blockedSinkKeepsTheServerWaiting() async throws {
        let gate = ThreadGate()
        let sink = MemorySink(gate: gate)
        try await withServer(serveLargeBody) { transport, server in
            let count = try await perform {
                try await transport.fetch(.get(server), into: sink).count
            } meanwhile: {
                defer { gate.open() }
                try await gate.waitForArrival()
                for _ in 0..<100 { _ = try await transport.fetch(.get(server, "/small")) }
                #expect(server.bytesSent < largeBodyLength / 2)
            }
            #expect(count == Int64(largeBodyLength))
            #expect(!sink.overlapped)
        }
    }

    /// A loop writes to a quick sink itself.
    @Test(arguments: [false, true])
    func failureOfTheSinkStopsTheTransfer(isQuick: Bool) async throws {
        let full = StorageProblem(
            .condition(.diskSpace(needed: 1), .diskFull, "The disk is full."),
            errno: 28
        )
        let sink = MemorySink(failsAt: 2_000_000, failure: full, isQuick: isQuick)
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            while true { try await connection.send([UInt8](repeating: 7, count: 1 << 20)) }
        } _: { transport, server in
            await #expect(throws: full) { try await transport.fetch(.get(server), into: sink) }
        }
        #expect(sink.bytes.count <= 2_000_000)
    }

    @Test func failureOfTheLastWriteIsNotASuccess() async throws {
        let fault = StorageProblem(.permanent(.storageFault, "The disk is broken."), errno: 5)
        let gate = ThreadGate()
        let sink = MemorySink(failsAt: 1, failure: fault, gate: gate)
        let small = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        let large = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789"
        await #expect(throws: fault) {
            try await withServer { connection in
                let head = try await connection.readHead()
                try await connection.send(head.hasPrefix("GET /small") ? small : large)
                await connection.close()
            } _: { transport, server in
                try await perform {
                    try await transport.fetch(.get(server), into: sink).count
                } meanwhile: {
                    defer { gate.open() }
                    // The response has ended by now, and only the disk is late.
                    try await gate.waitForArrival()
                    for _ in 0..<10 { _ = try await transport.fetch(.get(server, "/small")) }
                }
            }
        }
    }

    @Test func largeBodySurvivesEverySizeOfBuffer() async throws {
        let body = pattern(1_000_003)
        var plan = BufferPlan()
        (plan.receiveBytes, plan.waitingBytes, plan.smallPartBytes) = (1024, 1, 100)
        plan.readsInARow = 3
        try await withServer(buffers: plan) { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000003\r\n\r\n")
            try await connection.send(body)
        } _: { transport, server in
            let (_, count, bytes) = try await transport.fetch(.get(server))
            #expect(count == 1_000_003)
            #expect(bytes == body)
        }
    }
}
