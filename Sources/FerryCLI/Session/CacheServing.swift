import Ferry
import FerryFrontend

/// Serves the downloads of a command line from a pool.
struct CacheServing {
    private let session: Session
    private let engine: TransferEngine
    private let pool: CachePool
    /// The file to copy to, `-` for standard output; `nil` prints paths.
    private let output: String?
    private var console: Console { session.console }

    /// A file that was asked for.
    private struct File {
        let planned: PlannedDownload
        /// Its entry, once it is known.
        var entry: CacheEntry?
        /// The transfer that brings it; `nil` if it was there.
        var transfer: TransferID?
        /// Keeps it from being deleted before it is copied.
        var retain: CacheRetain?

        var key: CacheKey { .url(planned.specification.url) }
        var label: String { TerminalText.safe(key.label) }
        var options: CacheOptions {
            var options = CacheOptions()
            options.download = planned.specification.options
            return options
        }

        init(_ planned: PlannedDownload) { self.planned = planned }
    }

    /// Maximum looks for an entry that other processes evict before it is retained.
    private static let mostLooks = 3

    /// - Parameters:
    ///   - name: the name of the pool.
    ///   - output: the file to copy to, `-` for standard output; `nil` prints paths.
    init(_ session: Session, _ engine: TransferEngine, from name: PoolName, copyingTo output: String?) {
        (self.session, self.engine, self.output) = (session, engine, output)
        pool = engine.cache(name.text)
    }

    /// Serves what is in the pool, and downloads what is not there or no longer fresh. Then prints the path of each file, or copies
    /// it.
    func serve(_ plan: DownloadPlan, _ signals: SignalWatch) async throws -> ExitStatus {
        let whole = try await session.completed(plan, by: engine)
        var files = try whole.transfers.map(File.init)
        let status = try await serve(&files, of: whole, signals)
        // After an error they end with the process.
        for file in files { try await file.retain?.release() }
        return status
    }

    private func serve(
        _ files: inout [File],
        of plan: DownloadPlan,
        _ signals: SignalWatch
    ) async throws -> ExitStatus {
        var wanted: [(index: Int, new: NewTransfer)] = []
        for index in files.indices {
            if let new = try await look(for: &files[index]) { wanted.append((index, new)) }
        }
        var (status, isStopped) = (ExitStatus.done, false)
        if !wanted.isEmpty {
            signals.engage()
            let additions = try await engine.download(wanted.map(\.new))
            var mirrors = MirrorAdvice()
            let asked = wanted.map { files[$0.index].planned }
            if let warning = mirrors.note(asked, additions, of: plan) { console.warning(warning) }
            for (index, addition) in zip(wanted.map(\.index), additions) {
                files[index].transfer = addition.transfer.id
                // Another command may evict it as soon as it is complete.
                if output != nil { files[index].retain = try await pool.retainExpected(files[index].key) }
            }
            let run = try await session.follow(additions, in: engine)
            status = try await run.run(signals)
            isStopped = run.isInterrupted
        }
        for index in files.indices {
            let own = try await deliver(&files[index], isOneOfMany: files.count > 1, isStopped: isStopped)
            if status == .done { status = own }
        }
        return status
    }

    /// Looks for a file in the pool.
    ///
    /// - Returns: the transfer that brings it; `nil` if it is there.
    private func look(for file: inout File) async throws -> NewTransfer? {
        for _ in 1...Self.mostLooks {
            switch try await pool.prepare(file.planned.specification.url, file.options) {
            case .present(let entry):
                if output != nil {
                    file.retain = try await pool.retain(file.key)
                    // Another command has evicted it.
                    if file.retain == nil { continue }
                }
                file.entry = entry
                return nil
            case .stale(_, var new), .missing(var new):
                let planned = file.planned.transfer
                (new.queue, new.priority) = (planned.queue, planned.priority)
                (new.after, new.tag) = (planned.after, planned.tag)
                return new
            }
        }
        return nil
    }

    // MARK: Delivering

