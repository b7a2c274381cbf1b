import FerryCore

/// Ends attempts when the time window of their transfer closes.
extension Scheduler {
    /// Notes the window of an attempt, and makes the loop look if the window has changed.
    ///
    /// A stream has no window, because it cannot be resumed.
    func watchWindow(of runner: any AttemptRunner, _ window: TimeWindow) {
        guard runner.transfer.work.isInterruptible, windows.set(window, of: runner.transfer.id) else {
            return
        }
        signal(.window)
    }

    /// Ends attempts outside of their window, and looks again when the next window closes. The row written then says
    /// when the window opens again.
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
