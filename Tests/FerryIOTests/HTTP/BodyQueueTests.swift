import FerryCore
import FerryTesting
import NIOCore
import Testing

@testable import FerryIO

@Suite("Between network and disk")
struct BodyQueueTests {
    private struct Broken: Error {}
    private let plan = BufferPlan(receiveBytes: 1000, readsInARow: 1, waitingBytes: 2000, smallPartBytes: 100)

    private func part(_ count: Int, _ byte: UInt8 = 1) -> ByteBuffer {
        ByteBuffer(repeating: byte, count: count)
    }

    private func admit(_ part: ByteBuffer, to queue: inout BodyQueue) -> (starts: Bool, isFull: Bool)? {
        guard case .queued(let starts, let isFull) = queue.admit(part) else { return nil }
        return (starts, isFull)
    }

    private func succeeded(_ queue: BodyQueue) -> Int64? {
        guard case .success(let count)? = queue.result else { return nil }
        return count
    }

    private func hasFailed(_ queue: BodyQueue) -> Bool {
        guard case .failure? = queue.result else { return false }
        return true
    }

    @Test func onlyTheFirstPartStartsTheDraining() {
        var queue = BodyQueue(at: 10, limit: nil, bound: NoBound(), plan: plan)
        #expect(admit(part(500), to: &queue)?.starts == true)
        #expect(admit(part(500), to: &queue)?.starts == false)
        let batch = queue.nextBatch()
        #expect(batch?.offset == 10)
        #expect(batch?.count == 1000)
        #expect(admit(part(500), to: &queue)?.starts == false, "a batch is being written")
        #expect(queue.wrote(1000) == true)
        #expect(queue.nextBatch()?.offset == 1010)
        #expect(queue.wrote(500) == false)
        #expect(admit(part(500), to: &queue)?.starts == true)
    }

    @Test func bytesBeingWrittenCountAgainstTheBound() {
        var queue = BodyQueue(at: 0, limit: nil, bound: NoBound(), plan: plan)
        #expect(admit(part(1999), to: &queue)?.isFull == false)
        _ = queue.nextBatch()
        #expect(admit(part(1), to: &queue)?.isFull == true)
        _ = queue.wrote(1999)
        #expect(!queue.isFull)
    }

    @Test func bodyIsDoneWhenItsLastBatchIsWritten() {
        var queue = BodyQueue(at: 7, limit: nil, bound: NoBound(), plan: plan)
        _ = queue.admit(part(500))
        queue.end()
        #expect(queue.result == nil)
        _ = queue.nextBatch()
        #expect(queue.result == nil)
        #expect(queue.wrote(500) == false)
        #expect(succeeded(queue) == 500)
    }

    @Test func emptyBodyIsDoneWhenItEnds() {
        var queue = BodyQueue(at: 7, limit: 0, bound: NoBound(), plan: plan)
        #expect(queue.result == nil)
        #expect(admit(part(0), to: &queue)?.starts == false)
        queue.end()
        #expect(succeeded(queue) == 0)
    }

    @Test func whatCameBeforeABreakIsStillWritten() {
        var queue = BodyQueue(at: 0, limit: nil, bound: NoBound(), plan: plan)
        _ = queue.admit(part(500))
        queue.breakOff(Broken())
        #expect(queue.result == nil)
        #expect(queue.nextBatch()?.count == 500)
        #expect(queue.wrote(500) == false)
        #expect(hasFailed(queue))
    }

    @Test func nothingIsWrittenAfterAFailure() {
        var queue = BodyQueue(at: 0, limit: nil, bound: NoBound(), plan: plan)
        _ = queue.admit(part(500))
        let batch = queue.nextBatch()
        _ = queue.admit(part(500))
        queue.fail(Broken())
        #expect(queue.result == nil, "a write is under way")
        #expect(queue.wrote(batch?.count ?? 0) == false)
        #expect(hasFailed(queue))
        guard case .refused = queue.admit(part(1)) else {
            Issue.record("a part was taken after the failure")
            return
        }
    }

