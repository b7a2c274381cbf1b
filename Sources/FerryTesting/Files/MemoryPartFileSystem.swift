package import FerryCore
internal import Synchronization

/// A disk in memory, for tests and simulations. It can fail on order, fill up, and lose power.
///
/// It keeps two images of everything: the data that a program sees, and the data that certainly survives. A file's
/// bytes certainly survive after ``PartFile/synchronize()``, a name after a sync of its directory. ``losePower(seed:)``
/// keeps this data and any part of the rest, which a seeded generator draws: pages in any order, and a prefix of the
/// name changes. It passes the same suite as the live file system, ``PartFileSystemConformance``.
package final class MemoryPartFileSystem: PartFileSystem {
    let disk: Mutex<MemoryDisk>
    let threshold: Int64
    /// What runs once before the next survey or removal.
    private let pauses = Mutex<[FileFault.Operation: @Sendable () async -> Void]>([:])

    /// Creates an empty disk.
    ///
    /// - Parameters:
    ///   - directories: the existing directories.
    ///   - capacity: the capacity in bytes; `nil` for unlimited.
    ///   - directorySyncThreshold: the length from which the first sync of a new part file also makes its name
    ///     durable. The live file system uses 1 MiB; 0 does it always.
    package init(
        directories: [String] = ["/"],
        capacity: Int64? = nil,
        directorySyncThreshold: Int64 = 1 << 20
    ) {
        var disk = MemoryDisk()
        for path in directories { disk.directories[path] = MemoryDisk.Directory() }
        disk.capacity = capacity
        self.disk = Mutex(disk)
        threshold = directorySyncThreshold
    }

    // MARK: The seam

    /// The entries that currently have the final name and the part file's name.
    package func survey(_ place: FilePlace) async throws(StorageProblem) -> FileSurvey {
        await pause(before: .survey)
        return try carryOut(.survey) { (disk) throws(StorageProblem) in
            let directory = try disk.directory(place.directory)
            return FileSurvey(
                final: disk.entry(place.name, in: directory),
                part: disk.entry(place.part, in: directory),
                isPartHeld: directory.live[place.part].flatMap { disk.nodes[$0]?.holder } != nil,
                device: directory.device,
                directoryModified: directory.modified
            )
        }
    }

    /// Creates the part file, without a name, and locks it.
    package func createPart(at place: FilePlace) async throws(StorageProblem) -> any PartFile {
        let (inode, opening, epoch) = try carryOut(.createPart) { (disk) throws(StorageProblem) in
            let directory = try disk.directory(place.directory)
            let name = place.part
            if let entry = disk.entry(name, in: directory) {
                let inode = entry.identity.inode
                if entry.kind == .file, disk.nodes[inode]?.holder != nil {
                    throw MemoryProblem.lockedPart(place.partPath)
                }
                throw MemoryProblem.foreignPart(place.partPath)
            }
            let inode = disk.newInode()
            disk.nodes[inode] = MemoryDisk.Node(kind: .file)
            return (inode, try disk.lock(inode, path: place.partPath), disk.epoch)
        }
        return MemoryPartFile(
            self,
            inode: inode,
            opening: opening,
            epoch: epoch,
            directory: place.directory,
            name: place.part,
            isNamed: false
        )
    }

    /// Opens the part file with this `identity`, and locks it.
    package func openPart(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) -> any PartFile {
        let (opening, epoch) = try carryOut(.openPart) { (disk) throws(StorageProblem) in
            let directory = try disk.directory(place.directory)
            guard let entry = disk.entry(place.part, in: directory) else {
                throw MemoryProblem.absentPart(place.partPath)
            }
            guard entry.identity == identity, entry.kind == .file else {
                throw MemoryProblem.replacedPart(place.partPath)
            }
            return (try disk.lock(identity.inode, path: place.partPath), disk.epoch)
        }
        return MemoryPartFile(
            self,
            inode: identity.inode,
            opening: opening,
            epoch: epoch,
            directory: place.directory,
            name: place.part,
            isNamed: true
        )
    }

    /// Opens the file that has the final name for reading, locked or not.
    package func openFinished(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) -> any PartFile {
        let epoch = try carryOut(.openFinished) { (disk) throws(StorageProblem) in
            let directory = try disk.directory(place.directory)
            guard let entry = disk.entry(place.name, in: directory), entry.identity == identity,
                entry.kind == .file
            else { throw MemoryProblem.replaced(place.path) }
            return disk.epoch
        }
        // Openings are counted from 1, so this one holds no lock.
        return MemoryPartFile(
            self,
            inode: identity.inode,
            opening: 0,
            epoch: epoch,
            directory: place.directory,
            name: place.name,
            isNamed: true
        )
    }

    /// Removes the part file, if it is the one with this `identity`.
    package func removePart(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem) {
        await pause(before: .removePart)
        try carryOut(.removePart) { (disk) throws(StorageProblem) in
            guard let directory = disk.directories[place.directory] else { return }
            if let entry = disk.entry(place.part, in: directory) {
                guard entry.identity == identity, entry.kind == .file else { return }
                disk.directories[place.directory]?.change(.remove(place.part))
            }
            disk.directories[place.directory]?.synchronize()
            disk.removeNameless()
        }
    }

    /// Renames the file that has the final name, if it is the one with this `identity`.
    package func adopt(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem) {
        try carryOut(.publish) { (disk) throws(StorageProblem) in
            let directory = try disk.directory(place.directory)
            if disk.entry(place.part, in: directory)?.identity == identity { return }
            guard let entry = disk.entry(place.name, in: directory), entry.identity == identity,
                entry.kind == .file
            else { throw MemoryProblem.replaced(place.path) }
            guard disk.entry(place.part, in: directory) == nil else {
                throw MemoryProblem.foreignPart(place.partPath)
            }
            disk.directories[place.directory]?.change(.rename(place.name, place.part))
            disk.directories[place.directory]?.synchronize()
        }
    }

    /// Gives an adopted file the name that it had.
    package func giveBack(
        at place: FilePlace,
        identity: FileIdentity,
        _ adoption: PendingAdoption
    ) async throws(StorageProblem) {
        try carryOut(.removePart) { (disk) throws(StorageProblem) in
            guard let directory = disk.directories[place.directory],
                let entry = disk.entry(place.part, in: directory), entry.identity == identity,
                entry.kind == .file
            else { return }
            if let length = adoption.cut, entry.length > length, var node = disk.nodes[identity.inode] {
                node.live.truncate(to: length)
                node.durable = node.live
                node.changes += 1
                disk.nodes[identity.inode] = node
            }
            let name = adoption.name ?? place.name
            if disk.entry(name, in: directory) == nil {
                disk.directories[place.directory]?.change(.rename(place.part, name))
            }
            disk.directories[place.directory]?.synchronize()
        }
    }

    /// Opens a stream for writing in order.
    package func openStream(
        path: String,
        digest: Checksum.Algorithm?
    ) async throws(StorageProblem)
        -> any StreamSink
    {
        try carryOut(.openStream) { (disk) throws(StorageProblem) in
            guard path == "-" || disk.streams[path] != nil else { throw MemoryProblem.noStream(path) }
            disk.streams[path, default: []] += []
        }
        return MemoryStreamSink(self, path: path, digest: digest)
    }

    /// Makes the names in the directory durable.
    package func synchronizeDirectory(of place: FilePlace) async throws(StorageProblem) {
        try carryOut(.synchronizeDirectory) { (disk) throws(StorageProblem) in
            _ = try disk.directory(place.directory)
            disk.directories[place.directory]?.synchronize()
        }
    }

    /// The number of bytes that may still be written there.
    package func freeSpace(in directory: String) async throws(StorageProblem) -> Int64 {
        try carryOut(.freeSpace) { (disk) throws(StorageProblem) in
            _ = try disk.directory(directory)
            return disk.free
        }
    }

    /// Whether the disk takes no change.
    package func isReadOnly(_ directory: String) async -> Bool {
        do throws(StorageProblem) {
            return try carryOut(.isReadOnly) { (disk) throws(StorageProblem) in
                _ = try disk.directory(directory)
                return disk.isReadOnly
            }
        } catch {
            return false
        }
    }

    /// The directory itself, if a disk is mounted there.
    package func mountPoint(of directory: String) async -> String? {
        disk.withLock { disk in
            disk.mountPoints.contains(directory) && disk.unmounted[directory] == nil ? directory : nil
        }
    }

    /// The path itself: no directory is a link.
    package func resolvedPath(of directory: String) async -> String { directory }

    /// Runs `body` before the next survey or removal.
    package func beforeNext(_ operation: FileFault.Operation, _ body: @escaping @Sendable () async -> Void) {
        pauses.withLock { $0[operation] = body }
    }

    private func pause(before operation: FileFault.Operation) async {
        let body = pauses.withLock { $0.removeValue(forKey: operation) }
        await body?()
    }

    /// Performs a step on the disk, or fails as ordered; a fault with an effect performs the step and then
    /// fails.
    func carryOut<Value>(
        _ operation: FileFault.Operation,
        _ step: (inout MemoryDisk) throws(StorageProblem) -> sending Value
    ) throws(StorageProblem) -> sending Value {
        try disk.withLock { (disk) throws(StorageProblem) in
            guard let fault = disk.fault(for: operation) else {
                if disk.isReadOnly, operation.isChange { throw MemoryProblem.readOnly }
                return try step(&disk)
            }
            if fault.effect != .none {
                _ = try step(&disk)
                // The caller gets no opening, so it could not close it.
                if operation == .createPart || operation == .openPart { disk.releaseLatestOpening() }
            }
            throw fault.problem
        }
    }
}

