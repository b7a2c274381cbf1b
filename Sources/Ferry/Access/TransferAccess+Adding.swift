public import FerryCore

/// Adding transfers, and finding those that are already complete.
extension TransferAccess {
    /// Adds transfers for any process that runs the queue. All are durable when this returns (I3). A download that
    /// already exists, or was already completed, is not added again; see ``TransferEngine/download(_:)``.
    public func add(_ transfers: [NewTransfer]) async throws(StoreError) -> [Addition] {
        try await rescueTheDead()
        let additions = try await add(transfers, holder: nil)
        client.link?.added()
        return additions
    }

    /// Adds one download for any process that runs the queue. It is durable when this returns (I3). A download that
    /// already exists, or was already completed, is not added again; see ``TransferEngine/download(_:)``.
    ///
    /// - Parameters:
    ///   - queue: the queue to add it to; see ``queues()``.
    ///   - priority: higher runs first within that queue.
    ///   - others: the transfers that must complete before it starts, in any process.
    ///   - tag: your own name for it, by which ``find(tag:)`` finds it again.
    ///   - payload: your own data for it, which is stored with it.
    ///   - uuid: a name that you have made, if the call may be repeated: under one UUID a transfer is stored once, and
    ///     runs once. A later call with the same UUID changes nothing, whatever the state of the transfer, as
    ///     long as the store keeps it (``EngineConfiguration/retention``).
    /// - Throws: as ``TransferEngine/download(from:to:options:queue:priority:after:tag:payload:uuid:)``.
    @discardableResult
    public func add(
        from url: HTTPURL,
        to destination: Destination,
        options: DownloadOptions = DownloadOptions(),
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after others: [TransferID] = [],
        tag: TransferTag? = nil,
        payload: TransferPayload? = nil,
        uuid: TransferUUID? = nil
    ) async throws(StoreError) -> TransferHandle {
        let specification = DownloadSpecification(url: url, destination: destination, options: options)
        let new = NewTransfer(
            specification,
            queue: queue,
            priority: priority,
            after: others,
            tag: tag,
            payload: payload,
            uuid: uuid
        )
        return try await add(new)
    }

    /// Adds a transfer of any kind for any process that runs the queue. It is durable when this returns (I3).
    ///
    /// - Parameter new: the transfer. A client without an engine adds a request or an upload in this way.
    /// - Throws: as ``TransferEngine/start(_:)``.
    @discardableResult
    public func add(_ new: NewTransfer) async throws(StoreError) -> TransferHandle {
        transfer(try await add([new])[0].transfer.id)
    }

    /// Notes which file is at a path now, so that a request can carry it (``StoredBody/init(_:)-(PinnedFile)``). Symbolic
    /// links are followed.
    ///
    /// - Parameter path: an absolute path, because a request may be sent by a process in another directory.
    /// - Throws: ``TransferFailure`` when the file cannot be read, or is not a regular file.
    public func pin(_ path: String) async throws(TransferFailure) -> PinnedFile {
        guard path.hasPrefix("/") else {
            throw TransferFailure(.cannotOpen, "\(path) is not an absolute path.")
        }
        do throws(StorageProblem) {
            return try await client.seams.bodies.pin(path)
        } catch {
            throw error.problem.failure
        }
    }

    /// Copies a body that is not a file, such as what comes from a pipe, into the data directory, so that a request can
    /// carry it. Returns once the copy is durable.
    ///
    /// The copy is for one transfer, which has to be added before this client or engine is closed; otherwise the copy is
    /// removed. It is also removed when the transfer is completed, cancelled or removed.
    ///
    /// - Parameters:
    ///   - bytes: the body, in parts of any length. They are written as they come, and never all in memory.
    ///   - uuid: the name of the transfer. If a transfer has it already, nothing is read, and the result is the body of
    ///     that one, so that a call may be repeated with the same name.
    /// - Throws: ``TransferFailure`` when the copy cannot be written, for example with
    ///   ``TransferFailure/Code/diskFull``; ``StoreError``; `CancellationError` when its task is cancelled; and what
    ///   `bytes` throws. No copy is left then.
    public func copyBody<Bytes: AsyncSequence>(
        _ bytes: Bytes,
        for uuid: TransferUUID = TransferUUID()
    ) async throws -> StoredBody where Bytes.Element == [UInt8] {
        if let known = try await client.store.transfer(uuid: uuid) {
            guard let copy = known.work.bodyCopy else {
                throw StoreError.notPossible(
                    known.id,
                    "The UUID \(uuid) already names transfer \(known.id), which has no such body."
                )
            }
            return StoredBody(copy)
        }
        do {
            let copy = try await client.seams.copy(for: uuid)
            do {
                for try await part in bytes { try await copy.append(part) }
                // Some sequences just end when their task is cancelled. What came until then is not the body.
                try Task.checkCancellation()
                return StoredBody(try await copy.finish())
            } catch {
                await copy.discard()
                throw error
            }
        } catch let problem as StorageProblem {
            throw problem.problem.failure
        }
    }

