/// The file system that a download uses: a directory, a final name in it, and the part file beside it.
///
/// Every name is one component, resolved beneath the directory without following symlinks (I6).
package protocol PartFileSystem: Sendable {
    /// Returns what exists under the final name and the part file's name now.
    ///
    /// - Throws: ``StorageProblem`` when the directory is missing, is not a directory, or may not be searched.
    func survey(_ place: FilePlace) async throws(StorageProblem) -> FileSurvey

    /// Creates the part file. It has no name before ``PartFile/takeName()``. A crash before its claim is recorded
    /// then leaves nothing that looks like a foreign file.
    ///
    /// If the file system cannot create a file without a name, the file has its name at once. An empty file under
    /// that name is then taken over, as a crash during the creation leaves one.
    ///
    /// - Throws: ``StorageProblem``, with `destinationExists` when a foreign file has the part file's name.
    func createPart(at place: FilePlace) async throws(StorageProblem) -> any PartFile

    /// Creates the part file as ``createPart(at:)``. One without a name gets `bytes`, the whole of the file, as by
    /// ``PartFile/write(whole:)``; `nil` leaves it empty.
    ///
    /// - Throws: ``StorageProblem`` also when the bytes cannot be written or synced. The file is closed then.
    func createPart(
        at place: FilePlace,
        holding bytes: [UInt8]?
    ) async throws(StorageProblem) -> any PartFile

    /// Looks at a place, as ``survey(_:)``. If nothing is there, it also creates the part file, as ``createPart(at:)`` but
    /// always without a name. A caller that does not need it closes it, and nothing is left.
    ///
    /// - Parameter bytes: the whole of the file, to be written and synced as by ``PartFile/write(whole:)``; `nil` leaves it empty.
    /// - Returns: what is there, and the part file or why it could not be created, written or synced; `nil` if something is
    ///   there, or if the file system cannot create a file without a name.
    func surveyToCreate(
        _ place: FilePlace,
        holding bytes: [UInt8]?
    ) async throws(StorageProblem) -> (survey: FileSurvey, part: Result<any PartFile, StorageProblem>?)

    /// Opens the part file with this identity.
    ///
    /// - Throws: ``StorageProblem`` with `partFileLost` when it is missing or is another file.
    func openPart(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem) -> any PartFile

    /// Seals what is written to a part file from now on, in the format of age.
    ///
    /// - Parameters:
    ///   - part: a part file that was just created, or was sealed before.
    ///   - recipients: who can open the file (`age1…`).
    ///   - seal: how it was sealed before; `nil` for a new file.
    /// - Throws: ``StorageProblem`` when a recipient is invalid, or a key cannot be kept or is gone.
    func sealing(
        _ part: any PartFile,
        for recipients: [String],
        resuming seal: PartSeal?
    ) async throws(StorageProblem) -> any PartFile

    /// Opens the file with the final name for reading, locked or not, if it has this identity.
    ///
    /// - Throws: ``StorageProblem`` with `cannotOpen` when it is missing, is another file, or may not be read.
    func openFinished(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) -> any PartFile

    /// Removes the part file if it has this identity. Once this returns, no power cut brings the file back.
    func removePart(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem)

    /// Removes the symbolic link that has the final name. What it leads to is left alone, and so is anything that is no link.
    ///
    /// - Returns: whether there was a link.
    func removeLink(at place: FilePlace) async throws(StorageProblem) -> Bool

    /// Makes the file with the final name the part file, durably, if it has this identity and the part file's name is
    /// free. Does no more than what is left to do if that was begun before.
    ///
    /// - Throws: ``StorageProblem``, with `destinationExists` when the part file's name is taken.
    func adopt(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem)

    /// Gives an adopted file back, if the part file has this identity: cuts off what Ferry appended, then gives the file the
    /// name that it had, durably. If another file has that name, the part file keeps its own. Does nothing if the file is no
    /// longer the part file. After a crash between two steps, the same call does the rest.
    func giveBack(
        at place: FilePlace,
        identity: FileIdentity,
        _ adoption: PendingAdoption
    ) async throws(StorageProblem)

    /// Opens a device, a FIFO or (`-`) standard output for writing in order.
    ///
    /// - Parameter digest: the digest to compute of the written bytes, as a stream cannot be read back.
    func openStream(path: String, digest: Checksum.Algorithm?) async throws(StorageProblem) -> any StreamSink

    /// Syncs the directory, so that a rename before a crash is durable.
    func synchronizeDirectory(of place: FilePlace) async throws(StorageProblem)

    /// Makes a directory for this user only, durably, unless it is there. Its parent must exist.
    func makeDirectory(_ path: String) async throws(StorageProblem)

    /// Returns the names in a directory that may be names of files, in any order; none if it does not exist.
    func listing(of directory: String) async throws(StorageProblem) -> [FileName]

    /// Returns how many bytes this user may still write to that directory's file system.
    func freeSpace(in directory: String) async throws(StorageProblem) -> Int64

    /// Returns whether the file system of a directory is read-only; `false` if only an attempt to write can tell. May create a
    /// file for a moment.
    func isReadOnly(_ directory: String) async -> Bool

    /// Returns where the file system of a directory, which need not exist yet, is mounted: the path itself if a file system is
    /// mounted there, or a directory above it; `nil` for the file system of `/`, and if that cannot be determined.
    func mountPoint(of directory: String) async -> String?

    /// Returns the path of a directory, which need not exist yet, without symbolic links, as far as it can be followed.
    func resolvedPath(of directory: String) async -> String
}

