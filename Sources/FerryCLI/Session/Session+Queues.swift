import Ferry
import FerryFrontend

extension Session {
    /// Reports a changed queue: as JSON, or in a line.
    func tell(_ queue: TransferQueue, _ text: String, _ engine: some TransferAccess) async throws {
        guard console.appearance.json else {
            console.notice("Queue \(queue.name): \(text)")
            return
        }
        let summary = try await engine.queues().first { $0.id == queue.name }
        console.data((summary ?? QueueSummary(queue, running: 0, waiting: 0)).json)
    }

    /// Throws for an unknown queue: one that was never changed and has no transfers.
    func requireQueue(_ name: String, _ engine: some TransferAccess) async throws {
        guard name != NewTransfer.defaultQueue else { return }
        if try await engine.changedQueues().contains(where: { $0.name == name }) { return }
        let standing = try await engine.transfers(.all.of(queue: name), limit: 1)
        guard standing.isEmpty else { return }
        throw CommandFailure(
            .other,
            code: "noSuchQueue",
            "There is no queue \(name). `ferry queue list` shows the existing ones.",
            hint:
                "`ferry add --queue \(name)` adds a transfer to it, and `ferry queue set \(name)` creates it."
        )
    }

    /// Reports that a queue is paused, if the request must wait for it.
    func warnIfPaused(_ name: String, _ engine: some TransferAccess) async throws {
        guard try await engine.queue(named: name).isPaused else { return }
        console.notice("Queue \(name) is paused; `ferry queue resume \(name)` lets it start.")
    }
}
