package import Ferry

/// Downloads what is marked in the tree of a mirror, a number of files at a time.
package struct MirrorDownloads: Sendable {
    private let state: MirrorState
    private let tell: @Sendable (MirrorEvent) -> Void
    private var walk = NodeWalk()
    /// Directories that could not be made.
    private var blocked: Set<NodeID> = []
    /// The number of them.
    package var blockedCount: Int { blocked.count }
    /// The files of the latest batch. Among them are files that the walk has met whose downloads ended earlier and were not
    /// noted, such as before a kill.
    package private(set) var batch: [NodeID] = []

    /// Maximum number of transfers in one batch. Placed files are noted after each batch, because the store forgets all but
    /// the latest 100,000 completed transfers.
    private static let most = 10_000

    /// Begins at the first file.
    package init(_ state: MirrorState, _ tell: @escaping @Sendable (MirrorEvent) -> Void) {
        (self.state, self.tell) = (state, tell)
    }

    /// Whether every file was looked at.
    package var isDone: Bool { walk.isDone }

    /// Adds the next transfers, and runs them in the engine of the mirror.
    ///
    /// - Returns: none when nothing is left.
    /// - Throws: ``CommandFailure`` when the directory cannot be used, ``StoreError``, ``StorageProblem``.
    package mutating func next(of mirror: MirrorTree) async throws -> [Addition] {
        var additions: [Addition] = []
        batch = []
        while batch.count < Self.most, !walk.isDone {
            let page: [WalkedNode]
            (page, walk) = try await mirror.nodes.page(of: walk)
            let downloads = try await self.downloads(of: page, mirror)
            batch += downloads.map(\.node)
            batch += page.filter { $0.mark == nil && MirrorEntry.isPending($0.node.payload) }.map(\.node.id)
            if !downloads.isEmpty { additions += try await mirror.nodes.run(downloads, in: mirror.engine) }
        }
        return additions
    }

    /// The downloads of those nodes that need one. Their directories are made.
    private mutating func downloads(
        of nodes: [WalkedNode],
        _ mirror: MirrorTree
    ) async throws -> [(node: NodeID, download: NodeDownload)] {
        let plan = mirror.plan
        let wanted = nodes.compactMap { visited -> (node: Node, url: HTTPURL, entry: MirrorEntry)? in
            guard visited.mark?.components.contains(.data) == true, let url = visited.node.source,
                let entry = MirrorEntry(visited.node.payload), entry.kind == .file, entry.pass >= state.pass,
                plan.filter.takes(entry.sourcePath(of: visited.node.id.text))
            else { return nil }
            return (visited.node, url, entry)
        }
        guard !wanted.isEmpty else { return [] }
        try await makeDirectories(of: wanted.map(\.node.id.text), mirror)
        let replacing = wanted.filter { $0.entry.placed != nil }.map(\.node)
        let saved = try await mirror.saved(replacing)
        var first: DownloadSpecification?
        var downloads: [(node: NodeID, download: NodeDownload)] = []
        for (node, url, entry) in wanted {
            let path = node.id.text
            let (directory, name) = MirrorPath.split(path)
            guard !isBlocked(directory) else { continue }
            let place = Destination.file(
                directory: plan.folder.absolute(directory),
                name: try FileName(userGiven: name)
            )
            var options = plan.options(for: url, entry)
            options.root = plan.folder.root
            var specification = DownloadSpecification(url: url, destination: place, options: options)
            if let first { specification.shareOptions(with: first) } else { first = specification }
            var download = NodeDownload(specification, components: .data)
            if let placed = entry.placed {
                // A server that has no other version does not mend the file here, or the one that a digest promises.
                let isAsked =
                    entry.version.checksum == nil && !(plan.comparesDigests && entry.comparison == .changed)
                download.replace(placed, savedBy: isAsked ? saved[node.id] : nil)
            }
            downloads.append((node.id, download))
        }
        return downloads
    }

    // MARK: Directories

    /// Whether a directory, or one that it is in, could not be made.
    private func isBlocked(_ directory: String) -> Bool {
        guard !blocked.isEmpty else { return false }
        let directories = MirrorPath.directories(above: directory) + [directory]
        return directories.contains { blocked.contains(NodeID($0)) }
    }

    /// Makes the directories of some files, and notes which were not there.
    private mutating func makeDirectories(of paths: [String], _ mirror: MirrorTree) async throws {
        let (folder, tree) = (mirror.plan.folder, mirror.nodes)
        let directories = Set(paths.flatMap { MirrorPath.directories(above: $0) }.map { NodeID($0) })
        var made: [String] = []
        // Parents come before what is in them.
        for path in directories.map(\.text).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        where !isBlocked(path) {
            do throws(OpenFolder.Problem) {
                if try folder.makeDirectory(path) { made.append(path) }
            } catch {
                blocked.insert(NodeID(path))
                tell(.blocked(path: path, reason: error.reason))
            }
        }
        // Otherwise a power loss could remove a directory with its completed files.
        try folder.synchronize(directoriesOf: made)
        let stored = try await tree.nodes(made.map { NodeID($0) })
        let discoveries = stored.compactMap { stored -> NodeDiscovery? in
            guard let node = stored?.node, var entry = MirrorEntry(node.payload), entry.kind == .directory
            else {
                return nil
            }
            entry.isMade = true
            return NodeDiscovery(MirrorTree.node(node.id.text, entry, at: node.source))
        }
        if !discoveries.isEmpty { try await tree.discover(discoveries) }
    }
}

extension NodeDownload {
    /// Lets the download replace the file that the mirror has placed, as long as that was not changed.
    ///
    /// - Parameter transfer: the latest transfer that saved a file there. If it is that file, the server is asked only for
    ///   another version of it.
    fileprivate mutating func replace(_ placed: PlacedFile, savedBy transfer: Transfer?) {
        if let transfer, transfer.placedFile == placed {
            self.transfer.work.update(transfer.work)
        } else {
            self.transfer.work.replace(placed)
        }
    }
}
