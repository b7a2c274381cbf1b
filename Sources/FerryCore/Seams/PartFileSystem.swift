/// The file system as a download sees it: a directory, a final name in it, and the part file beside it.
///
/// Every name is resolved beneath the directory, one component, following no symlink (I6).
public protocol PartFileSystem: Sendable {
    /// What is there now under the final name and under the part file's.
    ///
    /// - Throws: ``StorageProblem`` when the directory is missing, is not one, or may not be searched.
    func survey(_ place: FilePlace) async throws(StorageProblem) -> FileSurvey

    /// Creates the part file. It has no name before ``PartFile/takeName()``, so that a crash before the claim on
    /// it is recorded leaves nothing that could be mistaken for somebody else's file.
    ///
    /// Where a file system cannot make a file without a name, it has it at once, and an empty file under that name
    /// is taken over: the creation that a crash cut short looks so.
    ///
    /// - Throws: ``StorageProblem``, with `destinationExists` when something foreign has the part file's name.
    func createPart(at place: FilePlace) async throws(StorageProblem) -> any PartFile

    /// Opens the part file that `identity` names.
    ///
    /// - Throws: ``StorageProblem`` with `partFileLost` when it is not there or is another file.
    func openPart(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem) -> any PartFile

    /// Opens the file that has the final name to read it, locked or not, if it is the one that `identity` names.
    ///
    /// - Throws: ``StorageProblem`` with `cannotOpen` when it is not there, is another file, or may not be read.
    func openFinished(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) -> any PartFile

    /// Removes the part file, if it is the one that `identity` names; once it returns, no power cut brings it back.
    func removePart(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem)

    /// Opens a device, a FIFO or (`-`) standard output for writing in order.
    ///
    /// - Parameter digest: the digest to compute of what is written, as a stream cannot be read back.
    func openStream(path: String, digest: Checksum.Algorithm?) async throws(StorageProblem) -> any StreamSink

    /// Makes the rename of a publication durable that a crash may have cut short: syncs the directory.
    func synchronizeDirectory(of place: FilePlace) async throws(StorageProblem)

    /// How many bytes this user may still write to the file system of that directory.
    func freeSpace(in directory: String) async throws(StorageProblem) -> Int64
}

/// An unfinished file.
public protocol PartFile: ByteSink {
    /// Which file it is.
    var identity: FileIdentity { get }

    /// Whether it has a name. One that has none is gone when it is closed.
    var isNamed: Bool { get }

    /// Gives a part file that was just created its name.
    ///
    /// - Throws: ``StorageProblem``, with `destinationExists` when something else has it by now.
    func takeName() async throws(StorageProblem)

    /// Reserves space up to `length` without changing what is read back before it, where the file system can;
    /// does nothing where it cannot.
    func reserve(_ length: Int64) async throws(StorageProblem)

    /// Cuts off what lies behind `length`: bytes that a process wrote and did not live to record.
    ///
    /// - Throws: ``StorageProblem`` with `partFileLost` when the file is shorter.
    func cut(behind length: Int64) async throws(StorageProblem)

    /// The bytes of a range; fewer when the file ends before it does.
    func read(_ range: Range<Int64>) async throws(StorageProblem) -> [UInt8]

    /// Computes a digest ahead of ``digest(_:length:)``: of what is written in order from now on, and of everything
    /// before `prefix`, which must be there. Whether it does is the file's business; a failure shows later.
    func digestAhead(_ algorithm: Checksum.Algorithm, upTo prefix: Int64) async

    /// The digest of the first `length` bytes.
    func digest(_ algorithm: Checksum.Algorithm, length: Int64) async throws(StorageProblem) -> Checksum

    /// The digest of the bytes of a range.
    func digest(
        _ algorithm: Checksum.Algorithm,
        of range: Range<Int64>
    ) async throws(StorageProblem) -> Checksum

    /// Brings everything that was written to stable storage (`fdatasync`).
    ///
    /// A failure is final for the bytes that were not yet durable: the kernel may have dropped them, and a
    /// second call that succeeds would prove nothing.
    func synchronize() async throws(StorageProblem)

    /// Renames the part file to its final name, or gives that to one without a name, and syncs the directory. The file
    /// must have been synchronized.
    ///
    /// - Parameter replacing: whether an existing regular file may be replaced; nothing else ever is, and a file without
    ///   a name replaces nothing.
    /// - Returns: when its bytes were last changed, as ``FileSurvey/Entry/modified`` tells it.
    /// - Throws: ``StorageProblem`` with `destinationExists` when the name is taken, and with `destinationMoved` when the
    ///   file has its name, and the path of the directory leads to another one by now.
    @discardableResult
    func publish(as name: FileName, replacing: Bool) async throws(StorageProblem) -> Int64?

    /// Closes the file. Nothing may follow.
    func close() async
}

extension PartFile {
    /// Computes nothing ahead.
    public func digestAhead(_ algorithm: Checksum.Algorithm, upTo prefix: Int64) async {}
}

/// A stream that is written in order.
public protocol StreamSink: ByteSink {
    /// Ends a write that waits for the reader, and every later one: they fail with `streamLost`. Returns at once.
    func interrupt()

    /// The digest of everything written so far; `nil` when none was asked for at opening.
    func digest() async -> Checksum?

    /// Closes the stream; standard output is left open.
    func close() async
}

extension StreamSink {
    /// Nothing, where no write ever waits.
    public func interrupt() {}
}