extension PartFileSystem {
    /// Creates the part file, then writes it.
    package func createPart(
        at place: FilePlace,
        holding bytes: [UInt8]?
    ) async throws(StorageProblem) -> any PartFile {
        let part = try await createPart(at: place)
        guard let bytes, !part.isNamed else { return part }
        do throws(StorageProblem) {
            try await part.write(whole: bytes)
            return part
        } catch {
            await part.close()
            throw error
        }
    }

    /// Refuses, for a file system that cannot seal.
    package func sealing(
        _ part: any PartFile,
        for recipients: [String],
        resuming seal: PartSeal?
    ) async throws(StorageProblem) -> any PartFile {
        throw StorageProblem(.permanent(.internalFault, "Files cannot be sealed here."), errno: 0)
    }
}

/// An unfinished file.
package protocol PartFile: ByteSink {
    /// How its bytes are sealed; `nil` if they are written as they are.
    var seal: PartSeal? { get }

    /// The identity of the file.
    var identity: FileIdentity { get }

    /// Whether it has a name. A file without a name disappears when it is closed.
    var isNamed: Bool { get }

    /// Names a part file that was just created.
    ///
    /// - Throws: ``StorageProblem``, with `destinationExists` when another file now has the name.
    func takeName() async throws(StorageProblem)

    /// Takes the length that the file will have.
    func expect(_ length: Int64)

    /// Reserves space up to `length` without changing the bytes before it. Does nothing if the file system cannot.
    func reserve(_ length: Int64) async throws(StorageProblem)

    /// Lets the file end here. Cuts off all bytes after `length`: a process wrote them and did not record them before it died.
    ///
    /// - Throws: ``StorageProblem`` with `partFileLost` when the file is shorter.
    func cut(behind length: Int64) async throws(StorageProblem)

    /// Returns where the first bytes are that no one has written (a hole of a sparse file); `nil` if there are none, or if the file
    /// system cannot tell.
    func firstHole() async throws(StorageProblem) -> Int64?

    /// Writes all of `bytes`, the first one at `offset`, as ``ByteSink/write(_:at:)``, without blocking the caller's thread.
    func write(all bytes: [UInt8], at offset: Int64) async throws(StorageProblem)

    /// Writes `bytes`, which are the whole of an empty file, and syncs them in the same piece of work.
    ///
    /// - Throws: ``StorageProblem`` when they cannot be written or synced. After a failed sync, the file is of no use: see
    ///   ``synchronize()``.
    func write(whole bytes: [UInt8]) async throws(StorageProblem)

    /// Returns the bytes of a range; fewer when the file ends within it.
    func read(_ range: Range<Int64>) async throws(StorageProblem) -> [UInt8]

    /// Computes a digest ahead of ``digest(_:length:)``: of all bytes before `prefix`, which must exist, and of the
    /// bytes that are written in order from now on. An implementation may ignore this; a failure shows later.
    func digestAhead(_ algorithm: Checksum.Algorithm, upTo prefix: Int64) async

    /// The digest of the first `length` bytes.
    func digest(_ algorithm: Checksum.Algorithm, length: Int64) async throws(StorageProblem) -> Checksum

    /// The digest of the bytes of a range.
    func digest(
        _ algorithm: Checksum.Algorithm,
        of range: Range<Int64>
    ) async throws(StorageProblem) -> Checksum

    /// Whether ``synchronize()`` has nothing to do: everything in the file is durable.
    var isSynchronized: Bool { get }

    /// Syncs all written bytes to stable storage (`fdatasync`).
    ///
    /// A failure is final for the bytes that were not yet durable: the kernel may have dropped them. A second call
    /// that succeeds proves nothing.
    func synchronize() async throws(StorageProblem)

    /// Gives the part file its final name, by a rename or, for one without a name, by a link. Then syncs the
    /// directory, and closes the file. The file must have been synchronized.
    ///
    /// After a failure the file is still open. After a success, nothing may follow; ``close()`` does nothing then.
    ///
    /// - Parameters:
    ///   - replacing: whether an existing regular file may be replaced. Nothing else is ever replaced, and a file without a
    ///     name replaces nothing.
    ///   - date: the modification time that the file gets before its final name, durably, in whole seconds or
    ///     milliseconds as its file system keeps them; `nil` leaves it as it is. A file system that cannot set it, or does
    ///     not let this user, leaves it as well.
    /// - Returns: when its bytes were last changed, as in ``FileSurvey/Entry/modified``.
    /// - Throws: ``StorageProblem``, with `destinationExists` when the name is taken, and with `destinationMoved`
    ///   when the file has its name but the directory's path now leads elsewhere. If that is because its disk was unmounted,
    ///   the remedies contain `mountDisk`.
    @discardableResult
    func publish(
        as name: FileName,
        replacing: Bool,
        dated date: Instant?
    ) async throws(StorageProblem) -> Int64?

    /// Closes the file. Nothing may follow.
    func close() async
}

