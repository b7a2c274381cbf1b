import FerryCore

/// The servers' clock: it stays right when the machine's clock changes.
struct OriginClock: WallClock {
    let base: ManualClock
    let process: SimulatedProcess

    static let start = Instant(milliseconds: 1_700_000_000_000)

    var now: Instant { Self.start.advanced(by: base.elapsed) }

    func sleep(for duration: Duration) async throws {
        try await SimulatedClock(base: base, process: process).sleep(for: duration)
    }
}
