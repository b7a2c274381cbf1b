package import Ferry

/// The downloads of the list, which are made whenever they are needed: a million of them takes no more memory than a few.
extension DownloadPlan {
    /// Reads the whole list, so that nothing of it is added if a line is wrong.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for the lines that are wrong, and 15 when the list cannot be read.
    mutating func checkList() throws(CommandFailure) {
        guard var list else { return }
        var entries = try list.entries()
        var former: Former?
        var number = urlCount
        var flaws = InputFlaws.ofDownloading
        while !flaws.isFull, let next = try entries.next() {
            do throws(ListFlaw) {
                let entry = try next.get()
                number += 1
                let download = try download(of: entry, number, in: list, after: &former)
                let finding = try finding(of: download, at: entry)
                list.note(download, at: entry, finding)
            } catch {
                flaws.add(error.failure(in: list.name), line: error.line)
            }
        }
        if let failure = flaws.failure { throw failure }
        list.finish()
        self.list = list
    }

    /// Looks at the downloads of the list with `look` before anything is added.
    ///
    /// - Throws: ``CommandFailure`` for the lines at which `look` throws, with the status of the first.
    package func checkEach(_ look: (PlannedDownload) async throws -> Void) async throws {
        var flaws = InputFlaws.ofDownloading
        var downloads = try downloads()
        while !flaws.isFull, let download = try downloads.next() {
            do {
                try await look(download)
            } catch {
                guard let line = download.line else { throw error }
                flaws.add(CommandFailure(error).located(at: place(of: download)), line: line)
            }
        }
        if let failure = flaws.failure { throw failure }
    }

    /// What the download of an entry is to those before it.
    private mutating func finding(
        of download: PlannedDownload,
        at entry: ListFile.Entry
    ) throws(ListFlaw) -> DownloadCensus.Finding {
        let finding = census?.take(download, fromLine: entry.line) ?? .new
        guard case .contradicted(let line) = finding else { return finding }
        let reason = "\(entry.urls[0].redacted) has other options on line \(line) for the same file."
        throw ListFlaw(line: entry.line, .usage(reason))
    }

    /// The line of the list that requests the same as a transfer, for a message; `nil` if no line does.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when the list cannot be read any more, or has changed.
    package func line(askingFor transfer: Transfer) throws(CommandFailure) -> String? {
        guard list != nil, let identity = transfer.work.identity else { return nil }
        var downloads = try downloads()
        while let download = try downloads.next() {
            if download.line != nil, download.specification.identity == identity {
                return place(of: download)
            }
        }
        return nil
    }

    /// Where a download of this plan was asked for: its line in the list, or its URL. For a message.
    package func place(of download: PlannedDownload) -> String {
        guard let list, let line = download.line else { return download.specification.url.redacted }
        return "\(list.name), line \(line)"
    }

    /// The download before another one in the list.
    fileprivate struct Former {
        var download: PlannedDownload
        /// Whether its options are those of all plain entries.
        var isPlain: Bool
    }

    /// The download of an entry of the list.
    ///
    /// - Parameter number: its number in the command, from 1.
    fileprivate func download(
        of entry: ListFile.Entry,
        _ number: Int,
        in list: DownloadList,
        after former: inout Former?
    ) throws(ListFlaw) -> PlannedDownload {
        let isPlain = entry.isPlain && isSameForAllURLs
        let base = terms.directory
        let directory =
            entry.directory.map { DownloadTerms.directory($0, in: base, terms.environment) } ?? base
        do throws(CommandFailure) {
            let name = entry.output ?? terms.output(for: entry.urls[0], number: number)
            let destination = try Destination(userGiven: name, in: directory, terms.environment)
            var download: PlannedDownload
            if isPlain, let former, former.isPlain {
                download = former.download
                download.specification.url = entry.urls[0]
                download.specification.destination = destination
            } else {
                let options = try options(of: entry, in: list)
                var listed = terms.transfer(
                    entry.urls[0],
                    destination,
                    options,
                    ignoresNetrc: entry.ignoresNetrc
                )
                try terms.route(&listed, through: entry.proxies)
                listed.isPaused = entry.isPaused
                listed.namesRateLimit = limit != nil || entry.rateLimit != nil
                if entry.window != nil { listed.namesWindow = true }
                download = try withDigest(listed)
                if let former { download.specification.shareOptions(with: former.download.specification) }
            }
            if digests.areKnown { try requireDigest(of: download) }
            former = Former(download: download, isPlain: isPlain)
            return download
        } catch {
            throw ListFlaw(line: entry.line, error)
        }
    }

