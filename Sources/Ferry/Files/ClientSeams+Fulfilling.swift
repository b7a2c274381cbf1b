import FerryCore

/// Whether the result of completed work still exists, so that it need not run again.
extension ClientSeams {
    /// Whether completed work with the identity of `asked` fulfils it.
    func isFulfilled(_ asked: Work, by completed: Work) async -> Bool {
        switch (asked, completed) {
        case (.download(let asked), .download(let completed)):
            await isFulfilled(asked.specification.options, by: completed)
        case (.upload(let asked), .upload(let completed)): completed.fulfils(asked)
        case (.download, _), (.request, _), (.upload, _): false
        }
    }

    /// The published file of completed work, if that file is gone or was changed; `nil` if it is in its place, and for
    /// work that publishes no file.
    func missingFile(of completed: Work) async -> FilePlace? {
        // Ferry does not check a file that another program put there.
        guard let download = completed.download, let place = download.place, download.progress.part != nil
        else { return nil }
        var asked = DownloadOptions()
        asked.ignoresServerDigests = download.specification.options.ignoresServerDigests
        return await hasFile(of: download, asked: asked) ? nil : place
    }

    /// Takes over into `asked` what is known of the file of an earlier transfer that does not fulfil it (``Work/update(_:)``).
    ///
    /// Throws if the earlier transfer has saved that file on a disk that is not mounted. It would be fetched to the disk below.
    func update(_ asked: inout NewTransfer, from earlier: Transfer) async throws(StoreError) {
        try await requireDisk(of: earlier, for: asked)
        asked.work.update(earlier.work)
    }

    private func requireDisk(of earlier: Transfer, for asked: NewTransfer) async throws(StoreError) {
        guard let options = asked.work.download?.specification.options, options.existingFile != .overwrite,
            // What a pool lacks is fetched. A call that is repeated under its UUID fetches nothing.
            options.cache == nil, earlier.uuid != asked.uuid, let problem = await unmountedDisk(of: earlier)
        else { return }
        throw problem
    }

    /// The refusal for a completed transfer whose file is on a disk that is not mounted; `nil` if the disk may be mounted.
    func unmountedDisk(of completed: Transfer) async -> StoreError? {
        guard let download = completed.download, let place = download.place,
            let claim = download.progress.part
        else { return nil }
        do throws(StorageProblem) {
            let survey = try await files.survey(place)
            guard claim.isUnmounted(survey, since: completed.added) else { return nil }
        } catch {
            // The new transfer will meet the same problem with the directory, and report it.
            return nil
        }
        return .notPossible(
            completed.id,
            "Transfer \(completed.id) saved \(place.path), but its directory is on another device now, as if the disk "
                + "with the file were not mounted. Nothing was fetched.",
            [.mountDisk, .callAgain, .replaceFile]
        )
    }

    /// Whether a completed download fulfils the request, and its own file still has the final name.
    private func isFulfilled(_ asked: DownloadOptions, by completed: DownloadWork) async -> Bool {
        // Without `autoRename`, the file without a number is asked for.
        guard asked.existingFile != .overwrite, !asked.updates,
            asked.existingFile == .autoRename || !completed.mayBeNumbered
        else { return false }
        // A file fetched on weaker terms does not fulfil it.
        guard completed.serves(asked) else { return false }
        return await hasFile(of: completed, asked: asked)
    }

    /// Whether the file that the download published is still in its place, unchanged, and meets `asked`.
    ///
    /// An unchanged modification time means unchanged bytes. A `chmod`, a hard link, or a rename there and back keeps
    /// that time. After a `touch` only a digest can tell.
    private func hasFile(of download: DownloadWork, asked: DownloadOptions) async -> Bool {
        guard let place = download.place, let claim = download.progress.part else { return false }
        do throws(StorageProblem) {
            guard let final = try await files.survey(place).final, final.kind == .file,
                final.identity.isSameFile(as: claim.identity),
                final.length == download.progress.fileLength
            else { return false }
            let isAsPublished = claim.modified != nil && claim.modified == final.modified
            if claim.seal != nil { return isAsPublished && download.hasProved(asked) }
            // The server's digest was ignored then, and counts now.
            let isUncompared =
                download.specification.options.ignoresServerDigests && !asked.ignoresServerDigests
            if !isAsPublished || isUncompared, asked.checksum == nil, asked.pieces == nil {
                var specification = download.specification
                if isUncompared { specification.options.ignoresServerDigests = false }
                guard let known = specification.expectedDigest(knowing: download.progress) else {
                    return isAsPublished
                }
                let found = try await files.digest(
                    known.algorithm,
                    of: place,
                    identity: final.identity,
                    length: final.length
                )
                guard found == known else { return false }
            }
            return try await flaw(of: place, final, asked: asked) == nil
        } catch {
            // The new transfer will meet the same problem with the directory, and report it.
            return false
        }
    }
}
