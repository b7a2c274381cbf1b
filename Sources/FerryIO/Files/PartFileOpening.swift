internal import FerryCore
internal import SystemPackage

/// Creates or finds a part file, locks it if it has a name, and verifies that it is the one under its name.
struct PartFileOpening {
    /// The directory that contains it.
    let directory: DirectoryHandle
    /// Its name there.
    let name: FileName

    private var path: String { directory.path(of: name) }

    /// Maximum checks of a name that changes during the call. Each change means that another process made
    /// progress, so more than a few in a row is interference.
    private static let tries = 16

    /// Creates the part file, without a name where the file system supports that.
    ///
    /// - Returns: `isNamed` tells whether it already has its name.
    func create(
        nameless isWanted: Bool
    ) throws(StorageProblem) -> (FileDescriptor, FileStatus, isNamed: Bool) {
        if isWanted, let (descriptor, status) = try createNameless() {
            do throws(StorageProblem) {
                if let present = try directory.status(of: name) { throw try refusal(of: present) }
                return (descriptor, status, false)
            } catch {
                Platform.close(descriptor)
                throw error
            }
        }
        let (descriptor, status) = try createNamed()
        return (descriptor, status, true)
    }

    /// Locks a part file that was created without a name, and gives it its name.
    func name(_ descriptor: FileDescriptor) throws(StorageProblem) {
        // No one else has it open, so a file system without locks makes no difference.
        _ = try isLocked(descriptor)
        do {
            try Platform.link(descriptor, as: name.rawValue, in: directory.descriptor)
        } catch {
            guard error == .fileExists, let present = try directory.status(of: name) else {
                throw StorageProblem(error, while: .create, path: path)
            }
            // A network file system may have linked the file, lost the answer and retried.
            if present.identity == (try status(of: descriptor).identity) { return }
            throw try refusal(of: present)
        }
    }

    /// Creates the part file without a name, whatever has its name; `nil` if the file system cannot.
    func createNameless() throws(StorageProblem) -> (FileDescriptor, FileStatus)? {
        let descriptor: FileDescriptor
        do {
            guard let created = try Platform.createNameless(in: directory.descriptor) else { return nil }
            descriptor = created
        } catch {
            throw StorageProblem(error, while: .create, path: path)
        }
        do throws(StorageProblem) {
            return (descriptor, try status(of: descriptor))
        } catch {
            Platform.close(descriptor)
            throw error
        }
    }

    /// Whether the entry is the file with this identity.
    func has(_ identity: FileIdentity) throws(StorageProblem) -> Bool {
        guard let status = try directory.status(of: name), status.kind == .file else { return false }
        return status.identity.isSameFile(as: identity)
    }

    /// Cuts off, durably, what the file with this identity has behind `length`. Needs no lock: only the owner of its transfer
    /// does this.
    func cut(behind length: Int64, _ identity: FileIdentity) throws(StorageProblem) {
        guard let status = try directory.status(of: name), status.length > length else { return }
        do throws(Errno) {
            let descriptor = try Platform.open(name.rawValue, beneath: directory.descriptor, .readWrite)
            defer { Platform.close(descriptor) }
            guard try FileStatus(of: descriptor).identity.isSameFile(as: identity) else { return }
            try Platform.truncate(descriptor, to: length)
            try Platform.synchronizeAll(of: descriptor)
        } catch {
            throw StorageProblem(error, while: .truncate, path: path)
        }
    }

    /// Why an existing entry is left alone: another process is writing it, or it does not belong to Ferry.
    private func refusal(of present: FileStatus) throws(StorageProblem) -> StorageProblem {
        try isHeld(present) ? .lockedPart(path) : .foreignPart(path)
    }

    /// Whether another process has the entry open for writing. If this user may not open it, no transfer of
    /// theirs is writing it.
    func isHeld(_ present: FileStatus) throws(StorageProblem) -> Bool {
        guard present.kind == .file else { return false }
        let descriptor: FileDescriptor
        do {
            descriptor = try Platform.open(name.rawValue, beneath: directory.descriptor, .readOnly)
        } catch {
            switch error {
            case .permissionDenied, .notPermitted, .noSuchFileOrDirectory: return false
            default: throw StorageProblem(error, while: .survey, path: path)
            }
        }
        defer { Platform.release(descriptor) }
        return try !isLocked(descriptor)
    }