// MARK: Actions of a test on the disk

extension MemoryPartFileSystem {
    /// Orders one failure.
    package func inject(_ fault: FileFault) {
        disk.withLock { $0.order(fault) }
    }

    /// How often an operation has been called, so that a simulation can fail each call in turn.
    package func calls(of operation: FileFault.Operation) -> Int {
        disk.withLock { $0.count(of: operation) }
    }

    /// The machine loses power and restarts. Each piece of unsynced data may be lost separately. Open files
    /// can no longer be used.
    package func losePower(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        losePower(using: &random)
    }

    /// The machine loses power and restarts, as in ``losePower(seed:)``, with the caller's generator.
    package func losePower(using random: inout SeededRandom) {
        disk.withLock { $0.losePower(using: &random) }
    }

    /// Kills the process: all its writes survive, its locks are free, and its open files can no longer be
    /// used.
    package func killProcess() {
        disk.withLock { $0.endProcess() }
    }

    /// Changes the capacity in bytes.
    package func setCapacity(_ capacity: Int64?) {
        disk.withLock { $0.capacity = capacity }
    }

    /// Makes the disk read-only, or writable again.
    package func setReadOnly(_ isReadOnly: Bool) {
        disk.withLock { $0.isReadOnly = isReadOnly }
    }

    /// Creates an empty directory, durably.
    package func addDirectory(_ path: String) {
        disk.withLock { disk in
            if disk.directories[path] == nil { disk.directories[path] = MemoryDisk.Directory() }
        }
    }

