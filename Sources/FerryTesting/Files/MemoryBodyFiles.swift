package import FerryCore
internal import Synchronization

/// Files in memory that requests carry, for tests and simulations.
package final class MemoryBodyFiles: BodyFiles {
    struct File {
        var bytes: [UInt8]
        var entry: FileSurvey.Entry
    }

    private struct State {
        /// The inode number under each path.
        var names: [String: UInt64] = [:]
        /// The files of directories whose disks are not mounted: the inode number under each path.
        var unmounted: [String: [String: UInt64]] = [:]
        /// All files that ever were, by inode number: an open file stays when its name is gone.
        var files: [UInt64: File] = [:]
        /// The latest inode number, and the latest time of a change.
        var latest: UInt64 = 0
        /// The locked copies: those whose transfers are not recorded yet, and one that is about to be removed.
        var locked: Set<TransferUUID> = []
        /// The copies that are not finished, which a loss of power may cut or remove.
        var unfinished: Set<TransferUUID> = []
        /// The files of removed copies, which a loss of power may bring back.
        var removed: [TransferUUID: UInt64] = [:]

        /// Puts a file at a path; returns its inode number.
        @discardableResult
        mutating func put(_ bytes: [UInt8], at path: String) -> UInt64 {
            latest += 1
            let entry = FileSurvey.Entry(
                identity: FileIdentity(device: 1, inode: latest),
                length: Int64(bytes.count),
                kind: .file,
                modified: Int64(latest)
            )
            names[path] = latest
            files[latest] = File(bytes: bytes, entry: entry)
            return latest
        }

        mutating func append(_ bytes: [UInt8], to inode: UInt64) {
            guard var file = files[inode] else { return }
            latest += 1
            file.bytes += bytes
            (file.entry.length, file.entry.modified) = (Int64(file.bytes.count), Int64(latest))
            files[inode] = file
        }

        mutating func drop(_ uuid: TransferUUID) {
            if let inode = names.removeValue(forKey: "\(uuid)"), !unfinished.contains(uuid) {
                removed[uuid] = inode
            }
            unfinished.remove(uuid)
        }
    }

    private let state = Mutex(State())
    private let areChanged: Bool

    /// Creates a disk without files.
    ///
    /// - Parameter areChanged: whether each file is found to be changed when its last byte was sent.
    package init(changedWhileSent areChanged: Bool = false) {
        self.areChanged = areChanged
    }

    /// The names of the copies of bodies.
    package var copies: [String] {
        state.withLock { $0.names.keys.filter { TransferUUID($0) != nil }.sorted() }
    }

    /// Puts a file at a path, in place of any other.
    package func put(_ bytes: [UInt8], at path: String) {
        state.withLock { _ = $0.put(bytes, at: path) }
    }

    /// Writes other bytes, of the same number, into the file at a path.
    package func change(_ path: String) {
        state.withLock { state in
            guard let inode = state.names[path] else { return }
            state.latest += 1
            for index in state.files[inode]?.bytes.indices ?? 0..<0 {
                state.files[inode]?.bytes[index] ^= 0xFF
            }
            state.files[inode]?.entry.modified = Int64(state.latest)
        }
    }

    /// Unmounts the disk of a directory.
    package func unmount(_ directory: String) {
        state.withLock { state in
            let names = state.names.filter { $0.key.hasPrefix("\(directory)/") }
            for name in names.keys { state.names[name] = nil }
            state.unmounted[directory] = names
        }
    }

    /// Mounts the disk of a directory again.
    package func mount(_ directory: String) {
        state.withLock { state in
            let names = state.unmounted.removeValue(forKey: directory) ?? [:]
            state.names.merge(names) { _, former in former }
        }
    }

    /// Removes the file at a path.
    package func remove(_ path: String) {
        state.withLock { $0.names[path] = nil }
    }

    /// The file with an inode number, as it is now.
    func file(_ inode: UInt64) -> File? { state.withLock { $0.files[inode] } }

    /// The bytes of a pinned file; `nil` if it is gone or another one.
    func bytes(of pinned: PinnedFile) -> [UInt8]? {
        let file = state.withLock { state in state.names[pinned.path].flatMap { state.files[$0] } }
        return file.flatMap { pinned.matches($0.entry) ? $0.bytes : nil }
    }

    /// The file at a path; `nil` if the path has no file.
    package func pinned(_ path: String) -> PinnedFile? {
        state.withLock { state in
            state.names[path].flatMap { state.files[$0] }.map { PinnedFile(path: path, $0.entry) }
        }
    }

    /// Notes which file is at a path now.
    package func pin(_ path: String) async throws(StorageProblem) -> PinnedFile {
        guard let file = pinned(path) else {
            throw StorageProblem(.permanent(.cannotOpen, "\(path) does not exist."), errno: 2)
        }
        return file
    }

    /// Notes which file is at the path of a pinned one now.
    package func survey(_ file: PinnedFile) async throws(Problem) -> PinnedFile {
        guard let found = pinned(file.path) else { throw missing(file) }
        return found
    }

    /// The problem of a pinned file that is missing.
    private func missing(_ file: PinnedFile) -> Problem {
        let isUnmounted = state.withLock { $0.unmounted.values.contains { $0[file.path] != nil } }
        return isUnmounted ? Problem.bodyUnmounted(file.path) : Problem.bodyMissing(file.path, file)
    }

    /// Opens a body.
    package func open(_ body: StoredBody) async throws(Problem) -> RequestBody {
        guard !body.parts.isEmpty else { return .bytes(body.bytes) }
        guard !areChanged else { return .source(ChangedSource()) }
        var rest = body.bytes[...]
        var parts: [MemoryBodySource.Part] = []
        for part in body.parts {
            switch part {
            case .bytes(let count):
                parts.append(.bytes(Array(rest.prefix(count))))
                rest = rest.dropFirst(count)
            case .file(let wanted):
                guard let name = state.withLock({ $0.names[wanted.path] }) else { throw missing(wanted) }
                guard let file = self.file(name), wanted.matches(file.entry) else {
                    throw MemoryBodySource.changed(wanted.path)
                }
                parts.append(.file(wanted))
            }
        }
        return .source(MemoryBodySource(parts, on: self))
    }

    /// Computes digests of bytes in memory only: the functions for files are in FerryIO.
    package func digests(
        of body: RequestBody,
        by algorithms: [Checksum.Algorithm]
    ) async throws(Problem) -> [Checksum] {
        guard case .bytes(let bytes) = body else {
            throw .permanent(.internalFault, "There are no digest functions for files in memory.")
        }
        return algorithms.map { ReferenceDigest.digest($0, of: bytes) }
    }

    // MARK: Copies

    /// A copy that is being made.
    private final class Copy: BodyCopy {
        let uuid: TransferUUID
        let inode: UInt64
        let files: MemoryBodyFiles

        init(_ uuid: TransferUUID, _ inode: UInt64, _ files: MemoryBodyFiles) {
            (self.uuid, self.inode, self.files) = (uuid, inode, files)
        }

        func append(_ bytes: [UInt8]) { files.state.withLock { $0.append(bytes, to: inode) } }

        /// Ends the copy. With its name all earlier changes of names are durable.
        func finish() -> PinnedFile {
            let file = files.state.withLock { state in
                state.unfinished.remove(uuid)
                state.removed = [:]
                return state.files[inode]
            }
            guard let file else { preconditionFailure("a file that was put exists") }
            return PinnedFile(path: "\(uuid)", file.entry, isCopy: true)
        }

        func discard() { files.drop(uuid) }
    }

    /// Begins a copy.
    package func copy(for uuid: TransferUUID) async throws(StorageProblem) -> any BodyCopy {
        let inode: UInt64? = state.withLock { state in
            guard state.names["\(uuid)"] == nil, state.locked.insert(uuid).inserted else { return nil }
            state.unfinished.insert(uuid)
            return state.put([], at: "\(uuid)")
        }
        guard let inode else {
            throw StorageProblem(.permanent(.destinationExists, "\(uuid) already exists."), errno: 17)
        }
        return Copy(uuid, inode, self)
    }

    private func drop(_ uuid: TransferUUID) {
        state.withLock { state in
            state.drop(uuid)
            state.locked.remove(uuid)
        }
    }

    /// Releases copies.
    package func release(copiesFor uuids: [TransferUUID]) {
        state.withLock { $0.locked.subtract(uuids) }
    }

    /// Releases all copies.
    package func releaseAll() -> Bool {
        state.withLock { state in
            defer { state.locked = [] }
            return !state.locked.isEmpty
        }
    }

    /// Removes a copy.
    package func removeCopy(for uuid: TransferUUID) async { drop(uuid) }

    /// Removes copies that are not needed.
    package func removeCopies(
        unless isNeeded: @Sendable (TransferUUID) async throws(StoreError) -> Bool
    ) async throws {
        for uuid in copies.compactMap({ TransferUUID($0) }) {
            let isFree = state.withLock { state in
                state.names["\(uuid)"] != nil && state.locked.insert(uuid).inserted
            }
            guard isFree else { continue }
            defer { release(copiesFor: [uuid]) }
            if try await !isNeeded(uuid) { state.withLock { $0.drop(uuid) } }
        }
    }

    /// Loses power: all locks are gone, and so may be any copy that was not finished. What was removed just before may return.
    package func losePower(using random: inout some RandomNumberGenerator) {
        state.withLock { state in
            for uuid in state.unfinished.sorted(by: { "\($0)" < "\($1)" }) {
                guard let inode = state.names["\(uuid)"], Bool.random(using: &random) else {
                    state.names["\(uuid)"] = nil
                    continue
                }
                let count = Int.random(in: 0...(state.files[inode]?.bytes.count ?? 0), using: &random)
                state.files[inode]?.bytes.removeSubrange(count...)
                state.files[inode]?.entry.length = Int64(count)
            }
            let removed = state.removed.sorted { "\($0.key)" < "\($1.key)" }
            for (uuid, inode) in removed where Bool.random(using: &random) && state.names["\(uuid)"] == nil {
                state.names["\(uuid)"] = inode
            }
            (state.locked, state.unfinished, state.removed) = ([], [], [:])
        }
    }
}

/// A body that is found to be changed whenever it is looked at.
private final class ChangedSource: BodySource {
    var length: Int64? { 3 }
    var descriptor: CInt? { nil }
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int { 0 }
    func check() throws(Problem) { throw .permanent(.bodyChanged, "It was changed.") }
}
