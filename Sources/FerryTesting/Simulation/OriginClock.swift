import FerryCore

/// The clock of the servers: it is right whatever is done to the machine's own.
struct OriginClock: WallClock {
    let base: ManualClock
    let process: SimulatedProcess

    static let start = Instant(milliseconds: 1_700_000_000_000)

    var now: Instant { Self.start.advanced(by: base.elapsed) }

    func sleep(for duration: Duration) async throws {
        try await SimulatedClock(base: base, process: process).sleep(for: duration)
    }
}
