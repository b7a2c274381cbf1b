internal import FerryCore
internal import Synchronization
internal import SystemPackage

/// The directory of the copies of bodies that were not files. Each copy has the UUID of its transfer as its name.
///
/// A copy is locked from its creation until its transfer is recorded. So any process may remove a copy
/// that it can lock and that has no unfinished transfer: its maker has died, or the transfer is over.
final class BodyCopies: Sendable {
    private let path: String
    private let threads: IOThreads
    /// The locked copies of this process.
    private let locked = Mutex<[TransferUUID: OpenCopy]>([:])

    init(_ path: String, threads: IOThreads) {
        (self.path, self.threads) = (path, threads)
    }

    /// The path of a copy.
    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Creates a copy, and locks it.
    func create(for uuid: TransferUUID) async throws(StorageProblem) -> any BodyCopy {
        let (path, name) = (path, "\(uuid)")
        let opened = try await threads.storage { () throws(StorageProblem) -> OpenCopy in
            let directory = try DirectoryHandle.making(path)
            do throws(Errno) {
                let file = try Platform.open(
                    name,
                    beneath: directory.descriptor,
                    .createExclusively,
                    permissions: 0o600
                )
                do throws(Errno) {
                    // Another process may have taken it for one that was left behind.
                    guard try Platform.lock(file), try FileStatus(of: file).links == 1 else {
                        throw .fileExists
                    }
                } catch {
                    Platform.release(file)
                    throw error
                }
                return OpenCopy(directory: directory, name: name, path: "\(path)/\(name)", file: file)
            } catch {
                throw StorageProblem(error, while: .create, path: "\(path)/\(name)")
            }
        }
        locked.withLock { $0[uuid] = opened }
        return Writer(uuid, opened, self)
    }

    /// Unlocks copies.
    func release(_ uuids: [TransferUUID]) {
        let copies = locked.withLock { locked in uuids.compactMap { locked.removeValue(forKey: $0) } }
        for copy in copies { copy.unlock() }
    }

    /// Unlocks all copies; returns whether there were any.
    func releaseAll() -> Bool {
        let uuids = locked.withLock { Array($0.keys) }
        release(uuids)
        return !uuids.isEmpty
    }

    /// Removes a copy.
    func remove(_ uuid: TransferUUID) async throws(StorageProblem) {
        let path = path
        try await threads.storage { () throws(StorageProblem) in
            guard let directory = try Self.openDirectory(path) else { return }
            try Self.remove("\(uuid)", in: directory)
        }
    }

    /// Removes copies that no process is making, unless they are needed.
    func remove(unless isNeeded: @Sendable (TransferUUID) async throws(StoreError) -> Bool) async throws {
        let path = path
        let (directory, uuids) = try await threads.storage {
            () throws(StorageProblem) -> (DirectoryHandle?, [TransferUUID]) in
            guard let directory = try Self.openDirectory(path) else { return (nil, []) }
            do throws(Errno) {
                return (
                    directory, try Platform.names(in: directory.descriptor).compactMap { TransferUUID($0) }
                )
            } catch {
                throw StorageProblem(error, while: .survey, path: path)
            }
        }
        guard let directory else { return }
        for uuid in uuids { try await remove(uuid, in: directory, unless: isNeeded) }
    }

    private func remove(
        _ uuid: TransferUUID,
        in directory: DirectoryHandle,
        unless isNeeded: @Sendable (TransferUUID) async throws(StoreError) -> Bool
    ) async throws {
        let file = try await threads.storage { () throws(StorageProblem) in
            try Self.lock("\(uuid)", in: directory)
        }
        guard let file else { return }
        defer { Platform.release(file) }
        // Its maker has recorded the transfer by now, or never will.
        guard try await !isNeeded(uuid) else { return }
        try await threads.storage { () throws(StorageProblem) in
            // A new copy may have taken the name.
            guard let status = try Self.status(of: "\(uuid)", in: directory), Self.isSame(status, file)
            else { return }
            try Self.remove("\(uuid)", in: directory)
        }
    }

    /// Removes a copy of this process, and then unlocks it.
    fileprivate func discard(_ uuid: TransferUUID) async {
        do {
            try await remove(uuid)
        } catch {
            // It is removed as one that was left behind.
        }
        release([uuid])
    }