    /// Removes a directory and its contents.
    package func removeDirectory(_ path: String) {
        disk.withLock { disk in
            disk.directories[path] = nil
            disk.removeNameless()
        }
    }

    /// Says that a directory is on a disk of its own.
    package func addMountPoint(_ path: String) {
        disk.withLock { _ = $0.mountPoints.insert(path) }
    }

    /// Unmounts the disk of a directory. The path leads to an empty directory of the disk below.
    ///
    /// - Parameter modified: when that directory was last changed, as in ``FileSurvey/directoryModified``.
    package func unmount(_ path: String, modified: Int64? = 1) {
        disk.withLock { disk in
            disk.unmounted[path] = disk.directories[path]
            disk.directories[path] = MemoryDisk.Directory(device: MemoryDisk.device + 1, modified: modified)
        }
    }

    /// Mounts the disk of a directory again. Its files have not changed.
    package func mount(_ path: String) {
        disk.withLock { $0.directories[path] = $0.unmounted.removeValue(forKey: path) }
    }

    /// Puts an entry under a name, durably, replacing any existing one.
    @discardableResult
    package func put(
        _ kind: FileSurvey.Kind,
        _ bytes: [UInt8] = [],
        as name: FileName,
        in directory: String
    )
        -> FileIdentity
    {
        disk.withLock { disk in
            let inode = disk.newInode()
            let content = SparseBytes(bytes)
            disk.nodes[inode] = MemoryDisk.Node(kind: kind, live: content, durable: content)
            disk.directories[directory]?.change(.set(name, inode))
            disk.directories[directory]?.synchronize()
            disk.removeNameless()
            return FileIdentity(device: MemoryDisk.device, inode: inode)
        }
    }

