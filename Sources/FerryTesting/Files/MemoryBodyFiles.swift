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
        /// All files that ever were, by inode number: an open file stays when its name is gone.
        var files: [UInt64: File] = [:]
        /// The latest inode number, and the latest time of a change.
        var latest: UInt64 = 0
        /// The copies whose transfers are not recorded yet.
        var unreleased: Set<TransferUUID> = []
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
        state.withLock { state in
            state.latest += 1
            let entry = FileSurvey.Entry(
                identity: FileIdentity(device: 1, inode: state.latest),
                length: Int64(bytes.count),
                kind: .file,
                modified: Int64(state.latest)
            )
            state.names[path] = state.latest
            state.files[state.latest] = File(bytes: bytes, entry: entry)
        }
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

    /// Removes the file at a path.
    package func remove(_ path: String) {
        state.withLock { $0.names[path] = nil }
    }

    /// The file with an inode number, as it is now.
    func file(_ inode: UInt64) -> File? { state.withLock { $0.files[inode] } }

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
                let name = state.withLock { $0.names[wanted.path] }
                guard let file = name.flatMap(file), wanted.matches(file.entry) else {
                    throw MemoryBodySource.changed(wanted.path)
                }
                parts.append(.file(wanted))
            }
        }
        return .source(MemoryBodySource(parts, on: self))
    }

    /// Computes no digests: the functions are in FerryIO.
    package func digests(
        of body: RequestBody,
        by algorithms: [Checksum.Algorithm]
    ) async throws(Problem) -> [Checksum] {
        throw .permanent(.internalFault, "There are no digest functions in memory.")
    }

    // MARK: Copies

    /// A copy, which is a file when it is finished.
    private final class Copy: BodyCopy {
        let uuid: TransferUUID
        let files: MemoryBodyFiles
        private let bytes = Mutex<[UInt8]>([])

        init(_ uuid: TransferUUID, _ files: MemoryBodyFiles) {
            (self.uuid, self.files) = (uuid, files)
        }

        func append(_ bytes: [UInt8]) { self.bytes.withLock { $0 += bytes } }

        func finish() -> PinnedFile {
            let name = "\(uuid)"
            files.put(bytes.withLock { $0 }, at: name)
            guard let file = files.state.withLock({ $0.names[name] }).flatMap(files.file) else {
                preconditionFailure("a file that was put exists")
            }
            return PinnedFile(path: name, file.entry, isCopy: true)
        }

        func discard() { files.drop(uuid) }
    }

    /// Begins a copy.
    package func copy(for uuid: TransferUUID) async throws(StorageProblem) -> any BodyCopy {
        let isNew = state.withLock { state in
            state.names["\(uuid)"] == nil && state.unreleased.insert(uuid).inserted
        }
        guard isNew else {
            throw StorageProblem(.permanent(.destinationExists, "\(uuid) already exists."), errno: 17)
        }
        return Copy(uuid, self)
    }

    private func drop(_ uuid: TransferUUID) {
        state.withLock { state in
            state.names["\(uuid)"] = nil
            state.unreleased.remove(uuid)
        }
    }

    /// Releases copies.
    package func release(copiesFor uuids: [TransferUUID]) {
        state.withLock { $0.unreleased.subtract(uuids) }
    }

    /// Releases all copies.
    package func releaseAll() -> Bool {
        state.withLock { state in
            defer { state.unreleased = [] }
            return !state.unreleased.isEmpty
        }
    }

    /// Removes a copy.
    package func removeCopy(for uuid: TransferUUID) async { drop(uuid) }

    /// Removes copies that are not needed.
    package func removeCopies(
        unless isNeeded: @Sendable (TransferUUID) async throws(StoreError) -> Bool
    ) async throws -> Int {
        let unreleased = state.withLock { $0.unreleased }
        var count = 0
        for uuid in copies.compactMap({ TransferUUID($0) }) where !unreleased.contains(uuid) {
            guard try await !isNeeded(uuid) else { continue }
            drop(uuid)
            count += 1
        }
        return count
    }
}

/// A body that is found to be changed whenever it is looked at.
private final class ChangedSource: BodySource {
    var length: Int64? { 3 }
    var descriptor: CInt? { nil }
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int { 0 }
    func check() throws(Problem) { throw .permanent(.bodyChanged, "It was changed.") }
}
