public import FerryCore
internal import SystemPackage

/// Part files on the file systems of this machine.
///
/// Each operation opens the directory once and does everything beneath that descriptor (I6): see
/// ``DirectoryHandle`` for what that means for symbolic links.
public struct POSIXPartFileSystem: PartFileSystem {
    private let threads: IOThreads
    private let syncs: DirectorySyncs
    private let createsNameless: Bool

    /// Creates the file system; every call that waits for a disk is made on `threads`.
    public init(threads: IOThreads) {
        self.init(threads: threads, createsNameless: true)
    }

    /// Creates the file system, on request one that gives files their names at once as if the disk could do no
    /// better.
    init(threads: IOThreads, createsNameless: Bool) {
        self.threads = threads
        syncs = DirectorySyncs { directory throws(StorageProblem) in
            try directory.synchronize()
        }
        self.createsNameless = createsNameless
    }

    /// What is there now under the final name and under the part file's.
    public func survey(_ place: FilePlace) async throws(StorageProblem) -> FileSurvey {
        try await threads.storage { () throws(StorageProblem) in
            let directory = try DirectoryHandle(place.directory)
            let part = try directory.status(of: place.part)
            let opening = PartFileOpening(directory: directory, name: place.part)
            return FileSurvey(
                final: try directory.status(of: place.name)?.entry,
                part: part?.entry,
                isPartHeld: try part.map { status throws(StorageProblem) in try opening.isHeld(status) }
                    ?? false,
                keepsTimes: Platform.keepsTimes(at: directory.descriptor)
            )
        }
    }

    /// Creates the part file, without a name where the disk can, and locks it.
    public func createPart(at place: FilePlace) async throws(StorageProblem) -> any PartFile {
        let (threads, syncs, createsNameless) = (threads, syncs, createsNameless)
        return try await threads.storage { () throws(StorageProblem) in
            let directory = try DirectoryHandle(place.directory)
            let opening = PartFileOpening(directory: directory, name: place.part)
            let (descriptor, status, isNamed) = try opening.create(nameless: createsNameless)
            return POSIXPartFile(
                descriptor,
                status,
                in: directory,
                name: place.part,
                origin: .created(isNamed: isNamed),
                threads: threads,
                syncs: syncs
            )
        }
    }

    /// Opens the part file that `identity` names, and locks it.
    public func openPart(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) -> any PartFile {
        try await openFound(place.part, in: place.directory) { opening throws(StorageProblem) in
            try opening.open(identity)
        }
    }

    /// Opens the file that has the final name to read it, locked or not.
    public func openFinished(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) -> any PartFile {
        try await openFound(place.name, in: place.directory) { opening throws(StorageProblem) in
            try opening.openToRead(identity)
        }
    }

    private func openFound(
        _ name: FileName,
        in path: String,
        by open: @escaping @Sendable (PartFileOpening) throws(StorageProblem) -> (FileDescriptor, FileStatus)
    ) async throws(StorageProblem) -> any PartFile {
        let (threads, syncs) = (threads, syncs)
        return try await threads.storage { () throws(StorageProblem) in
            let directory = try DirectoryHandle(path)
            let (descriptor, status) = try open(PartFileOpening(directory: directory, name: name))
            return POSIXPartFile(
                descriptor,
                status,
                in: directory,
                name: name,
                origin: .found,
                threads: threads,
                syncs: syncs
            )
        }
    }

    /// Removes the part file durably, if it is the one that `identity` names; one that is gone already, with its directory
    /// or alone, is as good as removed, and a foreign one is left.
    ///
    /// Between the look and the removal another process of the same user could set another file in its place; no
    /// system call removes a file by its identity.
    public func removePart(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) {
        try await threads.storage { () throws(StorageProblem) in
            let directory: DirectoryHandle
            do throws(StorageProblem) {
                directory = try DirectoryHandle(place.directory)
            } catch {
                guard error.errno != Errno.noSuchFileOrDirectory.rawValue else { return }
                throw error
            }
            let part = place.part
            if let status = try directory.status(of: part) {
                guard status.identity.isSameFile(as: identity), status.kind == .file else { return }
                try directory.remove(part)
            }
            // The row gives up its claim next. A power cut must not bring the file back after that, or it would be
            // nobody's and in the way.
            try directory.synchronize()
        }
    }

    /// Opens a stream for writing in order.
    public func openStream(
        path: String,
        digest: Checksum.Algorithm?
    ) async throws(StorageProblem)
        -> any StreamSink
    {
        let opening = StreamOpening(path: path, threads: threads)
        let stream = POSIXStreamSink(try await opening.open(), path: path, threads: threads)
        return digest.map { DigestingStreamSink(stream, algorithm: $0) } ?? stream
    }

    /// Makes the names in the directory durable.
    public func synchronizeDirectory(of place: FilePlace) async throws(StorageProblem) {
        try await threads.storage { () throws(StorageProblem) in
            try DirectoryHandle(place.directory).synchronize()
        }
    }

    /// How many bytes may still be written there.
    public func freeSpace(in directory: String) async throws(StorageProblem) -> Int64 {
        try await threads.storage { () throws(StorageProblem) in
            try DirectoryHandle(directory).freeSpace()
        }
    }
}
