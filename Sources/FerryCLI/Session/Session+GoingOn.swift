import Ferry
import FerryFrontend

extension Session {
    /// Resumes existing transfers: runs them here, or only queues them.
    ///
    /// A transfer that cannot be resumed is reported; the others are resumed.
    func goOn(with ids: [TransferID], in engine: TransferEngine, detach: Bool) async throws -> ExitStatus {
        let owners = try await OwnerDirectory(engine)
        if detach {
            return await eachTogether(ids) { id in
                try await Self.requireDestination(of: id, in: engine)
                return try await engine.resume(id)
            } tell: { transfer in
                let text =
                    switch transfer.state {
                    case .active: "is running."
                    case .waiting: "is \(transfer.waitingText(at: SystemTime.now) ?? "waiting")."
                    default: "queued."
                    }
                steered(transfer, text, owners: owners)
            }
        }
        // From here on these transfers are reserved for this command until it releases them.
        let signals = await SignalWatch { [console] in console.abandon() }
        defer { signals.stop() }
        var beginning: [Announcement] = []
        let refused = await each(ids) { id in
            try await Self.requireDestination(of: id, in: engine)
            try await engine.follow([id])
            let transfer = try await engine.snapshot(of: id)
            let process = owners.otherProcess(of: transfer)
            beginning.append(
                Announcement(transfer, transfer.recordedProgress, .attached(process: process))
            )
        }
        guard !beginning.isEmpty else { return refused }
        let kind = ForegroundRun.Kind.transfers(beginning.map(\.transfer.id))
        let run = ForegroundRun(kind, engine: engine, console: console)
        run.begin(beginning, owners: owners)
        beginning = []
        let status = try await run.run(signals)
        return refused == .done ? status : refused
    }

    /// Throws for an unfinished transfer whose destination is gone, and for a completed one whose file is gone.
    private static func requireDestination(of id: TransferID, in engine: some TransferAccess) async throws {
        let transfer = try await engine.snapshot(of: id)
        try await engine.requireFile(of: transfer)
        guard transfer.isStandardOutput, !transfer.state.isFinal else { return }
        throw StoreError.notPossible(
            id,
            "Transfer \(id) went to a standard output that is gone. Start it again with `ferry get -o -`."
        )
    }
}
