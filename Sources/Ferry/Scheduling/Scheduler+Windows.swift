import FerryCore

/// Attempts that end because the time window of their transfer closes.
extension Scheduler {
    /// Notes in which window an attempt may go on; the loop looks when that is another one than it was.
    ///
    /// A stream goes on, as it cannot be taken up again.
    func watchWindow(of runner: any AttemptRunner, _ window: TimeWindow) {
        guard runner.transfer.work.isInterruptible, windows.set(window, of: runner.transfer.id) else {
            return
        }
        signal(.window)
    }

    /// Asks those attempts to end that are outside of their window, and looks again when the next one closes. The row that
    /// is written then says when that opens.
    func endWhatIsOutsideItsWindow(in group: inout DiscardingTaskGroup) {
        let running = runners
        let look = windows.look(
            at: seams.clock.now,
            in: seams.clock.localTime,
            among: Set(running.map(\.0))
        )
        for (id, runner) in running where look.closed.contains(id) { runner.ask(.release) }
        guard let wait = look.next else { return }
        group.addTask {
            do {
                try await self.seams.clock.sleep(for: wait)
            } catch {
                return self.windows.giveUpLook()
            }
            self.signal(.window)
        }
    }
}