    /// Changes the bytes of a file in place, durably, as another program would.
    package func rewrite(_ name: FileName, in directory: String, with bytes: [UInt8]) {
        disk.withLock { disk in
            guard let inode = disk.directories[directory]?.live[name] else { return }
            disk.nodes[inode]?.live = SparseBytes(bytes)
            disk.nodes[inode]?.durable = SparseBytes(bytes)
            disk.nodes[inode]?.changes += 1
        }
    }

    /// Removes a name, durably.
    package func remove(_ name: FileName, in directory: String) {
        disk.withLock { disk in
            disk.directories[directory]?.change(.remove(name))
            disk.directories[directory]?.synchronize()
            disk.removeNameless()
        }
    }

    /// The bytes of a file; `nil` if no file has the name.
    package func contents(of name: FileName, in directory: String) -> [UInt8]? {
        disk.withLock { disk in
            guard let inode = disk.directories[directory]?.live[name], let node = disk.nodes[inode],
                node.kind == .file
            else { return nil }
            return node.live.read(0..<node.live.length)
        }
    }

    /// The names in a directory, in the order of their bytes.
    package func names(in directory: String) -> [String] {
        disk.withLock { disk in
            let names = disk.directories[directory]?.live.keys.map(\.rawValue) ?? []
            return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    /// Removes the symbolic link that has the final name.
    package func removeLink(at place: FilePlace) async throws(StorageProblem) -> Bool {
        try disk.withLock { (disk) throws(StorageProblem) in
            let directory = try disk.directory(place.directory)
            guard disk.entry(place.name, in: directory)?.kind == .symbolicLink else { return false }
            disk.directories[place.directory]?.change(.remove(place.name))
            disk.directories[place.directory]?.synchronize()
            disk.removeNameless()
            return true
        }
    }

    /// Makes a directory.
    package func makeDirectory(_ path: String) async throws(StorageProblem) { addDirectory(path) }

    /// The names in a directory.
    package func listing(of directory: String) async throws(StorageProblem) -> [FileName] {
        disk.withLock { disk in
            disk.directories[directory].map { $0.live.keys.sorted { $0.rawValue < $1.rawValue } } ?? []
        }
    }

    /// Adds a path at which a stream can be opened. Standard output (`-`) always exists.
    package func addStream(_ path: String) {
        disk.withLock { $0.streams[path, default: []] += [] }
    }

    /// The bytes written to a stream.
    package func streamed(to path: String) -> [UInt8] {
        disk.withLock { $0.streams[path] ?? [] }
    }
}