    // MARK: The directory

    private static func openDirectory(_ path: String) throws(StorageProblem) -> DirectoryHandle? {
        do {
            return try DirectoryHandle(path)
        } catch {
            guard error.errno == Errno.noSuchFileOrDirectory.rawValue else { throw error }
            return nil
        }
    }

    /// Locks a copy; `nil` if it is gone, or another opening of it holds the lock.
    private static func lock(
        _ name: String,
        in directory: DirectoryHandle
    ) throws(StorageProblem) -> FileDescriptor? {
        do throws(Errno) {
            let file = try Platform.open(name, beneath: directory.descriptor, .readOnly)
            do throws(Errno) {
                if try Platform.lock(file) { return file }
            } catch {
                Platform.close(file)
                throw error
            }
            Platform.close(file)
            return nil
        } catch {
            guard error != .noSuchFileOrDirectory else { return nil }
            throw StorageProblem(error, while: .open, path: "\(directory.path)/\(name)")
        }
    }

    private static func status(
        of name: String,
        in directory: DirectoryHandle
    ) throws(StorageProblem) -> FileStatus? {
        do {
            return try FileStatus(of: name, beneath: directory.descriptor)
        } catch {
            throw StorageProblem(error, while: .survey, path: "\(directory.path)/\(name)")
        }
    }

    private static func isSame(_ status: FileStatus, _ file: FileDescriptor) -> Bool {
        do {
            return try FileStatus(of: file).identity.isSameFile(as: status.identity)
        } catch {
            return false
        }
    }

    private static func remove(_ name: String, in directory: DirectoryHandle) throws(StorageProblem) {
        do {
            try Platform.unlink(name, in: directory.descriptor)
        } catch {
            guard error != .noSuchFileOrDirectory else { return }
            throw StorageProblem(error, while: .remove, path: "\(directory.path)/\(name)")
        }
    }

    // MARK: Writing

    /// The file of a copy. It is closed when nothing refers to it any more: a copy may be released while a thread still
    /// writes it, and the number of a closed file is soon that of another one.
    private final class OpenCopy: Sendable {
        let directory: DirectoryHandle
        let name: String
        let path: String
        let file: FileDescriptor

        init(directory: DirectoryHandle, name: String, path: String, file: FileDescriptor) {
            (self.directory, self.name, self.path, self.file) = (directory, name, path, file)
        }

        deinit { Platform.release(file) }

        func unlock() { Platform.unlock(file) }
    }

    /// Writes one copy.
    private final class Writer: BodyCopy {
        private let uuid: TransferUUID
        private let open: OpenCopy
        private let copies: BodyCopies
        private let length = Mutex<Int64>(0)

        init(_ uuid: TransferUUID, _ open: OpenCopy, _ copies: BodyCopies) {
            (self.uuid, self.open, self.copies) = (uuid, open, copies)
        }

        func append(_ bytes: [UInt8]) async throws(StorageProblem) {
            let open = open
            let start = length.withLock { $0 }
            try await copies.threads.storage { () throws(StorageProblem) in
                let written = bytes.withUnsafeBytes { Self.write($0, to: open.file, at: start) }
                if case .failure(let error) = written {
                    throw StorageProblem(error, while: .write, path: open.path)
                }
            }
            length.withLock { $0 = start + Int64(bytes.count) }
        }

        private static func write(
            _ bytes: UnsafeRawBufferPointer,
            to file: FileDescriptor,
            at start: Int64
        ) -> Result<Void, Errno> {
            do throws(Errno) {
                var done = 0
                while done < bytes.count {
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                    done += try Platform.write(rest, to: file, at: start + Int64(done))
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }

        func finish() async throws(StorageProblem) -> PinnedFile {
            let open = open
            return try await copies.threads.storage { () throws(StorageProblem) in
                do throws(Errno) {
                    try Platform.synchronizeData(of: open.file)
                    let entry = try FileStatus(of: open.file).entry
                    try Platform.synchronizeNames(in: open.directory.descriptor)
                    return PinnedFile(path: open.name, entry, isCopy: true)
                } catch {
                    throw StorageProblem(error, while: .synchronize, path: open.path)
                }
            }
        }

        func discard() async { await copies.discard(uuid) }
    }
}