    /// Creates the part file, or takes over an empty one.
    ///
    /// A newly created file is not ours before it is locked: a second process may have seen it empty, taken
    /// it over, and even published it. So a created or taken-over file is locked first and checked then.
    private func createNamed() throws(StorageProblem) -> (FileDescriptor, FileStatus) {
        for _ in 0..<Self.tries {
            let descriptor: FileDescriptor
            var isOwn = true
            do {
                descriptor = try Platform.open(
                    name.rawValue,
                    beneath: directory.descriptor,
                    .createExclusively
                )
            } catch {
                guard error == .fileExists else { throw StorageProblem(error, while: .create, path: path) }
                guard let present = try directory.status(of: name) else { continue }
                guard present.isUntouched, present.isLikeOwn else { throw try refusal(of: present) }
                guard let found = try openPresent(orGone: present) else { continue }
                descriptor = found
                isOwn = false
            }
            if let status = try claim(descriptor) {
                guard status.isUntouched, isOwn || status.isLikeOwn else {
                    Platform.release(descriptor)
                    throw .foreignPart(path)
                }
                return (descriptor, status)
            }
        }
        throw .lockedPart(path)
    }

    /// Opens the part file with this `identity`.
    func open(_ identity: FileIdentity) throws(StorageProblem) -> (FileDescriptor, FileStatus) {
        // Check before opening: opening a device can have an effect, such as rewinding a tape.
        guard let present = try directory.status(of: name) else { throw .absentPart(path) }
        guard present.kind == .file, present.identity.isSameFile(as: identity) else {
            throw .replacedPart(path)
        }
        guard let descriptor = try openPresent(orGone: present) else { throw .absentPart(path) }
        guard let status = try claim(descriptor) else { throw .absentPart(path) }
        guard status.kind == .file, status.identity.isSameFile(as: identity) else {
            Platform.release(descriptor)
            throw .replacedPart(path)
        }
        return (descriptor, status)
    }

    /// Opens the file with this `identity` for reading; another process may hold its lock.
    func openToRead(_ identity: FileIdentity) throws(StorageProblem) -> (FileDescriptor, FileStatus) {
        guard let present = try directory.status(of: name), present.kind == .file else {
            throw .absentFile(path)
        }
        let descriptor: FileDescriptor
        do {
            descriptor = try Platform.open(name.rawValue, beneath: directory.descriptor, .readOnly)
        } catch {
            throw StorageProblem(error, while: .open, path: path)
        }
        do throws(StorageProblem) {
            let status = try status(of: descriptor)
            guard status.kind == .file, status.identity.isSameFile(as: identity) else {
                throw StorageProblem.absentFile(path)
            }
            return (descriptor, status)
        } catch {
            Platform.close(descriptor)
            throw error
        }
    }

    /// Opens the entry with the name; `nil` when it is gone.
    private func openPresent(orGone present: FileStatus) throws(StorageProblem) -> FileDescriptor? {
        do {
            return try Platform.open(name.rawValue, beneath: directory.descriptor, .readWrite)
        } catch {
            guard error != .noSuchFileOrDirectory else { return nil }
            throw StorageProblem(error, while: .open, path: path)
        }
    }

    /// Locks an open file and checks whether it still has the name.
    ///
    /// - Returns: its status, or `nil` (and the file is closed) when the name is free or belongs to another
    ///   file.
    /// - Throws: when another opening holds the lock; the file is closed then.
    private func claim(_ descriptor: FileDescriptor) throws(StorageProblem) -> FileStatus? {
        do throws(StorageProblem) {
            guard try isLocked(descriptor) else { throw StorageProblem.lockedPart(path) }
            let status = try status(of: descriptor)
            guard try directory.status(of: name)?.identity == status.identity else {
                Platform.release(descriptor)
                return nil
            }
            return status
        } catch {
            Platform.release(descriptor)
            throw error
        }
    }

    private func isLocked(_ descriptor: FileDescriptor) throws(StorageProblem) -> Bool {
        do {
            return try Platform.lock(descriptor)
        } catch {
            throw StorageProblem(error, while: .open, path: path)
        }
    }

    private func status(of descriptor: FileDescriptor) throws(StorageProblem) -> FileStatus {
        do {
            return try FileStatus(of: descriptor)
        } catch {
            throw StorageProblem(error, while: .open, path: path)
        }
    }
}

extension FileStatus {
    /// Whether it is an empty file with a single name, which can be taken over without loss.
    fileprivate var isUntouched: Bool { kind == .file && length == 0 && links == 1 }

    /// Whether this user may have created it as a part file: they own it, it is not executable, and only they
    /// may write to it. Another user who could write to it could change the file after its publication.
    fileprivate var isLikeOwn: Bool {
        owner == Platform.effectiveUser && permissions & 0o7113 == 0
    }
}
