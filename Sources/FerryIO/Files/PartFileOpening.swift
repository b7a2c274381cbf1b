internal import FerryCore
internal import SystemPackage

/// How a part file is created or found again, locked, and proven to be the one under its name.
struct PartFileOpening {
    /// The directory that it is in.
    let directory: DirectoryHandle
    /// Its name there.
    let name: FileName

    private var path: String { directory.path(of: name) }

    /// How often a name that changes hands under our eyes is looked at again. Each time another process made
    /// progress, so more than a few in a row is somebody playing games.
    private static let tries = 16

    /// Creates the part file, without a name where the file system can.
    ///
    /// - Returns: `isNamed` tells whether it has its name already.
    func create(
        nameless isWanted: Bool
    ) throws(StorageProblem) -> (FileDescriptor, FileStatus, isNamed: Bool) {
        if isWanted, let descriptor = try createNameless() {
            do throws(StorageProblem) {
                if let present = try directory.status(of: name) { throw try refusal(of: present) }
                // Nobody else has it open; on file systems without locks it is as good as locked.
                _ = try isLocked(descriptor)
                return (descriptor, try status(of: descriptor), false)
            } catch {
                Platform.release(descriptor)
                throw error
            }
        }
        let (descriptor, status) = try createNamed()
        return (descriptor, status, true)
    }

    /// Gives a part file that was created without a name its own.
    func name(_ descriptor: FileDescriptor) throws(StorageProblem) {
        do {
            try Platform.link(descriptor, as: name.rawValue, in: directory.descriptor)
        } catch {
            guard error == .fileExists, let present = try directory.status(of: name) else {
                throw StorageProblem(error, while: .create, path: path)
            }
            // A network file system may have done it, lost the answer and asked again.
            if present.identity == (try status(of: descriptor).identity) { return }
            throw try refusal(of: present)
        }
    }

    private func createNameless() throws(StorageProblem) -> FileDescriptor? {
        do {
            return try Platform.createNameless(in: directory.descriptor)
        } catch {
            throw StorageProblem(error, while: .create, path: path)
        }
    }

    /// Why what is there is left alone: another process is writing it, or it is not ours.
    private func refusal(of present: FileStatus) throws(StorageProblem) -> StorageProblem {
        try isHeld(present) ? .lockedPart(path) : .foreignPart(path)
    }

    /// Whether somebody has what is there open to write it. What this user may not open no transfer of theirs is writing.
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
    /// A file that was just created is not ours before it is locked: a second process may have seen it empty,
    /// taken it over, and even published it. So, created or taken over, it is locked first and looked at then.
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

    /// Opens the part file that `identity` names.
    func open(_ identity: FileIdentity) throws(StorageProblem) -> (FileDescriptor, FileStatus) {
        // Looked at before it is opened: to open a device can be an act of its own, such as rewinding a tape.
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

    /// Opens the file that `identity` names to read it; its lock may be another's.
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

    /// Opens what is under the name; `nil` when it is gone by now.
    private func openPresent(orGone present: FileStatus) throws(StorageProblem) -> FileDescriptor? {
        do {
            return try Platform.open(name.rawValue, beneath: directory.descriptor, .readWrite)
        } catch {
            guard error != .noSuchFileOrDirectory else { return nil }
            throw StorageProblem(error, while: .open, path: path)
        }
    }

    /// Locks an open file and looks whether it still has the name.
    ///
    /// - Returns: its status, or `nil` (and the file is closed) when the name is free or another's by now.
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
    /// Whether it is an empty file with a single name, which nobody misses when it is taken over.
    fileprivate var isUntouched: Bool { kind == .file && length == 0 && links == 1 }

    /// Whether this user may have made it as a part file: they own it, it is not executable, and only they may write to it.
    /// Another user who could write to it could change the file after it was published.
    fileprivate var isLikeOwn: Bool {
        owner == Platform.effectiveUser && permissions & 0o7113 == 0
    }
}