    @Test func failureOfTheSinkOutweighsTheEndOfTheBody() {
        var queue = BodyQueue(at: 0, limit: nil, bound: NoBound(), plan: plan)
        _ = queue.admit(part(500))
        _ = queue.nextBatch()
        queue.end()
        queue.fail(Broken())
        #expect(queue.nextBatch() == nil)
        #expect(hasFailed(queue))
    }

    @Test func limitCountsAcceptedBytesNotWrittenOnes() {
        var queue = BodyQueue(at: 1_000_000, limit: 10, bound: NoBound(), plan: plan)
        #expect(admit(part(10), to: &queue) != nil)
        guard case .tooLong = queue.admit(part(1)) else {
            Issue.record("a byte past the limit was taken")
            return
        }
    }

    @Test func smallPartsAreJoinedAndLargeOnesLeftAlone() throws {
        var queue = BodyQueue(at: 0, limit: nil, bound: NoBound(), plan: plan)
        for byte in 0..<UInt8(50) { _ = queue.admit(part(10, byte)) }
        _ = queue.admit(part(600, 200))
        _ = queue.admit(part(10, 201))
        let next = queue.nextBatch()
        let batch = try #require(next)
        #expect(batch.parts.map(\.readableBytes) == [500, 600, 10])
        let expected = (0..<UInt8(50)).flatMap { [UInt8](repeating: $0, count: 10) }
        #expect(Array(batch.parts[0].readableBytesView) == expected)
    }

    @Test func aSmallBodyThatComesWholeIsNotCopied() throws {
        let bytes = pattern(500)
        var received = ByteBufferAllocator().buffer(capacity: plan.firstReceiveBytes)
        received.writeBytes(bytes)
        var queue = BodyQueue(at: 0, limit: nil, bound: NoBound(), plan: plan)
        _ = queue.admit(try #require(received.getSlice(at: 100, length: 50)))
        let first = queue.nextBatch()
        let alone = try #require(first).parts
        #expect(alone.map(\.storageCapacity) == [received.storageCapacity])
        _ = queue.wrote(50)
        // With a neighbour it would keep a large buffer for a few bytes.
        for start in [150, 200] { _ = queue.admit(try #require(received.getSlice(at: start, length: 50))) }
        let second = queue.nextBatch()
        let joined = try #require(second).parts
        #expect(joined.count == 1 && joined[0].storageCapacity < 2000)
        #expect(joined.flatMap { Array($0.readableBytesView) } == Array(bytes[150..<250]))
        #expect(Array(received.readableBytesView) == bytes, "the rest of the buffer is unchanged")
    }

    /// A server that sends a byte at a time must not make each of them keep a whole receive buffer alive.
    @Test func sliceOfALargeBufferIsNotKept() throws {
        var large = ByteBufferAllocator().buffer(capacity: 1 << 20)
        large.writeRepeatingByte(9, count: 1 << 20)
        var queue = BodyQueue(at: 0, limit: nil, bound: NoBound(), plan: plan)
        _ = queue.admit(try #require(large.getSlice(at: 5, length: 150)))
        let next = queue.nextBatch()
        let batch = try #require(next)
        #expect(batch.parts.reduce(0) { $0 + $1.storageCapacity } < 2000)
    }

    private struct FixedBound: BodyBound {
        var end: Int64
        func grant(upTo offset: Int64) -> BodyGrant {
            BodyGrant(upTo: min(offset, end), isLast: offset >= end)
        }
    }

    /// What lies behind a bound is another connection's to write.
    @Test(arguments: [250, 300, 299, 301])
    func aBodyEndsWhereItsBoundIs(partLength: Int) throws {
        var queue = BodyQueue(at: 100, limit: 1_000, bound: FixedBound(end: 400), plan: plan)
        var written: Int64 = 0
        var isOver = false
        for _ in 0..<3 where !isOver {
            if case .last = queue.admit(part(partLength)) { isOver = true }
            while let batch = queue.nextBatch() {
                #expect(batch.offset == 100 + written)
                written += Int64(batch.count)
                _ = queue.wrote(batch.count)
            }
        }
        #expect(isOver && written == 300)
        #expect(try queue.result?.get() == 300)
        guard case .last(false) = queue.admit(part(1)) else {
            Issue.record("more is taken")
            return
        }
    }
}