    /// Prints the path of a file, or copies it. If it is not there, the reason is printed, unless the run has done so.
    private func deliver(
        _ file: inout File,
        isOneOfMany: Bool,
        isStopped: Bool
    ) async throws -> ExitStatus {
        let transfer = try await transfer(of: file)
        if file.entry == nil { file.entry = try await arrived(file, with: transfer) }
        if file.entry == nil, let transfer, transfer.state != .completed {
            if !isStopped { tellQuietly(transfer) }
            return ExitStatus(transfer.state)
        }
        if output != nil, file.entry != nil, file.retain == nil {
            file.retain = try await pool.retain(file.key)
            if file.retain == nil { file.entry = nil }
        }
        guard let entry = file.entry, let path = entry.path else {
            let hint = "Repeat the command\(isOneOfMany ? " with that URL alone" : "")."
            let text = "Pool \(pool.name) no longer has \(file.label): it was evicted or removed."
            console.failure(CommandFailure(.other, code: "evicted", text, hint: hint))
            return .other
        }
        try await deliver(entry, at: path, of: file)
        if output == nil, let warning = try await pool.settings.warning(of: entry) {
            console.warning(warning)
        }
        return .done
    }

    /// The transfer that was to bring a file; `nil` if it was there, or the store does not know the transfer any more.
    private func transfer(of file: File) async throws -> Transfer? {
        guard let id = file.transfer else { return nil }
        do {
            return try await engine.snapshot(of: id)
        } catch StoreError.noSuchTransfer {
            return nil
        }
    }

    /// The entry of a file that was not there, or not fresh; `nil` if it is gone, or did not come.
    private func arrived(_ file: File, with transfer: Transfer?) async throws -> CacheEntry? {
        if transfer == nil || transfer?.state == .completed {
            return try await pool.take(file.key, file.options, retainedBy: file.retain)
        }
        // A failed download leaves the former file. It may be stale, or have another digest.
        let found = try await pool.prepare(file.planned.specification.url, file.options)
        guard case .present(let fresh) = found else { return nil }
        return fresh
    }

    /// With `--quiet`, says how a download ended if the run printed only a notice about it.
    private func tellQuietly(_ transfer: Transfer) {
        guard console.appearance.quiet, !console.appearance.json else { return }
        switch transfer.state {
        case .completed, .failed, .waiting(.newURL), .waiting(.diskSpace), .waiting(.diskMount): return
        case .cancelled where transfer.displacement != nil: return
        case .queued, .active, .paused, .waiting, .cancelled: break
        }
        let isOver = transfer.state == .cancelled
        console.failure(
            CommandFailure(
                ExitStatus(transfer.state),
                code: transfer.state.name.rawValue,
                "\(transfer.displayName): \(transfer.stateText(at: SystemTime.now)).",
                hint: isOver ? nil : "`ferry resume \(transfer.id)` \(transfer.continuation).",
                transfer: transfer.id
            )
        )
    }

    /// Prints the path of an entry's file. If an output is given, copies the file to it instead.
    private func deliver(
        _ entry: CacheEntry,
        at path: String,
        of file: File
    ) async throws {
        if let output, output != "-" {
            let download = file.planned.specification
            guard case .file(let directory, let name?) = download.destination else { return }
            let place = FilePlace(directory: directory, name: name)
            try await copy(path, to: place, download.options.existingFile == .overwrite)
            tell(entry, copiedTo: place.path)
        } else {
            if output == "-" { try await copy(path, to: nil, false) }
            if file.transfer == nil { tell(entry) }
        }
        if console.appearance.json {
            console.data(entry.json)
        } else if output == nil {
            console.data(path)
        }
    }

    /// Says that a file comes from the pool, or where it was copied to. The line about a download says only that the pool has it.
    private func tell(_ entry: CacheEntry, copiedTo path: String? = nil) {
        let name = TerminalText.safe(path ?? entry.label)
        let text = "\(path == nil ? "Already in" : "Copied from") pool \(pool.name): \(name)"
        console.notice("\(text) (\(ByteCount(entry.bytes).formatted)).", keeping: [name])
    }

    /// Copies a file, so that neither changes with the other.
    private func copy(_ path: String, to place: FilePlace?, _ replacesExisting: Bool) async throws {
        try await ByteTarget.write(place, replacesExisting: replacesExisting, console) { target in
            do {
                // By now a link may be in the place of the file.
                try await FileReader.read(path, followsLink: false) { try await target.write($0) }
            } catch let problem as FileReader.Problem {
                throw CommandFailure(unreadable: TerminalText.safe(path), problem)
            }
        }
    }
}
