import Ferry
import FerryFrontend

extension Session {
    /// Adds requests for the process that runs the queue.
    func add(_ plans: [RequestPlan]) async throws -> ExitStatus {
        try await withClient { client in
            let additions = try await client.add(try await transfers(plans, client))
            for addition in additions { tell(addition) }
            try await tellOfWait(in: additions.map(\.transfer).queues, client)
            return .done
        }
    }

    /// Sends requests here.
    ///
    /// - Parameter finish: called at the end with the transfers and the status; returns the status of the command.
    func send(
        _ plans: [RequestPlan],
        finish: @escaping @Sendable (TransferEngine, [TransferID], ExitStatus) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        let terms = try EngineTerms(settings)
        return try await withEngine {
            $0.scope = .followed
            $0.whenStopped = .pause
            terms.apply(to: &$0)
        } _: { engine in
            let transfers = try await transfers(plans, engine)
            // From here on the requests are reserved for this command until it releases them.
            let signals = await SignalWatch { [console] in console.abandon() }
            defer { signals.stop() }
            let additions = try await engine.download(transfers)
            let run = try await follow(additions, in: engine)
            let status = try await run.run(signals)
            return try await finish(engine, additions.map(\.transfer.id), status)
        }
    }

    private func transfers(
        _ plans: [RequestPlan],
        _ access: some TransferAccess
    ) async throws -> [NewTransfer] {
        var transfers: [NewTransfer] = []
        for plan in plans { transfers.append(try await plan.transfer { try await access.pin($0) }) }
        return transfers
    }
}
