import FerryCore
import FerryTesting
import HTTPTypes
import Synchronization
import Testing

@Suite("Failures of a scripted origin", .timeLimit(.minutes(60)))
struct ScriptedTransportTests {
    /// A sink that keeps what it is given.
    private final class MemorySink: ByteSink {
        private let bytes = Mutex<[UInt8]>([])
        var content: [UInt8] { bytes.withLock { $0 } }

        func write(_ span: RawSpan, at offset: Int64) throws(StorageProblem) {
            let more = span.withUnsafeBytes { Array($0) }
            bytes.withLock { $0 += more }
        }
    }

    private let clock = ManualClock()
    private let bytes = (0..<2_500).map { UInt8(truncatingIfNeeded: $0) }

    /// What comes of a request that meets a fault: how long the body was announced to be, and what came of it.
    private func fetch(
        _ fault: ScriptedFault,
        from first: Int = 0
    ) async throws -> (length: Int64?, bytes: [UInt8], error: (any Error)?) {
        let transport = ScriptedTransport(clock: clock)
        let url = try HTTPURL(parsing: "http://origin.example/")
        transport.set(ScriptedResource(bytes, entityTag: "\"v1\""), at: url)
        transport.order(fault, at: url)
        let sink = MemorySink()
        let length = Mutex<Int64?>(nil)
        do {
            try await transport.withResponse(
                to: TransportRequest(url: url, headers: first > 0 ? [.range: "bytes=\(first)-"] : [:])
            ) { head, body in
                length.withLock { $0 = head.bodyLength }
                _ = try await body.receive(into: sink, at: Int64(first), limit: nil) { _ in }
            }
        } catch {
            return (length.withLock { $0 }, sink.content, error)
        }
        return (length.withLock { $0 }, sink.content, nil)
    }

    @Test func aTransportGivesUpWaitingForTheHeadOrTheRest() async throws {
        for (fault, count) in [
            (ScriptedFault.timeOutBeforeHead(.seconds(9)), 0), (.timeOutAfter(700, .seconds(9)), 700),
        ] {
            async let result = fetch(fault)
            #expect(await clock.nextTimer() == .seconds(9))
            clock.advance(by: .seconds(9))
            let (_, bytes, error) = try await result
            #expect((error as? Problem)?.failure.code == .timeout)
            #expect(bytes == Array(self.bytes.prefix(count)))
        }
    }

    @Test func aLengthThatIsTooLongIsNeverReached() async throws {
        let (length, bytes, error) = try await fetch(.overstateLength(by: 10))
        #expect(length == 2_510 && bytes == self.bytes)
        #expect((error as? Problem)?.failure.code == .connectionLost)
    }

    /// The body of an answer, if it can be taken with the head.
    private func take(
        _ fault: ScriptedFault?,
        isWhole: Bool = true,
        upTo bound: Int
    ) async throws -> [UInt8]? {
        let transport = ScriptedTransport(clock: clock, bringsWholeBody: { isWhole })
        let url = try HTTPURL(parsing: "http://origin.example/")
        transport.set(ScriptedResource(bytes), at: url)
        if let fault { transport.order(fault, at: url) }
        return try await transport.withResponse(to: TransportRequest(url: url, headers: [:])) { _, body in
            body.takeWhole(upTo: bound)
        }
    }

    @Test func aBodyThatHasArrivedIsTakenWhole() async throws {
        #expect(try await take(nil, upTo: 2_500) == bytes)
        #expect(try await take(nil, upTo: 2_499) == nil)
        #expect(try await take(nil, isWhole: false, upTo: 2_500) == nil)
    }

    @Test func aBodyThatLacksItsEndIsNeverTakenWhole() async throws {
        for fault in [
            ScriptedFault.breakAfter(900), .stallAfter(900), .timeOutAfter(900, .seconds(9)),
            .overstateLength(by: 10),
        ] {
            #expect(try await take(fault, upTo: 5_000) == nil)
        }
    }

    @Test func aBodyThatIsTakenWholeGoesOnWithTheBytesOfAnother() async throws {
        let other = bytes.map { $0 &+ 1 }
        let taken = try await take(.switchAfter(900, to: other), upTo: 2_500)
        #expect(taken == Array(bytes[..<900] + other[900...]))
    }

    @Test func aBodyGoesOnWithTheBytesOfAnotherAtTheSameOffsets() async throws {
        let other = bytes.map { $0 &+ 1 }
        let (_, whole, error) = try await fetch(.switchAfter(900, to: other))
        #expect(error == nil && whole == Array(bytes[..<900] + other[900...]))
        let (_, part, _) = try await fetch(.switchAfter(100, to: other), from: 2_000)
        #expect(part == Array(bytes[2_000..<2_100] + other[2_100...]))
    }
}
