import Ferry

extension Session {
    /// Tells what became of a queue that was changed: the queue as JSON, or a line.
    func tell(_ queue: TransferQueue, _ text: String, _ engine: some TransferAccess) async throws {
        guard console.appearance.json else {
            console.notice("Queue \(queue.name): \(text)")
            return
        }
        let summary = try await engine.queues().first { $0.id == queue.name }
        console.data((summary ?? QueueSummary(queue, running: 0, waiting: 0)).json)
    }

    /// Fails for a queue of which nothing is known: neither was it changed, nor does a transfer stand in it.
    func requireQueue(_ name: String, _ engine: some TransferAccess) async throws {
        guard name != NewTransfer.defaultQueue else { return }
        if try await engine.changedQueues().contains(where: { $0.name == name }) { return }
        let standing = try await engine.transfers(.among(nil, queue: name), limit: 1)
        guard standing.isEmpty else { return }
        throw CommandFailure(
            .other,
            code: "noSuchQueue",
            "There is no queue \(name). `ferry queue list` shows those that there are.",
            hint: "`ferry add --queue \(name)` puts a transfer in it, and `ferry queue set \(name)` makes it."
        )
    }

    /// Says that a queue is paused, of which something was asked that takes until it is not.
    func warnIfPaused(_ name: String, _ engine: some TransferAccess) async throws {
        guard try await engine.queue(named: name).isPaused else { return }
        console.notice("Queue \(name) is paused; `ferry queue resume \(name)` lets it start.")
    }
}
