import FerryTesting
import Testing

@testable import FerryCore

@Suite("A download from the front")
struct InOrderTests {
    @Test("it uses one connection, however slow that is")
    func oneConnection() throws {
        var download = try DividedDownload { $0.isInOrder = true }
        for _ in 0..<30 { download.passes(.milliseconds(100)) }
        #expect(download.open == [1])
        let segments = download.machine.progress.segments
        #expect(segments.completePrefix == segments.received)
    }

    @Test(
        "over several connections the first rest is divided, not the one that takes longest",
        arguments: [false, true]
    )
    func severalConnections(isInOrder: Bool) throws {
        var segments = SegmentMap(length: 40_000_000)
        #expect(segments.divide(0, at: 20_000_000) != nil)
        var connections = ConnectionSet()
        var watermarks: [ConnectionID: Int64] = [:]
        for bound in [0, 20_000_000] as [Int64] {
            var connection = OpenConnection(.segment(bound), .whole, from: .own, at: .epoch)
            connection.receive(from: bound)
            watermarks[connections.open(connection)] = bound
        }
        connections.sample(watermarks, at: .epoch)
        // The first connection is much faster, so that the rest of the second takes longer.
        for (id, bound) in watermarks { watermarks[id] = bound + (bound == 0 ? 4_000_000 : 40_000) }
        segments.advance(0, writtenTo: 4_000_000)
        segments.advance(20_000_000, writtenTo: 20_040_000)
        let now = Instant.epoch.advanced(by: .seconds(1))
        connections.sample(watermarks, at: now)
        var plan = PiecePlan(most: 8, smallestPiece: 512 << 10, isInOrder: isInOrder)
        plan.sample(received: 4_040_000, over: connections, served: 8, at: now)
        let next = try #require(plan.next(in: &segments, beside: connections, isLast: false))
        #expect((next.segment.range.lowerBound < 20_000_000) == isInOrder)
    }

    @Test("gaps that an earlier attempt left are filled from the front")
    func fillsGaps() throws {
        var progress = DownloadProgress()
        let length = DividedDownload.length
        progress.segments = try #require(
            SegmentMap(segments: [
                Segment(range: 0..<10, written: 4, durable: 4),
                Segment(range: 10..<20, written: 20, durable: 20),
                Segment(range: 20..<length, written: 20, durable: 20),
            ])
        )
        progress.validator = Validator(
            entityTag: EntityTag("\"v1\""),
            lastModified: nil,
            date: nil,
            receivedAt: .epoch
        )
        progress.part = PartFileClaim(
            name: FilePlace(directory: "/d", name: .fallback).part,
            identity: DownloadScenario.identity,
            boot: DownloadScenario.boot
        )
        progress.name = .fallback
        let download = try DividedDownload(from: progress) { $0.isInOrder = true }
        #expect(download.asked[DividedDownload.id(1)]?.from == 4)
    }
}