    /// Whether the options of a download do not depend on its URL.
    private var isSameForAllURLs: Bool {
        if case .none = digests { terms.areSameForAllURLs && list?.sidecars.isEmpty != false } else { false }
    }

    /// The options of an entry of the list.
    private func options(
        of entry: ListFile.Entry,
        in list: DownloadList
    ) throws(CommandFailure) -> DownloadOptions {
        var own = terms.options
        own.checksum = entry.checksum ?? own.checksum ?? list.sidecars[entry.line]
        own.window = entry.window ?? own.window
        own.headers += entry.headers.map { .init(name: "\($0.name)", value: $0.value) }
        if let most = entry.connections {
            own.connections = min(most, DownloadOptions.connectionsRange.upperBound)
        }
        if entry.overwrites || entry.renames {
            own.existingFile = entry.overwrites ? .overwrite : .autoRename
        }
        own.keepsServerTime = entry.keepsServerTime ?? own.keepsServerTime
        own.maximumLength = entry.maximumLength ?? own.maximumLength
        own.retriedStatuses = entry.retriedStatuses ?? own.retriedStatuses
        if entry.password != nil, entry.user == nil {
            throw .usage("http-passwd needs http-user below the same URL.")
        }
        apply(entry, to: &own)
        if let user = entry.user { own.credentials = .basic(user: user, password: entry.password ?? "") }
        own.mirrors = try Self.mirrors(Array(entry.urls.dropFirst()), of: entry.urls[0])
        return own
    }

    /// Applies what an entry says of speed, times and retries.
    private func apply(_ entry: ListFile.Entry, to options: inout DownloadOptions) {
        options.rateLimit = entry.rateLimit ?? limit ?? options.rateLimit
        options.connection.lowSpeedLimit = entry.lowSpeedLimit ?? options.connection.lowSpeedLimit
        options.connection.idleTimeout = entry.idleTimeout ?? options.connection.idleTimeout
        options.connection.connectTimeout = entry.connectTimeout ?? options.connection.connectTimeout
        options.retries = entry.retries ?? options.retries
    }

    /// Reads the downloads in the order of the command line: first its URLs, then those of the list, then the files of the
    /// Metalinks.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when the list cannot be read.
    package func downloads() throws(CommandFailure) -> Downloads {
        Downloads(of: self, entries: try list?.entries())
    }

    /// Makes the downloads of a plan one by one.
    package struct Downloads {
        private let plan: DownloadPlan
        private var entries: DownloadList.Entries?
        private var place = 0
        /// The number of the latest entry of the list, in the command.
        private var number: Int
        /// The number of repeated lines so far.
        private var repeats = 0
        private var former: Former?

        fileprivate init(of plan: DownloadPlan, entries: DownloadList.Entries?) {
            self.plan = plan
            self.entries = entries
            number = plan.urlCount
        }

        /// The next download; `nil` at the end.
        ///
        /// - Throws: ``CommandFailure`` with status 15 when the list cannot be read any more, or has changed.
        package mutating func next() throws(CommandFailure) -> PlannedDownload? {
            if place == plan.urlCount, let listed = try nextOfList() { return listed }
            guard place < plan.singles.count else { return nil }
            defer { place += 1 }
            var single = plan.singles[place]
            if let limit = plan.limit {
                single.specification.options.rateLimit = limit
                single.namesRateLimit = true
            }
            return single
        }

        /// The next downloads, at most `limit`.
        package mutating func next(_ limit: Int) throws(CommandFailure) -> [PlannedDownload] {
            var downloads: [PlannedDownload] = []
            while downloads.count < limit, let download = try next() { downloads.append(download) }
            return downloads
        }

        private mutating func nextOfList() throws(CommandFailure) -> PlannedDownload? {
            guard let list = plan.list, entries != nil else { return nil }
            while let next = try entries?.next() {
                do throws(ListFlaw) {
                    let entry = try next.get()
                    number += 1
                    if repeats < list.repeats.count, list.repeats[repeats].line == entry.line {
                        repeats += 1
                        continue
                    }
                    var download = try plan.download(of: entry, number, in: list, after: &former)
                    download.line = entry.line
                    return download
                } catch {
                    throw error.failure(in: list.name)
                }
            }
            entries = nil
            return nil
        }
    }
}
