import Synchronization

/// Changes to the running loop, and a check that it still makes rounds.
extension Scheduler {
    func setSlots(_ count: Int) {
        slots.withLock { $0 = count }
        // The new limit may leave room for more.
        signal(.storeChanged)
    }

    func setConnectionsPerHost(_ count: Int?) {
        hosts.setCap(count)
    }

    /// Waits for the next whole round of the loop; returns whether there was one.
    func isResponsive() async -> Bool {
        await pulse.beat { self.signal(.pulse) }
    }
}
