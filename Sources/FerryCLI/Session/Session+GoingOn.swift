import Ferry

extension Session {
    /// Goes on with transfers that are there already: runs them here, or only queues them.
    ///
    /// One that cannot go on is reported, and the others do.
    func goOn(with ids: [TransferID], in engine: TransferEngine, detach: Bool) async throws -> ExitStatus {
        let owners = try await OwnerDirectory(engine)
        var beginning: [Announcement] = []
        let refused = await each(ids) { id in
            let before = try await engine.snapshot(of: id)
            if before.isStandardOutput, !before.state.isFinal {
                throw StoreError.notPossible(
                    id,
                    "Transfer \(id) went to a standard output that is gone. `ferry get -o -` begins it anew."
                )
            }
            if detach {
                let transfer = try await engine.resume(id)
                let text =
                    switch transfer.state {
                    case .active: "is running."
                    case .waiting: "is \(transfer.waitingText(at: SystemTime.now) ?? "waiting")."
                    default: "queued."
                    }
                steered(transfer, text, owners: owners)
                return
            }
            try await engine.follow([id])
            let transfer = try await engine.snapshot(of: id)
            let process = owners.otherProcess(of: transfer)
            beginning.append(
                Announcement(transfer, transfer.recordedProgress, .attached(process: process))
            )
        }
        guard !beginning.isEmpty else { return refused }
        let kind = ForegroundRun.Kind.transfers(beginning.map(\.transfer.id))
        let status = try await ForegroundRun(kind, engine: engine, console: console).run(beginning)
        return refused == .done ? status : refused
    }
}
