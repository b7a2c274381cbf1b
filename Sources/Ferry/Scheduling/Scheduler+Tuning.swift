import Synchronization

/// What can be changed while the loop runs, and how to see that it does.
extension Scheduler {
    func setSlots(_ count: Int) {
        slots.withLock { $0 = count }
        // There may be room for more now.
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