extension PartFile {
    /// Nothing is sealed.
    package var seal: PartSeal? { nil }

    /// Publishes the file with the time of its last change, as ``publish(as:replacing:dated:)``.
    @discardableResult
    package func publish(as name: FileName, replacing: Bool) async throws(StorageProblem) -> Int64? {
        try await publish(as: name, replacing: replacing, dated: nil)
    }

    /// All bytes were written.
    package func firstHole() async throws(StorageProblem) -> Int64? { nil }

    /// Needs to know nothing.
    package func expect(_ length: Int64) {}

    /// Writes at once, for a file whose writes never block.
    package func write(all bytes: [UInt8], at offset: Int64) async throws(StorageProblem) {
        try write(bytes.span.bytes, at: offset)
    }

    /// Only writes. ``isSynchronized`` stays `false`, so the caller orders the sync.
    package func write(whole bytes: [UInt8]) async throws(StorageProblem) {
        try await write(all: bytes, at: 0)
    }

    /// `false`, so that each sync is carried out.
    package var isSynchronized: Bool { false }

    /// Computes nothing ahead.
    package func digestAhead(_ algorithm: Checksum.Algorithm, upTo prefix: Int64) async {}
}

/// A stream that is written in order.
package protocol StreamSink: ByteSink {
    /// Ends a write that waits for the reader, and every later write: they fail with `streamLost`. Returns at once.
    func interrupt()

    /// The digest of everything written so far; `nil` when none was requested at opening.
    func digest() async -> Checksum?

    /// Closes the stream; standard output is left open.
    func close() async
}

extension StreamSink {
    /// Does nothing, for a sink whose writes never wait.
    package func interrupt() {}
}
