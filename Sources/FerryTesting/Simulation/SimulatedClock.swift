import FerryCore

/// The machine's clock as one process sees it: the waits of a dead process end.
struct SimulatedClock: WallClock {
    let base: ManualClock
    let process: SimulatedProcess

    var now: Instant { base.now }

    func sleep(for duration: Duration) async throws {
        guard process.isRunning else { throw CancellationError() }
        try await base.sleep(for: duration)
        guard process.isRunning else { throw CancellationError() }
    }
}
