package import FerryCore
internal import SystemPackage

/// Part files on the file systems of this machine.
///
/// Each operation does everything beneath the descriptor of one open directory (I6). See ``DirectoryHandle`` for the effect
/// on symbolic links.
package struct POSIXPartFileSystem: PartFileSystem {
    private let threads: IOThreads
    private let directories = DirectoryHandles()
    private let syncs: DirectorySyncs
    private let createsNameless: Bool
    private let keys: SealingKeyFile?

    /// Creates the file system; every call that waits for a disk runs on `threads`.
    ///
    /// - Parameter keyDirectory: the directory for the key that wraps those of unfinished sealed files; `nil` if none are
    ///   sealed.
    package init(threads: IOThreads, keyDirectory: String? = nil) {
        self.init(threads: threads, createsNameless: true, keyDirectory: keyDirectory)
    }

    /// Creates the file system. Without `createsNameless`, files get their names at once, as on a disk that
    /// cannot do better.
    init(threads: IOThreads, createsNameless: Bool, keyDirectory: String? = nil) {
        self.threads = threads
        keys = keyDirectory.map { SealingKeyFile(directory: $0) }
        syncs = DirectorySyncs { directory throws(StorageProblem) in
            try directory.synchronize()
        }
        self.createsNameless = createsNameless
    }

    /// The entries that currently have the final name and the part file's name.
    package func survey(_ place: FilePlace) async throws(StorageProblem) -> FileSurvey {
        try await threads.storage { () throws(StorageProblem) in
            try survey(place, in: directories.handle(of: place))
        }
    }

    private func survey(
        _ place: FilePlace,
        in directory: DirectoryHandle
    ) throws(StorageProblem) -> FileSurvey {
        let part = try directory.status(of: place.part)
        let opening = PartFileOpening(directory: directory, name: place.part)
        return FileSurvey(
            final: try directory.status(of: place.name)?.entry,
            part: part?.entry,
            isPartHeld: try part.map { status throws(StorageProblem) in try opening.isHeld(status) }
                ?? false,
            keepsTimes: directory.keepsTimes,
            device: directory.identity.device,
            directoryModified: directory.changed
        )
    }

    /// Creates the part file, without a name where the file system supports that.
    package func createPart(at place: FilePlace) async throws(StorageProblem) -> any PartFile {
        try await createPart(at: place, holding: nil)
    }

    /// Creates the part file and, if it has no name, writes it, in one piece of work.
    package func createPart(
        at place: FilePlace,
        holding bytes: [UInt8]?
    ) async throws(StorageProblem) -> any PartFile {
        try await threads.storage { () throws(StorageProblem) in
            let directory = try directories.handle(of: place)
            let opening = PartFileOpening(directory: directory, name: place.part)
            let (descriptor, status, isNamed) = try opening.create(nameless: createsNameless)
            let file = file(descriptor, status, of: opening, .created(isNamed: isNamed))
            if let bytes, !isNamed { try file.writeNow(whole: bytes) }
            return file
        }
    }

    /// Looks at a place and, if nothing is there, creates the part file and writes it, in one piece of work.
    package func surveyToCreate(
        _ place: FilePlace,
        holding bytes: [UInt8]?
    ) async throws(StorageProblem) -> (survey: FileSurvey, part: Result<any PartFile, StorageProblem>?) {
        typealias Found = (survey: FileSurvey, part: Result<any PartFile, StorageProblem>?)
        return try await threads.storage { () throws(StorageProblem) -> Found in
            let directory = try directories.handle(of: place)
            let survey = try survey(place, in: directory)
            guard survey.isVacant, createsNameless else { return (survey, nil) }
            let opening = PartFileOpening(directory: directory, name: place.part)
            do throws(StorageProblem) {
                guard let (descriptor, status) = try opening.createNameless() else { return (survey, nil) }
                let file = file(descriptor, status, of: opening, .created(isNamed: false))
                if let bytes { try file.writeNow(whole: bytes) }
                return (survey, .success(file))
            } catch {
                return (survey, .failure(error))
            }
        }
    }

    private func file(
        _ descriptor: FileDescriptor,
        _ status: FileStatus,
        of opening: PartFileOpening,
        _ origin: POSIXPartFile.Origin
    ) -> POSIXPartFile {
        POSIXPartFile(
            descriptor,
            status,
            in: opening.directory,
            name: opening.name,
            origin: origin,
            threads: threads,
            syncs: syncs
        )
    }

    /// Opens the part file with this `identity`, and locks it.
    package func openPart(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) -> any PartFile {
        try await openFound(place.part, at: place) { opening throws(StorageProblem) in
            try opening.open(identity)
        }
    }

    /// Seals what is written from now on.
    package func sealing(
        _ part: any PartFile,
        for recipients: [String],
        resuming seal: PartSeal?
    ) async throws(StorageProblem) -> any PartFile {
        guard let file = part as? POSIXPartFile, let keys else {
            throw .defect("A file is to be sealed that cannot be.")
        }
        let threads = threads
        return try await threads.storage { () throws(StorageProblem) in
            if let seal {
                return try SealedPartFile(resuming: file, as: seal, wrappedBy: try keys.key(), threads)
            }
            return try SealedPartFile(beginning: file, for: recipients, wrappedBy: try keys.key(), threads)
        }
    }

    /// Opens the file that has the final name for reading, locked or not.
    package func openFinished(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) -> any PartFile {
        try await openFound(place.name, at: place) { opening throws(StorageProblem) in
            try opening.openToRead(identity)
        }
    }

    private func openFound(
        _ name: FileName,
        at place: FilePlace,
        by open: @escaping @Sendable (PartFileOpening) throws(StorageProblem) -> (FileDescriptor, FileStatus)
    ) async throws(StorageProblem) -> any PartFile {
        try await threads.storage { () throws(StorageProblem) in
            let opening = PartFileOpening(directory: try directories.handle(of: place), name: name)
            let (descriptor, status) = try open(opening)
            return file(descriptor, status, of: opening, .found)
        }
    }

    /// The directory of a place; `nil` if it does not exist.
    private func presentDirectory(of place: FilePlace) throws(StorageProblem) -> DirectoryHandle? {
        do throws(StorageProblem) {
            return try directories.handle(of: place)
        } catch {
            guard error.errno == Errno.noSuchFileOrDirectory.rawValue else { throw error }
            return nil
        }
    }

    /// Removes the part file durably, if it is the one with this `identity`. A file that is already gone,
    /// alone or with its directory, counts as removed. Another file is left alone.
    ///
    /// Between the check and the removal, another process of the same user could put another file in its
    /// place: no system call removes a file by its identity.
    package func removePart(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) {
        try await threads.storage { () throws(StorageProblem) in
            guard let directory = try presentDirectory(of: place) else { return }
            let part = place.part
            if let status = try directory.status(of: part) {
                guard status.identity.isSameFile(as: identity), status.kind == .file else { return }
                try directory.remove(part)
            }
            // The row drops its claim next. If a power loss brought the file back after that, it would belong
            // to no transfer and be in the way.
            try directory.synchronize()
        }
    }

    /// Removes the symbolic link that has the final name.
    ///
    /// Between the check and the removal, another process of the same user could put a file in its place, as in
    /// ``removePart(at:identity:)``.
    package func removeLink(at place: FilePlace) async throws(StorageProblem) -> Bool {
        try await threads.storage { () throws(StorageProblem) in
            let directory = try directories.handle(of: place)
            guard let status = try directory.status(of: place.name), status.kind == .symbolicLink else {
                return false
            }
            try directory.remove(place.name)
            return true
        }
    }

    /// Makes a directory for this user only, durably.
    package func makeDirectory(_ path: String) async throws(StorageProblem) {
        try await threads.storage { () throws(StorageProblem) in _ = try DirectoryHandle.making(path) }
    }

    /// The names in a directory. Names that are not UTF-8 are left out.
    package func listing(of directory: String) async throws(StorageProblem) -> [FileName] {
        try await threads.storage { () throws(StorageProblem) in
            do throws(StorageProblem) {
                return try DirectoryHandle(directory).names()
            } catch {
                guard error.errno == Errno.noSuchFileOrDirectory.rawValue else { throw error }
                return []
            }
        }
    }

    /// Renames the file that has the final name, if it is the one with this `identity`.
    package func adopt(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem) {
        try await threads.storage { () throws(StorageProblem) in
            let directory = try directories.handle(of: place)
            let isStillThere = try PartFileOpening(directory: directory, name: place.name).has(identity)
            if try PartFileOpening(directory: directory, name: place.part).has(identity) {
                // A file system that cannot rename without replacing uses a link and an unlink. A crash in between leaves
                // both names.
                if isStillThere { try directory.remove(place.name) }
                return try directory.synchronize()
            }
            guard isStillThere else {
                throw StorageProblem(.noSuchFileOrDirectory, while: .rename, path: place.path)
            }
            do throws(Errno) {
                try Platform.renameWithoutReplacing(
                    place.name.rawValue,
                    to: place.part.rawValue,
                    in: directory.descriptor
                )
            } catch {
                guard error != .fileExists else { throw .taken(place.partPath, by: .file) }
                throw StorageProblem(error, while: .rename, path: place.path)
            }
            try directory.synchronize()
        }
    }

    /// Gives an adopted file the name that it had. Its length is durable before its name is, so no reader of that name sees
    /// bytes that Ferry appended.
    package func giveBack(
        at place: FilePlace,
        identity: FileIdentity,
        _ adoption: PendingAdoption
    ) async throws(StorageProblem) {
        try await threads.storage { () throws(StorageProblem) in
            guard let directory = try presentDirectory(of: place) else { return }
            let opening = PartFileOpening(directory: directory, name: place.part)
            guard try opening.has(identity) else { return }
            if let length = adoption.cut { try opening.cut(behind: length, identity) }
            let name = adoption.name ?? place.name
            if name != place.part {
                do throws(Errno) {
                    try Platform.renameWithoutReplacing(
                        place.part.rawValue,
                        to: name.rawValue,
                        in: directory.descriptor
                    )
                } catch {
                    guard error == .fileExists else {
                        throw StorageProblem(error, while: .rename, path: place.partPath)
                    }
                    // A crash between a link and an unlink leaves both names of the same file.
                    if try PartFileOpening(directory: directory, name: name).has(identity) {
                        try directory.remove(place.part)
                    }
                }
            }
            try directory.synchronize()
        }
    }

    /// Opens a stream for writing in order.
    package func openStream(
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
    package func synchronizeDirectory(of place: FilePlace) async throws(StorageProblem) {
        try await threads.storage { () throws(StorageProblem) in
            try directories.handle(of: place).synchronize()
        }
    }

    /// The number of bytes that may still be written there.
    package func freeSpace(in directory: String) async throws(StorageProblem) -> Int64 {
        try await threads.storage { () throws(StorageProblem) in
            try DirectoryHandle(directory).freeSpace()
        }
    }

    /// Whether the file system of a directory is read-only.
    package func isReadOnly(_ directory: String) async -> Bool {
        do throws(StorageProblem) {
            return try await threads.storage { () throws(StorageProblem) in
                try DirectoryHandle(directory).isReadOnly
            }
        } catch {
            return false
        }
    }

    /// Where the file system of a directory is mounted.
    package func mountPoint(of directory: String) async -> String? {
        do throws(StorageProblem) {
            return try await threads.storage { MountPoint.of(directory) }
        } catch {
            return nil
        }
    }

    /// The path of a directory without symbolic links.
    package func resolvedPath(of directory: String) async -> String {
        do throws(StorageProblem) {
            return try await threads.storage { ResolvedPath.of(directory) }
        } catch {
            return directory
        }
    }
}
