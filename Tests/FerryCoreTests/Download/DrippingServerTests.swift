import Testing

@testable import FerryCore

/// A server that gives a few fast connections at a time, and a few bytes a second to the others.
@Suite("A server most of whose connections drip")
struct DrippingServerTests {
    // MARK: The decision

    private struct Row {
        var bytes: Int64
        var speed: Double
        var left: Int64 = 10_000_000
        var isDripping: Bool
    }

    private func known(_ number: Int, _ bytes: Int64, at speed: Double) -> DripRule.Known {
        DripRule.Known(id: DividedDownload.id(number), rest: .init(range: 7..<7 + bytes, speed: speed))
    }

    private func dripping(
        among known: [DripRule.Known],
        at speed: Double,
        left: Int64 = 10_000_000
    ) -> [Int] {
        let rule = DripRule(
            count: known.count,
            speedTogether: speed,
            left: left,
            answer: .milliseconds(50)
        )
        return rule.dripping(among: known).map(\.rawValue)
    }

    @Test func oneDripsIfItsRestComesLongAfterAllOtherBytes() {
        let fast = 1_000_000.0
        let rows = [
            Row(bytes: 500_000, speed: 5, isDripping: true),
            // All others take ten seconds.
            Row(bytes: 500_000, speed: 60_000, isDripping: false),
            Row(bytes: 5_000_000, speed: 60_000, isDripping: true),
            Row(bytes: 500_000, speed: 60_000, left: 500_000, isDripping: true),
            // It adds more than next to nothing.
            Row(bytes: 5_000_000, speed: 70_000, isDripping: false),
            // It is over soon.
            Row(bytes: 100, speed: 60, left: 100, isDripping: false),
            Row(bytes: 0, speed: 0, left: 0, isDripping: false),
            // A minute is too long, however much is left.
            Row(bytes: 5_000_000, speed: 60_000, left: 1 << 40, isDripping: true),
            Row(bytes: 3_000_000, speed: 60_000, left: 1 << 40, isDripping: false),
        ]
        for row in rows {
            let both = [known(1, 5_000_000, at: fast), known(2, row.bytes, at: row.speed)]
            let found = dripping(among: both, at: fast + row.speed, left: row.left)
            #expect(found == (row.isDripping ? [2] : []), "\(row)")
        }
    }

    @Test func allOthersDripBesideOneFastConnectionWhetherItsSpeedIsKnownOrNot() {
        let slow = (2...8).map { known($0, 500_000, at: 5) }
        #expect(dripping(among: slow, at: 200_000) == Array(2...8))
        #expect(dripping(among: [known(1, 500_000, at: 200_000)] + slow, at: 200_000) == Array(2...8))
    }

    @Test(arguments: [2, 8, 32, 64])
    func noneDripsIfAllBecameSlow(count: Int) {
        let slow = (1...count).map { known($0, 5_000_000, at: 5) }
        #expect(dripping(among: slow, at: 5 * Double(count)).isEmpty)
        // In the last sample, all together brought less than before.
        #expect(dripping(among: slow, at: 3).isEmpty)
    }

    @Test func aConnectionThatDripsIsClosedBeforeALaterOneThatIsFast() {
        var connections = ConnectionSet()
        var watermarks: [ConnectionID: Int64] = [:]
        var ids: [ConnectionID] = []
        for bound in [0, 20_000_000] as [Int64] {
            var connection = OpenConnection(.segment(bound), .whole, from: .own, at: .epoch)
            connection.receive(from: bound)
            ids.append(connections.open(connection))
            watermarks[ids[ids.count - 1]] = bound
        }
        connections.sample(watermarks, at: .epoch)
        watermarks = [ids[0]: 40, ids[1]: 24_000_000]
        connections.sample(watermarks, at: .epoch.advanced(by: .seconds(1)))
        let plan = PiecePlan(most: 8, smallestPiece: 512 << 10)
        let surplus = plan.surplus(of: connections, fastest: { _ in 4_000_000 })
        #expect(surplus == [ids[0]])
        let latest = plan.surplus(of: connections, fastest: { _ in nil })
        #expect(latest == [ids[1]])
    }

    // MARK: Downloads

    private static let drip: Int64 = 20

    /// Whether a connection is fast is decided when its body begins.
    private func run(_ download: inout DividedDownload, at speed: Int64) {
        var fast: Int?
        for _ in 0..<600 where !download.isWhole {
            if let owner = fast, !download.writing.contains(owner) { fast = nil }
            for number in download.writing where download.speeds[DividedDownload.id(number)] == nil {
                if fast == nil { fast = number }
                download.speeds[DividedDownload.id(number)] = fast == number ? speed : Self.drip
            }
            download.passes(.milliseconds(200))
            download.provesAll()
        }
    }

    /// One connection would take 20 seconds.
    @Test(arguments: [2, 8, 16], [200_000, 2_000_000] as [Int64])
    func severalConnectionsAreHardlySlowerThanOne(connections: Int, speed: Int64) throws {
        var download = try DividedDownload(length: 20 * speed) { $0.connections = connections }
        run(&download, at: speed)
        #expect(download.isWhole)
        let elapsed = Instant.epoch.duration(to: download.now)
        #expect(elapsed < .seconds(23), "\(elapsed)")
        #expect(download.remembered == nil, "the server refused nothing")
    }

    /// Up to `borne` connections are fast. If there are more, all drip.
    @Test(arguments: [1, 3])
    func aServerThatSlowsDownAllConnectionsIsAskedForFewer(borne: Int) throws {
        var download = try DividedDownload(length: 80_000_000) { $0.connections = 8 }
        for _ in 0..<300 where !download.isWhole {
            let speed: Int64 = download.writing.count > borne ? 2_000 : 4_000_000
            for number in download.open { download.speeds[DividedDownload.id(number)] = speed }
            download.passes(.milliseconds(200))
            download.provesAll()
        }
        #expect(download.isWhole, "\(download.writing)")
        #expect(download.remembered == nil, "the server refused nothing")
    }

    /// A server may notice late that a connection was closed, and then the next one drips.
    @Test func theOnlyConnectionIsReplacedIfItDripsAfterAFastOne() throws {
        var download = try DividedDownload(length: 40_000_000) { $0.connections = 2 }
        download.grows(to: 2)
        let end = download.now.advanced(by: .seconds(50))
        download.machine.board.pieces.plan.hold(at: 1, until: end)
        let third = DividedDownload.id(3)
        download.speeds[third] = Self.drip
        for _ in 0..<100 where !download.isWhole {
            download.passes(.milliseconds(200))
            download.provesAll()
            #expect(download.writing.count <= 1)
        }
        #expect(download.log.contains(.disconnect(third)))
        #expect(download.isWhole && download.now < end)
    }
}
