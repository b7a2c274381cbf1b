import FerryTesting
import Testing

@testable import FerrySealed

/// Chunks are sealed in any order, and none of them twice with one key.
struct PayloadSealerTests {
    private func key() throws -> PayloadKey { try #require(PayloadKey([UInt8](repeating: 5, count: 32))) }

    private static let size = Int(ChunkMap.chunkLength)

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 400_000])
    func theOrderOfSealingDoesNotMatter(length: Int) throws {
        let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
        let map = ChunkMap(length: Int64(length))
        var random = SeededRandom(seed: UInt64(length))
        var stream = StreamSealer(try key())
        var inOrder: [UInt8] = []
        var rest = text[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...100_000, using: &random)
            inOrder += try stream.take(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        inOrder += try stream.finish()
        #expect(Int64(inOrder.count) == map.sealedLength)

        var sealer = PayloadSealer(try key())
        var parts = [UInt8](repeating: 0, count: inOrder.count)
        var chunks = Array(0..<map.count)
        chunks.shuffle(using: &random)
        for chunk in chunks {
            let range = map.range(of: chunk)
            let sealed = try sealer.seal(
                text[Int(range.lowerBound)..<Int(range.upperBound)],
                from: chunk,
                endsPayload: chunk == map.last
            )
            let place = map.sealedRange(of: chunk..<(chunk + 1))
            #expect(place.count == sealed.count)
            parts.replaceSubrange(Int(place.lowerBound)..<Int(place.upperBound), with: sealed)
        }
        #expect(parts == inOrder)
        var opener = StreamOpener(try key())
        #expect(try opener.take(inOrder) + opener.finish() == text)
    }

    @Test func noChunkIsSealedTwice() throws {
        let chunk = [UInt8](repeating: 1, count: Self.size)
        var sealer = PayloadSealer(try key())
        _ = try sealer.seal(chunk + chunk, from: 3, endsPayload: false)
        for first in [Int64(3), 4] {
            #expect(throws: SealingRefusal.sealedBefore(first)) { () throws in
                _ = try sealer.seal(chunk, from: first, endsPayload: false)
            }
        }
        #expect(throws: SealingRefusal.sealedBefore(3)) { () throws in
            _ = try sealer.seal(chunk + chunk, from: 2, endsPayload: false)
        }
        // Nothing was sealed by that.
        _ = try sealer.seal(chunk, from: 2, endsPayload: false)
        var resumed = PayloadSealer(try key(), sealed: RangeSet(0..<3))
        #expect(throws: SealingRefusal.sealedBefore(2)) { () throws in
            _ = try resumed.seal(chunk, from: 2, endsPayload: false)
        }
        _ = try resumed.seal(chunk, from: 3, endsPayload: false)
    }

    @Test func thereIsOneEnd() throws {
        let chunk = [UInt8](repeating: 1, count: Self.size)
        var sealer = PayloadSealer(try key())
        _ = try sealer.seal(chunk, from: 5, endsPayload: false)
        #expect(throws: SealingRefusal.anotherEnd(5)) { () throws in
            _ = try sealer.seal([1], from: 4, endsPayload: true)
        }
        _ = try sealer.seal([1], from: 6, endsPayload: true)
        for (first, endsPayload) in [(Int64(7), false), (7, true), (6, false), (6, true)] {
            #expect(throws: SealingRefusal.anotherEnd(6)) { () throws in
                _ = try sealer.seal(chunk, from: first, endsPayload: endsPayload)
            }
        }
        _ = try sealer.seal(chunk, from: 4, endsPayload: false)
    }

    @Test func onlyTheLastChunkIsShorter() throws {
        var sealer = PayloadSealer(try key())
        let more = [UInt8](repeating: 1, count: Self.size + 1)
        #expect(throws: SealingRefusal.partialChunk(0)) { () throws in
            _ = try sealer.seal([1], from: 0, endsPayload: false)
        }
        #expect(throws: SealingRefusal.partialChunk(1)) { () throws in
            _ = try sealer.seal(more, from: 0, endsPayload: false)
        }
        // An empty chunk can be the only one, and nothing else.
        #expect(throws: SealingRefusal.partialChunk(1)) { () throws in
            _ = try sealer.seal([], from: 1, endsPayload: true)
        }
        #expect(throws: SealingRefusal.partialChunk(0)) { () throws in
            _ = try sealer.seal([], from: 0, endsPayload: false)
        }
        #expect(try sealer.seal([], from: 0, endsPayload: true).count == 16)
    }

    @Test func aChunkOfAFileThatWasBegunIsSealedOnlyFromTheSameBytes() throws {
        let text = (0..<Self.size).map { UInt8(truncatingIfNeeded: $0) }
        var first = PayloadSealer(try key())
        let sealed = try first.seal(text, from: 3, endsPayload: false)
        let last = try first.seal([1, 2, 3], from: 4, endsPayload: true)
        var second = PayloadSealer(try key())
        #expect(try second.seal(text, as: 3, isLast: false, over: sealed) == nil)
        // More lies behind a last chunk that is not full only in a file of another length.
        #expect(try second.seal([1, 2, 3], as: 4, isLast: true, over: last) == nil)
        for other in [[1, 2, 4], [1, 2], [1, 2, 3, 4]] as [[UInt8]] {
            #expect(throws: SealingRefusal.otherText(4)) { () throws in
                _ = try second.seal(other, as: 4, isLast: true, over: last)
            }
        }
        var changed = text
        changed[9] ^= 1
        #expect(throws: SealingRefusal.otherText(3)) { () throws in
            _ = try second.seal(changed, as: 3, isLast: false, over: sealed)
        }
        // What did not reach the disk as a whole is sealed again.
        let torn = Array(sealed.prefix(1000)) + [UInt8](repeating: 0, count: sealed.count - 1000)
        #expect(try second.seal(text, as: 3, isLast: false, over: torn) == sealed)
        #expect(try second.seal(text, as: 5, isLast: false, over: [])?.count == sealed.count)
    }

    @Test func aKeyIsWrappedWhileItIsStored() throws {
        let wrapping = try #require(WrappingKey(Array(0..<32)))
        var random = SeededRandom(seed: 1)
        let key = try key()
        let wrapped = key.wrapped(by: wrapping, using: &random)
        #expect(wrapped.count == 12 + 32 + 16 && wrapped != key.wrapped(by: wrapping, using: &random))
        #expect(PayloadKey(wrapped, wrappedBy: wrapping)?.bytes == key.bytes)
        let other = try #require(WrappingKey(Array(1...32)))
        #expect(PayloadKey(wrapped, wrappedBy: other) == nil)
        for length in [0, 11, 12, 59] {
            #expect(PayloadKey(Array(wrapped.prefix(length)), wrappedBy: wrapping) == nil)
        }
        #expect(WrappingKey([1]) == nil)
    }

    @Test func aKeyIsKeptWhileItsFileIsNotComplete() throws {
        let key = try key()
        #expect(key.bytes == [UInt8](repeating: 5, count: 32))
        #expect(PayloadKey([1]) == nil)
    }
}
