import Ferry
import FerryFrontend

extension Session {
    /// Queues existing transfers for the process that runs the queue.
    ///
    /// A transfer that cannot be resumed is reported; the others are queued.
    func queueAgain(_ ids: [TransferID], in client: TransferClient) async throws -> ExitStatus {
        let owners = try await OwnerDirectory(client)
        var resumed: [Transfer] = []
        let status = await eachTogether(ids) { id in
            let transfer = try await Self.requireDestination(of: id, in: client)
            do {
                return try await client.resume(id)
            } catch {
                throw CommandFailure(resuming: transfer, error)
            }
        } tell: { transfer in
            resumed.append(transfer)
            let text =
                switch transfer.state {
                case .active: "is running."
                case .waiting: "is \(transfer.waitingText(at: SystemTime.now) ?? "waiting")."
                default: "queued."
                }
            steered(transfer, text, owners: owners)
        }
        try await tellOfStops(resumed.queues, client)
        return status
    }

    /// Resumes existing transfers here.
    ///
    /// A transfer that cannot be resumed is reported; the others are resumed.
    func resume(
        _ ids: [TransferID],
        in engine: TransferEngine,
        _ terms: EngineTerms,
        _ actions: EndActions
    ) async throws -> ExitStatus {
        let owners = try await OwnerDirectory(engine)
        // From here on these transfers are reserved for this command until it releases them.
        let signals = await SignalWatch { [console] in console.abandon() }
        defer { signals.stop() }
        var beginning: [Announcement] = []
        let refused = await each(ids) { id in
            let former = try await Self.requireDestination(of: id, in: engine)
            do {
                try await engine.follow([id])
            } catch {
                throw CommandFailure(resuming: former, error)
            }
            let transfer = try await engine.snapshot(of: id)
            let process = owners.otherProcess(of: transfer)
            beginning.append(
                Announcement(transfer, transfer.recordedProgress, .attached(process: process))
            )
        }
        guard !beginning.isEmpty else { return refused }
        let stops = try await tellOfStops(beginning.map(\.transfer).queues, engine)
        for index in beginning.indices {
            beginning[index].note(stops)
        }
        let kind = ForegroundRun.Kind.transfers(count: beginning.count)
        let run = ForegroundRun(
            kind,
            engine: engine,
            console: console,
            command: .adding,
            isThatCommand: false,
            resuming: terms.repeated,
            actions: actions
        )
        run.begin(beginning, owners: owners)
        tellUnheeded(terms.typedRate, beginning)
        beginning = []
        let status = try await run.run(signals)
        return refused == .done ? status : refused
    }

    /// Returns a transfer. Throws if it is unfinished and its destination is gone, if it is completed and its file is gone, or if a
    /// file that it gave back has its name.
    private static func requireDestination(
        of id: TransferID,
        in engine: some TransferAccess
    ) async throws -> Transfer {
        let transfer = try await engine.snapshot(of: id)
        try await engine.requireFile(of: transfer)
        if let failure = CommandFailure(findingReturnedFileOf: transfer) { throw failure }
        guard transfer.isStandardOutput, !transfer.state.isFinal else { return transfer }
        throw StoreError.notPossible(
            id,
            "Transfer \(id) wrote to a standard output that is gone. Start it again with `ferry get -o -`."
        )
    }
}

extension CommandFailure {
    /// Creates the failure of a retry after a failed adoption, if the file that was given back is in the way. `nil` otherwise.
    ///
    /// The attempt would only say that the file exists, and hide why the adoption failed.
    init?(findingReturnedFileOf transfer: Transfer) {
        guard case .failed(let failure) = transfer.state, failure.remedies.contains(.restartAdoption),
            let work = transfer.work.download, let path = transfer.finalPath, FilePath.exists(path)
        else { return nil }
        let options = work.specification.options
        guard options.existingFile == .fail, !options.updates else { return nil }
        self.init(
            .cannotResume,
            code: TransferFailure.Code.cannotResume.rawValue,
            "\(transfer.displayName) was given back, because taking it over failed, "
                + "and is in the way of a retry. Nothing was changed.",
            hint: "Repeat the `ferry adopt` line to take it over again, with --on-change restart "
                + "to delete it and fetch the present version. If you move it away, "
                + "`ferry retry \(transfer.id)` fetches the whole file.",
            transfer: transfer.id
        )
    }
}