    /// Computes digests of a body, so that a request can send them along, such as in `Content-Digest` (RFC 9530). Files are
    /// read once, whatever the number of algorithms.
    ///
    /// - Returns: the digests, in the order of the algorithms.
    /// - Throws: ``TransferFailure`` with ``TransferFailure/Code/bodyChanged`` when a file is no longer the pinned one.
    public func digests(
        of body: StoredBody,
        by algorithms: [Checksum.Algorithm]
    ) async throws(TransferFailure) -> [Checksum] {
        do throws(Problem) {
            return try await client.seams.bodies.digests(
                of: client.seams.bodies.open(body),
                by: algorithms
            )
        } catch {
            throw error.failure
        }
    }

    /// Takes over an unfinished file that another tool left: curl or wget (`NAME`), aria2 (`NAME` with `NAME.aria2`), or a
    /// part file that no transfer knows (`NAME.part`). Add the result as any other transfer.
    ///
    /// When the download runs, the file becomes its part file; until then nothing is changed. Its bytes count only after the
    /// first and the last of them, and some within, were compared with the server's, or if a digest of the file is given, which
    /// decides in the end. A part file needs a digest. The tool that began the file must not run any more. A download that has taken over the file
    /// already is returned as it is, so that a call may be repeated after a crash.
    ///
    /// `NAME.aria2` is removed once the whole file is there. A transfer that ends before that gives the file its name back,
    /// with the bytes that it had. Only with ``ChangePolicy/restart`` may another file take its place.
    ///
    /// - Throws: ``TransferFailure`` with ``TransferFailure/Code/cannotResume`` when there is no such file, it belongs to
    ///   another transfer, or it cannot be taken over; ``StoreError``.
    public func adopting(_ transfer: NewTransfer) async throws -> NewTransfer {
        var adopted = transfer
        adopted.work = try await Adoption(seams: client.seams).adopt(transfer.work)
        return adopted
    }

    /// As ``adopting(_:)``; `nil` if no tool has left a file.
    package func adoptingIfBegun(_ transfer: NewTransfer) async throws -> NewTransfer? {
        guard let work = try await Adoption(seams: client.seams).adoptIfBegun(transfer.work) else {
            return nil
        }
        var adopted = transfer
        adopted.work = work
        return adopted
    }

    /// The downloads as earlier ones were spelled that have the same URL and lead to the same path, so that adding them
    /// resumes those: with a name that was left out now, or without one that is given now.
    package func asSpelledBefore(_ transfers: [NewTransfer]) async throws(StoreError) -> [NewTransfer] {
        try await RepeatedDownloads(seams: client.seams).asSpelledBefore(transfers)
    }

    /// What a download would meet if it were added now. Changes nothing.
    ///
    /// - Throws: ``StoreError/notPossible(_:_:_:)`` if it would be refused because of a disk that is not mounted; other errors of
    ///   the store.
    package func foresee(_ new: NewTransfer) async throws(StoreError) -> Foresight {
        var new = try await asSpelledBefore([new])
        if let earlier = try await client.store.completed(like: [new[0].work])[0] {
            if await client.seams.isFulfilled(new[0].work, by: earlier.work) {
                return Foresight(new[0], .fulfilled(earlier))
            }
            try await client.seams.update(&new[0], from: earlier)
        }
        let twins = try await client.store.transfers(like: [new[0].work])[0]
        if let met = twins.last(where: { !$0.state.isFinal }) ?? twins.last(where: \.state.isFailed) {
            return Foresight(new[0], .met(met))
        }
        try await KeptParts(seams: client.seams).offer(to: &new, at: [0])
        guard let giver = new[0].keptBy, let kept = try await client.store.transfer(giver),
            KeptPart(of: kept)?.isFor(new[0]) == true
        else { return Foresight(new[0], .none) }
        return Foresight(new[0], .kept(kept))
    }

    // MARK: Complete already

