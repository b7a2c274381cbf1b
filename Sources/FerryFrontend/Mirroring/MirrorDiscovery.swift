import Ferry

/// Reads what the source of a mirror has, and notes it in the tree, so that a later command need not read it again.
package struct MirrorDiscovery {
    /// The state after the listing, and what only a dry run has to know.
    package struct Outcome: Sendable {
        /// How far the mirror has come.
        package let state: MirrorState
        /// What was refused and could not be listed; in a dry run also how each file compares.
        package let tally: MirrorTally
        /// In a dry run, the numbers of the nodes that the source still has.
        let seen: NodeNumbers
        /// Whether an earlier command has listed the source, so that some of its files may be placed already.
        package let isContinued: Bool
    }

    private let mirror: MirrorTree
    private(set) var notes: MirrorNotes
    private let tell: @Sendable (MirrorEvent) -> Void
    private var directories = 0
    /// Directories of keys that were noted since this command began. They are noted again if they are too many to keep.
    private var noted: Set<NodeID> = []

    private static let mostNoted = 100_000
    /// Number of directories that are asked for at once.
    private static let width = 4

    /// Maximum number of directories that wait to be asked for.
    private static let mostPending = 1_000_000

    /// Maximum number of files and directories of a source.
    package static let most = 10_000_000

    private var plan: MirrorPlan { mirror.plan }

    /// Lists the source of a mirror, from where the last command was stopped.
    ///
    /// - Parameter most: maximum number of files and directories of the source.
    /// - Throws: ``CommandFailure`` and ``TransferFailure`` when the source cannot be listed, ``StoreError``,
    ///   `CancellationError`.
    package static func list(
        _ mirror: MirrorTree,
        upTo most: Int = MirrorDiscovery.most,
        _ tell: @escaping @Sendable (MirrorEvent) -> Void
    ) async throws -> Outcome {
        var discovery = MirrorDiscovery(mirror, upTo: most, tell)
        let isContinued = discovery.notes.state.phase != .listing
        if !isContinued { try await discovery.list() }
        return Outcome(
            state: discovery.notes.state,
            tally: discovery.notes.tally,
            seen: discovery.notes.seen,
            isContinued: isContinued
        )
    }

    private init(
        _ mirror: MirrorTree,
        upTo most: Int,
        _ tell: @escaping @Sendable (MirrorEvent) -> Void
    ) {
        (self.mirror, self.tell) = (mirror, tell)
        let (plan, former) = (mirror.plan, mirror.state)
        let filter = plan.filter.text
        let isContinued = !plan.isDryRun && former?.continues(filter: filter) == true
        let next = former?.next(filter: filter) ?? MirrorState(identity: plan.identity, filter: filter)
        var state = isContinued ? former ?? next : next
        state.disk = plan.folder.disk(at: SystemTime.now) ?? former?.disk
        notes = MirrorNotes(mirror, state, upTo: most, tell)
    }

    private mutating func list() async throws {
        // Everything else is below the top.
        if notes.state.place.isEmpty, notes.state.listedPass < notes.state.pass { try await notes.save([]) }
        switch plan.source {
        case .bucket(let prefix): try await listBucket(prefix)
        case .directory(let url): try await listDirectories(from: url)
        case .manifest(let url): try await listManifest(at: url)
        }
    }

    private func tellProgress() { tell(.progress(files: notes.state.count, directories: directories)) }

    private var tellWait: @Sendable (RequestWait) -> Void { { [tell] in tell(.waiting($0)) } }

    // MARK: Buckets

    private mutating func listBucket(_ prefix: ObjectPrefix) async throws {
        let (terms, retries) = try plan.exchange()
        let bucket = BucketClient(mirror.engine, terms, retries: retries, willWait: tellWait)
        let place = notes.state.place
        do {
            try await listBucket(prefix, from: place, by: bucket)
        } catch let failure as TransferFailure
            where !place.isEmpty && notes.state.place == place
            && [.refused, .badResponse].contains(failure.code)
        {
            // The store may not know the place any more.
            notes.startOver()
            try await listBucket(prefix, from: [], by: bucket)
        }
    }

    private mutating func listBucket(
        _ prefix: ObjectPrefix,
        from place: [String],
        by bucket: BucketClient
    ) async throws {
        let parameters = stride(from: 0, to: place.count - 1, by: 2).map {
            (place[$0], place[$0 + 1] as String?)
        }
        var listing = BucketListing<ListedObject>(prefix, from: parameters)
        while !listing.isOver {
            let page: [ListedObject]
            (page, listing) = try await bucket.page(of: listing)
            notes.state.place = listing.isOver ? [] : listing.place.flatMap { [$0.name, $0.value ?? ""] }
            if listing.isOver { notes.state.phase = .downloading }
            try await notes.save(page.flatMap { listed($0, in: prefix) })
            tellProgress()
        }
    }

    /// An object, after the directories above it that were not noted yet.
    private mutating func listed(_ object: ListedObject, in prefix: ObjectPrefix) -> [ListedFile] {
        // A key that ends with a slash is a folder of a web console, without bytes.
        guard object.key.utf8.last != UInt8(ascii: "/") else { return [] }
        let rest = Substring(object.key.utf8.dropFirst(plan.source.commonLength))
        guard let name = prefix.object(object.key) else { return refused(String(rest)) }
        let version = ListedVersion(etag: object.etag, size: object.length, stamp: object.modified)
        return listed(String(rest), at: [HTTPURL(name)], version)
    }

    private mutating func refused(_ path: String) -> [ListedFile] {
        if plan.filter.takes(path) { notes.refuse(path, in: plan.source.redacted, "It is not a safe path.") }
        return []
    }

    /// A file with its whole path, after the directories above it that were not noted yet.
    private mutating func listed(
        _ listedPath: String,
        at urls: [HTTPURL],
        _ version: ListedVersion
    ) -> [ListedFile] {
        guard let place = MirrorPath.ofObject(Substring(listedPath)) else { return refused(listedPath) }
        guard plan.filter.takes(listedPath) else { return [] }
        if noted.count > Self.mostNoted { noted = [] }
        let files = place.directories.filter { noted.insert(NodeID($0)).inserted }.map {
            ListedFile($0, .directory, nil)
        }
        directories += files.count
        var file = ListedFile(place.path, .file, urls.first, version)
        file.mirrors = Array(urls.dropFirst())
        if listedPath != place.path { file.listedPath = listedPath }
        return files + [file]
    }

    /// Asks the server of a manifest or a directory.
    private func client(of source: HTTPURL) throws -> DirectoryClient {
        let (terms, retries) = try plan.exchange()
        return DirectoryClient(
            mirror.engine,
            home: source.origin,
            terms,
            retries: retries,
            willWait: tellWait
        )
    }

    // MARK: Manifests

    private mutating func listManifest(at source: HTTPURL) async throws {
        let client = try client(of: source)
        let document = try await client.document(at: source)
        let manifest = try Self.manifest(document.bytes, at: document.url)
        notes.state.phase = .downloading
        for portion in Self.portions(of: manifest.files) {
            var files: [ListedFile] = []
            for file in manifest.files[portion] { files += listed(file.path, at: file.urls, file.version) }
            try await notes.save(files, isLast: portion.upperBound == manifest.files.count)
        }
        tellProgress()
    }

    private static func manifest(_ bytes: [UInt8], at url: HTTPURL) throws -> Manifest {
        do {
            return try Manifest(parsing: bytes, at: url, isStopped: { Task.isCancelled })
        } catch {
            // What was not read to its end says nothing about the source.
            try Task.checkCancellation()
            throw error
        }
    }

    /// Ranges of a listing that are noted one after the other, so that it is never in memory as a whole; at least one.
    private static func portions(of entries: some RandomAccessCollection) -> [Range<Int>] {
        stride(from: 0, to: max(1, entries.count), by: MirrorNotes.pageLength).map {
            $0..<min($0 + MirrorNotes.pageLength, entries.count)
        }
    }

    // MARK: Directories

    /// A directory to list.
    private struct Folder: Sendable {
        /// Its path below the directory of the mirror.
        let path: String
        /// Its path as the source lists it.
        let listedPath: String
        let url: HTTPURL

        var isTop: Bool { path == MirrorPath.top }

        /// The path of something in it, as the source lists it.
        func sourcePath(of name: String) -> String { isTop ? name : "\(listedPath)/\(name)" }
    }

    private mutating func listDirectories(from source: HTTPURL) async throws {
        // Those that could not be listed before are asked for again.
        notes.state.isComplete = !notes.state.isListedAnew
        let client = try client(of: source)
        var pending = try await unlisted()
        guard let language = notes.state.language, notes.state.listedPass == notes.state.pass else {
            let answer = try await client.answer(at: source)
            let isAlike = notes.state.formerLanguage == answer.language && notes.topURL == answer.url
            if notes.state.listedPass > 0, !isAlike || notes.state.isListedAnew {
                (notes.state.isListedAnew, notes.state.isComplete) = (true, false)
                tell(.unlisted(path: MirrorPath.top, Self.otherListing))
            }
            (notes.state.language, notes.topURL) = (answer.language, answer.url)
            pending = try await take(
                answer,
                in: Folder(path: MirrorPath.top, listedPath: MirrorPath.top, url: answer.url)
            )
            try await listDirectories(&pending, by: client, in: answer.language)
            return
        }
        try await listDirectories(&pending, by: client, in: language)
    }

    private static let otherListing = TransferFailure(
        .badResponse,
        "The source was listed in another way or at another URL last time. No file is treated as gone in this pass."
    )

    private mutating func listDirectories(
        _ pending: inout [Folder],
        by client: DirectoryClient,
        in language: DirectoryClient.Language
    ) async throws {
        typealias Result = Swift.Result<DirectoryClient.Answer, any Error>
        try await withThrowingTaskGroup(of: (Folder, Result).self) { group in
            var running = 0
            while true {
                while running < Self.width, let folder = pending.popLast() {
                    running += 1
                    group.addTask {
                        do {
                            return (folder, .success(try await client.answer(at: folder.url, in: language)))
                        } catch {
                            return (folder, .failure(error))
                        }
                    }
                }
                guard let (folder, result) = try await group.next() else { break }
                running -= 1
                switch result {
                case .success(let answer): pending += try await take(answer, in: folder)
                case .failure(let error): try skip(folder, error)
                }
                try checkCount(of: pending)
            }
        }
        notes.state.phase = .downloading
        try await notes.save([])
    }

    private func checkCount(of pending: [Folder]) throws {
        guard pending.count > Self.mostPending else { return }
        throw notes.tooManyEntries("more than \(Self.mostPending) directories that wait for their turn")
    }

    /// Directories that were found in this pass and not listed yet.
    private mutating func unlisted() async throws -> [Folder] {
        guard !plan.isDryRun, notes.state.listedPass == notes.state.pass else { return [] }
        var folders: [Folder] = []
        var top: HTTPURL?
        var count = 1
        let pass = notes.state.pass
        try await notes.tree.walk { visited in
            try Task.checkCancellation()
            let node = visited.node
            if node.id.text == MirrorPath.top {
                top = node.source
                return .descend
            }
            guard let entry = MirrorEntry(node.payload), entry.pass == pass else { return .descend }
            guard entry.kind == .directory else { return .descend }
            if entry.listedPass == pass { count += 1 }
            if entry.listedPass < pass, let url = node.source {
                let path = node.id.text
                folders.append(Folder(path: path, listedPath: entry.sourcePath(of: path), url: url))
                try checkCount(of: folders)
            }
            return .descend
        }
        notes.topURL = top ?? notes.topURL
        directories = count
        return folders
    }

    /// Notes what a directory has; returns the directories in it.
    private mutating func take(_ answer: DirectoryClient.Answer, in folder: Folder) async throws -> [Folder] {
        directories += 1
        let place = folder.isTop ? "the source" : folder.path
        for name in answer.index.refused where isWanted(name, isDirectory: name.hasSuffix("/"), in: folder) {
            notes.refuse(name, in: place, "It names no file in its directory.")
        }
        var folders: [Folder] = []
        var refused: Set<NodeID> = []
        let entries = answer.index.entries
        for portion in Self.portions(of: entries) {
            var files: [ListedFile] = []
            for entry in entries[portion]
            where isWanted(entry.name, isDirectory: entry.isDirectory, in: folder) {
                guard let file = Self.listed(entry, in: folder) else {
                    notes.refuse(
                        entry.name,
                        in: place,
                        "Its name is not safe here, or its path is too deep or too long."
                    )
                    continue
                }
                files.append(file)
            }
            let isLast = portion.upperBound == entries.count
            refused.formUnion(try await notes.save(files, closing: folder.path, isLast: isLast))
            folders += files.compactMap { file in
                guard file.kind == .directory, let url = file.url else { return nil }
                return Folder(path: file.path, listedPath: file.listedPath ?? file.path, url: url)
            }
        }
        tellProgress()
        return refused.isEmpty ? folders : folders.filter { !refused.contains(NodeID($0.path)) }
    }

    private func isWanted(_ name: String, isDirectory: Bool, in folder: Folder) -> Bool {
        let path = folder.sourcePath(of: name)
        return isDirectory ? plan.filter.enters(path) : plan.filter.takes(path)
    }

    /// An entry of a directory with its place here; `nil` if it has none.
    private static func listed(_ entry: DirectoryIndex.Entry, in folder: Folder) -> ListedFile? {
        guard let path = MirrorPath.of(entry.name, in: folder.path) else { return nil }
        let version = ListedVersion(
            etag: entry.entityTag?.description,
            size: entry.length,
            stamp: entry.stamp
        )
        var file = ListedFile(path, entry.isDirectory ? .directory : .file, entry.url, version)
        let listedPath = folder.sourcePath(of: entry.name)
        if listedPath != path { file.listedPath = listedPath }
        return file
    }

    /// Skips a directory if only that cannot be listed.
    private mutating func skip(_ folder: Folder, _ error: any Error) throws {
        guard let failure = error as? TransferFailure, !failure.code.mayPass else { throw error }
        notes.state.isComplete = false
        notes.tally.unlisted += 1
        tell(.unlisted(path: folder.path, failure))
    }
}

extension TransferFailure.Code {
    /// Whether the server or the way to it fails, so that the next request would fail as well, and a later one may succeed.
    fileprivate var mayPass: Bool {
        switch self {
        case .nameNotResolved, .connectionRefused, .connectionLost, .networkUnreachable, .tlsFailed,
            .proxyFailed,
            .timeout, .tooSlow, .serverOverloaded, .attemptsExhausted:
            true
        default: false
        }
    }
}
