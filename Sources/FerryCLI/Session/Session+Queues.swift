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

    /// Whether a queue was changed once, or has a transfer.
    func knowsQueue(_ name: String, _ engine: some TransferAccess) async throws -> Bool {
        guard name != NewTransfer.defaultQueue else { return true }
        if try await engine.changedQueues().contains(where: { $0.name == name }) { return true }
        return try await !engine.transfers(.all.of(queue: name), limit: 1).isEmpty
    }

    /// Throws for an unknown queue.
    func requireQueue(_ name: String, _ engine: some TransferAccess) async throws {
        guard try await !knowsQueue(name, engine) else { return }
        throw CommandFailure(
            .other,
            code: "noSuchQueue",
            "There is no queue \(name). `ferry queue list` shows the existing ones.",
            hint:
                "`ferry add --queue \(name) URL` adds a transfer to it, and `ferry queue set \(name) --slots 4` creates it."
        )
    }

    /// Reports which of these queues are paused, or held by a failed transfer.
    @discardableResult
    func tellOfStops(_ queues: Set<String>, _ engine: some TransferAccess) async throws -> QueueStops {
        let stops = try await QueueStops(of: queues, in: engine)
        for line in stops.lines { console.notice(line) }
        return stops
    }
}

extension Sequence<Transfer> {
    /// The queues in which some of them wait for their turn.
    var queues: Set<String> { Set(lazy.filter { $0.state == .queued }.map(\.queue)) }
}

extension TransferAccess {
    /// The names of the paused queues.
    func pausedQueues() async throws(StoreError) -> Set<String> {
        Set(try await changedQueues().lazy.filter(\.isPaused).map(\.name))
    }
}
