import FerryCore

/// The clock of the machine as one process sees it: a process that is dead waits for nothing any more.
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
