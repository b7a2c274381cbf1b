public import FerryCore

/// What is added, and what is complete already.
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
    ///   - uuid: a name that you have made, if the call may be repeated: under one UUID a transfer is stored once, and runs
    ///     once. A call that meets it again changes nothing, whatever its state.
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
        return transfer(try await add([new])[0].transfer.id)
    }

    /// Adds a request for any process that runs the queue. It is durable when this returns (I3).
    ///
    /// - Throws: as ``TransferEngine/send(_:queue:priority:after:tag:payload:uuid:)``.
    @discardableResult
    public func add(
        _ request: RequestSpecification,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after others: [TransferID] = [],
        tag: TransferTag? = nil,
        payload: TransferPayload? = nil,
        uuid: TransferUUID? = nil
    ) async throws(StoreError) -> TransferHandle {
        let new = NewTransfer(
            request,
            queue: queue,
            priority: priority,
            after: others,
            tag: tag,
            payload: payload,
            uuid: uuid
        )
        return transfer(try await add([new])[0].transfer.id)
    }

    // MARK: Complete already

    /// Adds those that are not already complete; returns the result of each, in the order given.
    func add(_ transfers: [NewTransfer], holder: OwnerID?) async throws(StoreError) -> [Addition] {
        var additions = [Addition?](repeating: nil, count: transfers.count)
        var open = Array(transfers.indices)
        var completed = try await completed(like: transfers)
        while !open.isEmpty {
            var wanted: [(index: Int, besides: TransferID?)] = []
            for (index, earlier) in zip(open, completed) {
                if let earlier, await serves(earlier, transfers[index]) {
                    additions[index] = .attached(earlier)
                } else {
                    wanted.append((index, earlier?.id))
                }
            }
            (open, completed) = ([], [])
            guard !wanted.isEmpty else { break }
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
        return additions.compactMap(\.self)
    }

    /// The earlier completed transfer of each, in the order given.
    private func completed(like transfers: [NewTransfer]) async throws(StoreError) -> [Transfer?] {
        // To look for each of many is most of the cost of adding them. Mostly the store has no completed transfer.
        if transfers.count > ClientSeams.pageLength,
            try await client.store.counts()[.completed, default: 0] == 0
        {
            return Array(repeating: nil, count: transfers.count)
        }
        var completed: [Transfer?] = []
        for page in transfers.pages {
            // A transfer without an identity is never the same as an earlier one.
            var found = try await client.store.completed(like: page.compactMap(\.download))[...]
            for new in page { completed.append(new.download == nil ? nil : found.popFirst() ?? nil) }
        }
        return completed
    }

    /// Whether an earlier transfer fulfils the new one, and its very file still has the final name.
    private func serves(_ earlier: Transfer, _ new: NewTransfer) async -> Bool {
        guard let asked = new.download?.options, let download = earlier.download else { return false }
        // Without `autoRename`, the new transfer asks for the unnumbered file.
        guard asked.existingFile != .overwrite, asked.existingFile == .autoRename || !download.mayBeNumbered
        else { return false }
        // A file fetched on weaker terms does not fulfil the new transfer.
        guard download.serves(asked) else { return false }
        return await hasItsFile(earlier, asked: asked)
    }

    /// Throws for a completed transfer whose file is gone or was replaced. Such a transfer is not run again (I8), and
    /// must not be reported as done.
    package func requireFile(of transfer: Transfer) async throws(StoreError) {
        guard transfer.state == .completed, let place = transfer.place, let download = transfer.download
        else { return }
        // Ferry does not watch over a file that another program put there.
        guard download.progress.part != nil else { return }
        var asked = DownloadOptions()
        asked.ignoresServerDigests = download.specification.options.ignoresServerDigests
        guard await !hasItsFile(transfer, asked: asked) else { return }
        throw .notPossible(
            transfer.id,
            "Transfer \(transfer.id) was completed, but \(place.path) is gone or was changed.",
            [.replaceFile]
        )
    }

    /// Whether the file that the transfer published is still in its place, unchanged, and meets `asked`.
    ///
    /// An unchanged modification time means unchanged bytes. A `chmod`, a hard link, or a rename there and back keeps
    /// that time. After a `touch` only a digest can tell.
    private func hasItsFile(_ transfer: Transfer, asked: DownloadOptions) async -> Bool {
        guard let place = transfer.place, let download = transfer.download, let claim = download.progress.part
        else { return false }
        do throws(StorageProblem) {
            guard let final = try await client.seams.files.survey(place).final, final.kind == .file,
                final.identity.isSameFile(as: claim.identity),
                final.length == download.progress.segments.length
            else { return false }
            let isAsPublished = claim.modified != nil && claim.modified == final.modified
            // The server's digest was ignored then, and counts now.
            let isUncompared =
                download.specification.options.ignoresServerDigests && !asked.ignoresServerDigests
            if !isAsPublished || isUncompared, asked.checksum == nil, asked.pieces == nil {
                var specification = download.specification
                if isUncompared { specification.options.ignoresServerDigests = false }
                guard let known = specification.expectedDigest(knowing: download.progress) else {
                    return isAsPublished
                }
                let found = try await client.seams.digest(
                    known.algorithm,
                    of: place,
                    identity: final.identity,
                    length: final.length
                )
                guard found == known else { return false }
            }
            return try await client.seams.flaw(of: place, final, asked: asked) == nil
        } catch {
            // The new transfer will meet the same problem with the directory, and report it.
            return false
        }
    }
}