    /// Adds those that are not already complete; returns the result of each, in the order given.
    func add(_ transfers: [NewTransfer], holder: OwnerID?) async throws(StoreError) -> [Addition] {
        let additions = try await addUnreleased(transfers, holder: holder)
        client.seams.bodies.release(
            copiesFor: transfers.filter { $0.work.bodyCopy != nil }.compactMap(\.uuid)
        )
        return additions
    }

    private func addUnreleased(
        _ asked: [NewTransfer],
        holder: OwnerID?
    ) async throws(StoreError) -> [Addition] {
        var transfers = asked
        var additions = [Addition?](repeating: nil, count: transfers.count)
        var open = Array(transfers.indices)
        var completed = try await completed(like: transfers)
        var fulfilled: [Int] = []
        while !open.isEmpty {
            var wanted: [(index: Int, besides: TransferID?)] = []
            for (index, earlier) in zip(open, completed) {
                if let earlier, await client.seams.isFulfilled(transfers[index].work, by: earlier.work) {
                    additions[index] = .attached(earlier)
                    fulfilled.append(index)
                } else {
                    if let earlier { try await client.seams.update(&transfers[index], from: earlier) }
                    wanted.append((index, earlier?.id))
                }
            }
            (open, completed) = ([], [])
            guard !wanted.isEmpty else { break }
            try await KeptParts(seams: client.seams).offer(to: &transfers, at: wanted.map(\.index))
            await MountPoints(files: client.seams.files).note(in: &transfers, at: wanted.map(\.index))
            let fresh = try await client.store.add(
                // Usually all are wanted, and there may be very many: this avoids a copy.
                wanted.count == transfers.count ? transfers : wanted.map { transfers[$0.index] },
                besides: wanted.map(\.besides),
                holder: holder,
                at: client.now
            )
            try await client.ownership.displacedParts.removeExpected()
            precondition(fresh.count == wanted.count, "I3: a store answers for everything it was given")
            for ((index, _), addition) in zip(wanted, fresh) {
                let isMetByUUID = addition.transfer.uuid == transfers[index].uuid
                if addition.transfer.state == .completed, !isMetByUUID {
                    // Another process completed it after the look-up.
                    open.append(index)
                    completed.append(addition.transfer)
                } else {
                    additions[index] = addition
                }
            }
        }
        return try await labelled(additions.compactMap(\.self), fulfilled, as: transfers)
    }

    /// Gives completed transfers that fulfil a call the tag and payload of that call. A call repeated under its UUID changes
    /// nothing.
    private func labelled(
        _ additions: [Addition],
        _ fulfilled: [Int],
        as transfers: [NewTransfer]
    ) async throws(StoreError) -> [Addition] {
        let others = fulfilled.filter { index in
            var transfer = additions[index].transfer
            return transfer.uuid != transfers[index].uuid && transfer.takeLabels(of: transfers[index])
        }
        guard !others.isEmpty else { return additions }
        let ids = others.map { additions[$0].transfer.id }
        let transfers = try await client.store.label(ids, as: others.map { transfers[$0] })
        var additions = additions
        for case (let index, let transfer?) in zip(others, transfers) {
            additions[index] = .attached(transfer)
        }
        return additions
    }

    /// The earlier completed transfer of each, in the order given.
    private func completed(like transfers: [NewTransfer]) async throws(StoreError) -> [Transfer?] {
        // Looking for each is most of the cost of adding many, and usually the store has no completed transfer.
        if transfers.count > ClientSeams.pageLength,
            try await client.store.counts()[.completed, default: 0] == 0
        {
            return Array(repeating: nil, count: transfers.count)
        }
        var completed: [Transfer?] = []
        for page in transfers.pages {
            completed += try await client.store.completed(like: page.map(\.work))
        }
        return completed
    }

    /// Where the file of a completed transfer should be, when it is gone or was changed.
    package func lostFile(of transfer: Transfer) async -> FilePlace? {
        guard transfer.state == .completed else { return nil }
        return await client.seams.missingFile(of: transfer.work)
    }

    /// Throws for a completed transfer whose file is gone or was replaced. Such a transfer is not run again (I8), and
    /// must not be reported as done.
    package func requireFile(of transfer: Transfer) async throws(StoreError) {
        guard let place = await lostFile(of: transfer) else { return }
        if let problem = await client.seams.unmountedDisk(of: transfer) { throw problem }
        throw .notPossible(
            transfer.id,
            "Transfer \(transfer.id) was completed, but \(place.path) is gone or was changed.",
            [.replaceFile]
        )
    }
}
