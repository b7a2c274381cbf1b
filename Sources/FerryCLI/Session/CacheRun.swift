import Ferry
import FerryFrontend

/// Commands of the managed cache in a session.
struct CacheRun {
    private let session: Session
    private var console: Console { session.console }

    init(_ session: Session) { self.session = session }

    /// The named pool, or all of them.
    ///
    /// - Throws: ``CommandFailure`` for a pool without entries that was never changed.
    func pools(_ name: PoolName?, in client: TransferClient) async throws -> [CachePool] {
        guard let name else { return try await client.cachePools().map { client.cache($0.pool) } }
        return [try await pool(name, in: client)]
    }

    /// The named pool.
    ///
    /// - Throws: ``CommandFailure`` for a pool without entries that was never changed.
    func pool(_ name: PoolName, in client: TransferClient) async throws -> CachePool {
        guard try await client.cachePools().contains(where: { $0.pool == name.text }) else {
            throw CommandFailure(
                .other,
                code: "noSuchPool",
                "There is no pool \(name.text). `ferry cache` lists the existing ones.",
                hint: UnknownSubcommand.advice(on: name.text, in: "cache")
                    ?? "`ferry get --cache \(name.text) URL` downloads a file into it. `ferry cache --help` lists the commands."
            )
        }
        return client.cache(name.text)
    }

    /// Changes entries of a pool, and reports each.
    ///
    /// - Returns: status 3 if the pool lacks one of them.
    func change(
        _ arguments: CacheKeyArguments,
        in client: TransferClient,
        _ text: String,
        _ change: (CachePool, CacheKey) async throws -> CacheEntry?
    ) async throws -> ExitStatus {
        let pool = client.cache(arguments.pool.text)
        var status = ExitStatus.done
        for word in arguments.keys {
            let keys = CacheKey.named(by: word)
            var changed: CacheEntry?
            for key in keys where changed == nil { changed = try await change(pool, key) }
            guard let entry = changed else {
                console.warning(
                    "Pool \(pool.name) has no file of \(TerminalText.safe(keys[0].label)). "
                        + "`ferry get --cache \(pool.name) URL` downloads it."
                )
                status = .notFound
                continue
            }
            if console.appearance.json {
                console.data(entry.json)
            } else {
                console.notice("\(TerminalText.safe(entry.label)): \(text)")
            }
        }
        return status
    }

    /// Reports how many entries are gone.
    func tellEvicted(_ count: Int, _ verb: String) {
        if console.appearance.json {
            console.data(["removed": .int(Int64(count))])
        } else {
            console.notice("\(verb) \(count) \(count == 1 ? "entry" : "entries").")
        }
    }

    /// Serves the downloads of a plan from a pool, and downloads what is not there or no longer fresh. Then prints the path of
    /// each file, or copies it.
    ///
    /// - Parameters:
    ///   - name: the name of the pool.
    ///   - output: the file to copy to, `-` for standard output; `nil` prints paths.
    func serve(
        _ plan: DownloadPlan,
        from name: PoolName,
        copyingTo output: String?,
        in engine: TransferEngine,
        _ signals: SignalWatch
    ) async throws -> ExitStatus {
        let pool = engine.cache(name.text)
        var (entries, wanted): ([CacheEntry?], [NewTransfer]) = ([], [])
        let downloads = try await session.completed(plan, by: engine).transfers
        for download in downloads {
            let planned = download.transfer
            switch try await pool.prepare(download.specification.url, options(of: download)) {
            case .present(let entry): entries.append(entry)
            case .stale(_, var new), .missing(var new):
                entries.append(nil)
                (new.queue, new.priority) = (planned.queue, planned.priority)
                (new.after, new.tag) = (planned.after, planned.tag)
                wanted.append(new)
            }
        }
        var status = ExitStatus.done
        let settings = try await pool.settings
        if !wanted.isEmpty {
            signals.engage()
            status = try await session.follow(try await engine.download(wanted), in: engine).run(signals)
        }
        for (download, present) in zip(downloads, entries) {
            var entry = present
            if entry == nil, status == .done {
                entry = try await pool.take(.url(download.specification.url), options(of: download))
            } else if entry == nil {
                // Of a download that failed, the file is the former one. It may be stale, or lack the digest.
                let found = try await pool.prepare(download.specification.url, options(of: download))
                guard case .present(let fresh) = found else { continue }
                entry = fresh
            }
            guard let entry, let path = entry.path else {
                // Why a download failed was reported with it.
                guard status == .done else { continue }
                let label = TerminalText.safe(CacheKey.url(download.specification.url).label)
                console.warning(
                    "Pool \(pool.name) has already evicted \(label). Repeat the command with that URL alone."
                )
                status = .other
                continue
            }
            try await deliver(entry, at: path, of: download, to: output)
            if output == nil, let warning = settings.warning(of: entry) { console.warning(warning) }
        }
        return status
    }

    /// Prints the path of an entry's file. If an output is given, copies the file to it instead.
    private func deliver(
        _ entry: CacheEntry,
        at path: String,
        of download: PlannedDownload,
        to output: String?
    ) async throws {
        if let output, output != "-" {
            guard case .file(let directory, let name?) = download.specification.destination else { return }
            let place = FilePlace(directory: directory, name: name)
            try await copy(path, to: place, download.specification.options.existingFile == .overwrite)
        } else if output == "-" {
            try await copy(path, to: nil, false)
        }
        if console.appearance.json {
            console.data(entry.json)
        } else if output == nil {
            console.data(path)
        }
    }

    private func options(of download: PlannedDownload) -> CacheOptions {
        var options = CacheOptions()
        options.download = download.specification.options
        return options
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
