internal import FerryCore
internal import Synchronization
internal import SystemPackage

/// An open part file. It is locked against every other process (`flock`) from before it has its name until it is closed. No
/// other process can open a file without a name, and one whose first name is the final one is whole by then.
final class POSIXPartFile: PartFile {
    let identity: FileIdentity

    private let descriptor: FileDescriptor
    private let directory: DirectoryHandle
    private let name: FileName
    private let threads: IOThreads
    private let syncs: DirectorySyncs
    private let ledger: Mutex<PartFileLedger>
    private let running = RunningDigest()

    /// How an open part file came to be open.
    enum Origin {
        /// It already existed.
        case found
        /// It was created, and may still lack its name.
        case created(isNamed: Bool)
    }

    /// Below this length, space is not reserved, and the name of a part file is not made durable with its bytes. For a
    /// small file, each would cost more than it could save. A power loss then takes the whole part file, which recovery
    /// detects.
    static let smallLength = DownloadMachine.smallLength

    /// The number of bytes read at once for a digest.
    private static let digestBuffer = 1 << 20

    /// The number of bytes digested before the thread serves other work.
    private static let digestSlice: Int64 = 32 << 20

    init(
        _ descriptor: FileDescriptor,
        _ status: FileStatus,
        in directory: DirectoryHandle,
        name: FileName,
        origin: Origin,
        threads: IOThreads,
        syncs: DirectorySyncs
    ) {
        self.descriptor = descriptor
        self.directory = directory
        self.name = name
        self.threads = threads
        self.syncs = syncs
        identity = status.identity
        var ledger = PartFileLedger()
        if case .created(isNamed: false) = origin { ledger.isNamed = false }
        self.ledger = Mutex(ledger)
    }

    deinit {
        if ledger.withLock({ $0.close() }) { release() }
    }

    var isNamed: Bool { ledger.withLock { $0.isNamed } }

    private var path: String { directory.path(of: name) }

    // MARK: Bytes

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        try using(changing: true) { () throws(StorageProblem) in
            // If another program has cut the file, a write after its end would make it long enough again, with a hole
            // of zeros in place of the lost bytes.
            let extent = ledger.withLock { $0.extent }
            let length = extent > 0 ? try status().length : 0
            guard length >= extent else { throw .shortPart(path, length: length, expected: extent) }
            try bytes.withUnsafeBytes { (buffer) throws(StorageProblem) in
                var done = 0
                while done < buffer.count {
                    let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                    do throws(Errno) {
                        let count = try Platform.write(rest, to: descriptor, at: offset + Int64(done))
                        // A kernel that writes nothing and reports no error would keep this thread forever.
                        guard count > 0 else { throw Errno.ioError }
                        done += count
                    } catch {
                        throw StorageProblem(
                            error,
                            while: .write,
                            path: path,
                            needed: Int64(buffer.count - done)
                        )
                    }
                }
                running.take(buffer, at: offset)
                // Otherwise the disk would be idle until the sync, which would then wait for everything.
                let end = offset + Int64(buffer.count)
                if ledger.withLock({ $0.noteWritten(buffer.count, upTo: end) }) {
                    Platform.startWriting(descriptor)
                }
            }
        }
    }

    /// The file systems that keep times exactly are those on a disk of this machine. A network may keep a write waiting.
    var isQuick: Bool { directory.keepsTimes && !running.isDigesting }

    func write(all bytes: [UInt8], at offset: Int64) async throws(StorageProblem) {
        try await threads.storage { [self] () throws(StorageProblem) in
            try write(bytes.span.bytes, at: offset)
        }
    }

    func write(whole bytes: [UInt8]) async throws(StorageProblem) {
        try await threads.storage { [self] () throws(StorageProblem) in try writeNow(whole: bytes) }
    }

    /// Writes as ``write(whole:)``. Blocks.
    func writeNow(whole bytes: [UInt8]) throws(StorageProblem) {
        try write(bytes.span.bytes, at: 0)
        try synchronizeNow()
    }

    func read(_ range: Range<Int64>) async throws(StorageProblem) -> [UInt8] {
        try await threads.storage { [self] () throws(StorageProblem) in try bytes(of: range) }
    }

    /// The bytes of a range, as ``read(_:)``. Blocks.
    func bytes(of range: Range<Int64>) throws(StorageProblem) -> [UInt8] {
        try using(changing: false) { () throws(StorageProblem) in
            // Bounded by the file's actual length, not by the request (I9).
            let end = min(range.upperBound, try status().length)
            guard range.lowerBound < end else { return [] }
            var bytes = [UInt8](repeating: 0, count: Int(end - range.lowerBound))
            var span = bytes.mutableSpan
            let count = try span.withUnsafeMutableBytes { (buffer) throws(StorageProblem) in
                try fill(buffer, from: range.lowerBound)
            }
            bytes.removeLast(bytes.count - count)
            return bytes
        }
    }

    /// Its present length. Blocks.
    func length() throws(StorageProblem) -> Int64 {
        try using(changing: false) { () throws(StorageProblem) in try status().length }
    }

    /// Reads in slices, each its own piece of work. Otherwise a large file would keep a thread from the
    /// writes and syncs of others for minutes.
    func digest(
        _ algorithm: Checksum.Algorithm,
        length: Int64
    ) async throws(StorageProblem) -> Checksum {
        var (digester, done) = running.latest(algorithm)
        if done > length { (digester, done) = (Digester(algorithm), 0) }
        while done < length { (digester, done) = try await advance(digester, from: done, to: length) }
        return digester.checksum
    }

    func digest(
        _ algorithm: Checksum.Algorithm,
        of range: Range<Int64>
    ) async throws(StorageProblem) -> Checksum {
        var (digester, done) = (Digester(algorithm), range.lowerBound)
        while done < range.upperBound {
            (digester, done) = try await advance(digester, from: done, to: range.upperBound)
        }
        return digester.checksum
    }

    func digestAhead(_ algorithm: Checksum.Algorithm, upTo prefix: Int64) async {
        running.begin(algorithm)
        // No one waits for this: it ends with the attempt, or when the running digest starts over.
        while !Task.isCancelled, let loan = running.lend() {
            guard loan.position < prefix else {
                running.giveBack(loan)
                return
            }
            var ahead = loan
            do throws(StorageProblem) {
                (ahead.digester, ahead.position) = try await advance(
                    loan.digester,
                    from: loan.position,
                    to: prefix
                )
            } catch {
                // Reading the whole file will meet the error again.
                running.giveBack(loan)
                return
            }
            guard running.giveBack(ahead) else { return }
        }
    }

    /// Digests the next slice, at most up to `end`.
    private func advance(
        _ digester: Digester,
        from position: Int64,
        to end: Int64
    ) async throws(StorageProblem) -> (Digester, Int64) {
        let slice = position..<min(position + Self.digestSlice, end)
        let advanced = try await threads.storage { [self] () throws(StorageProblem) in
            try using(changing: false) { () throws(StorageProblem) in
                var digester = digester
                try update(&digester, with: slice, of: end)
                return digester
            }
        }
        return (advanced, slice.upperBound)
    }

    private func update(
        _ digester: inout Digester,
        with slice: Range<Int64>,
        of length: Int64
    ) throws(StorageProblem) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.digestBuffer, alignment: 4096)
        defer { buffer.deallocate() }
        var done = slice.lowerBound
        while done < slice.upperBound {
            let wanted = Int(min(Int64(buffer.count), slice.upperBound - done))
            let count = try fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), from: done)
            digester.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            done += Int64(count)
            guard count == wanted else { throw .shortPart(path, length: done, expected: length) }
        }
    }

    /// Reads until `buffer` is full or the file ends; returns the number of bytes read.
    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from offset: Int64
    ) throws(StorageProblem) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            do {
                let count = try Platform.read(into: rest, from: descriptor, at: offset + Int64(done))
                guard count > 0 else { break }
                done += count
            } catch {
                throw StorageProblem(error, while: .read, path: path)
            }
        }
        return done
    }

    // MARK: Name

    func takeName() async throws(StorageProblem) {
        guard !isNamed else { return }
        try await threads.storage { [self] () throws(StorageProblem) in
            try using(changing: false) { () throws(StorageProblem) in
                try PartFileOpening(directory: directory, name: name).name(descriptor)
                ledger.withLock { $0.isNamed = true }
            }
        }
    }

    // MARK: Length and space

    func reserve(_ length: Int64) async throws(StorageProblem) {
        guard length >= Self.smallLength else { return }
        try await threads.storage { [self] () throws(StorageProblem) in
            try using(changing: false) { () throws(StorageProblem) in
                let needed = length - (try status().allocated)
                // The length comes from the server. Refuse one that cannot fit before filling any disk.
                let free = try directory.freeSpace()
                guard needed <= free else { throw .noRoom(for: path, needed: needed, free: free) }
                do throws(Errno) {
                    try Platform.reserve(length, in: descriptor)
                } catch {
                    switch error {
                    case .notSupportedOnSocket, .notSupported, .noFunction, .invalidArgument: return
                    default:
                        giveBackReservation()
                        throw StorageProblem(error, while: .reserve, path: path, needed: max(needed, 1))
                    }
                }
            }
        }
    }

    /// Releases the space of a reservation that failed halfway, so that a transfer that waits for space does not hold
    /// the rest of it. Truncating a file to its own length frees the space reserved after its end.
    private func giveBackReservation() {
        ledger.withLock { ledger in
            // Under the lock although these are system calls, and only before the first write. Otherwise a write
            // between the two calls that lengthens the file would be cut off.
            guard ledger.isUnchanged else { return }
            do {
                let length = try FileStatus(of: descriptor).length
                try Platform.truncate(descriptor, to: length)
            } catch {
                // The reservation stays until the file is removed. The caller learns of the full disk anyway.
            }
        }
    }

    func cut(behind length: Int64) async throws(StorageProblem) {
        try await threads.storage { [self] () throws(StorageProblem) in
            try using(changing: true) { () throws(StorageProblem) in
                let present = try status().length
                guard present >= length else { throw .shortPart(path, length: present, expected: length) }
                if present > length { try setLength(length) }
            }
        }
    }

    func firstHole() async throws(StorageProblem) -> Int64? {
        try await threads.storage { [self] () throws(StorageProblem) -> Int64? in
            try using(changing: false) { () throws(StorageProblem) -> Int64? in
                let length = try status().length
                return Platform.firstHole(of: descriptor).flatMap { $0 < length ? $0 : nil }
            }
        }
    }

    private func setLength(_ length: Int64) throws(StorageProblem) {
        running.cut(to: length)
        ledger.withLock { $0.noteLength(length) }
        do throws(Errno) {
            try Platform.truncate(descriptor, to: length)
        } catch {
            throw StorageProblem(error, while: .truncate, path: path)
        }
    }

    private func status() throws(StorageProblem) -> FileStatus {
        do {
            return try FileStatus(of: descriptor)
        } catch {
            throw StorageProblem(error, while: .read, path: path)
        }
    }

    // MARK: Stable storage

    var isSynchronized: Bool {
        ledger.withLock { $0.isSynchronized && !($0.isNamed && $0.needsDirectorySync) }
    }

    func synchronize() async throws(StorageProblem) {
        try await threads.storage { [self] () throws(StorageProblem) in try synchronizeNow() }
    }

    /// Syncs as ``synchronize()``. Blocks.
    private func synchronizeNow() throws(StorageProblem) {
        try using(changing: false) { () throws(StorageProblem) in
            let (changes, hasFailed, needsDirectorySync) = ledger.withLock {
                ($0.changes, $0.hasFailedToSynchronize, $0.isNamed && $0.needsDirectorySync)
            }
            guard !hasFailed else {
                throw StorageProblem(
                    .transient(
                        .storageFault,
                        "An earlier sync of \(path) failed, so its bytes must be fetched again."
                    ),
                    errno: Errno.ioError.rawValue
                )
            }
            do throws(Errno) {
                try Platform.synchronizeData(of: descriptor)
            } catch {
                ledger.withLock { $0.noteSynchronization(ofChanges: changes, succeeded: false) }
                throw StorageProblem(error, while: .synchronize, path: path)
            }
            // Durable bytes are useless in a file whose name is not durable: POSIX guarantees the name
            // only after a sync of the directory. Once per opening is enough. It is also needed for a
            // found file, because the process that created it may have ended while it was small.
            if needsDirectorySync, try status().length >= Self.smallLength {
                try directory.synchronize()
                ledger.withLock { $0.needsDirectorySync = false }
            }
            ledger.withLock { $0.noteSynchronization(ofChanges: changes, succeeded: true) }
        }
    }

    func publish(
        as final: FileName,
        replacing: Bool,
        dated date: Instant?
    ) async throws(StorageProblem) -> Int64? {
        try await threads.storage(completedBy: { [self] completion in
            do throws(StorageProblem) {
                try name(as: final, replacing: replacing, dated: date)
            } catch {
                return completion(.failure(error))
            }
            syncs.join(directory) { [self] result in
                guard case .success = result else { return completion(result) }
                // The directory may have been moved since it was opened; the file would then not be at its
                // reported path.
                guard directory.isAtItsPath != false else {
                    if directory.isDetached {
                        return completion(.failure(.detached(directory.path(of: final))))
                    }
                    let present = directory.presentPath.map { "\($0)/\(final.rawValue)" }
                    return completion(.failure(.moved(directory.path(of: final), to: present)))
                }
                if ledger.withLock({ $0.close() }) { release() }
                completion(result)
            }
        })
        return ledger.withLock { $0.modified }
    }

    /// Gives the file its final name, which is not durable yet.
    private func name(
        as final: FileName,
        replacing: Bool,
        dated date: Instant?
    ) throws(StorageProblem) {
        try using(changing: false) { () throws(StorageProblem) in
            guard ledger.withLock({ $0.isSynchronized }) else {
                throw .defect("\(path) was to be published before all of it was synced (I1).")
            }
            if let date { try take(date) }
            let publication = Publication(
                directory: directory,
                part: name,
                final: final,
                identity: identity,
                descriptor: descriptor
            )
            if isNamed {
                try publication.carryOut(replacing: replacing)
            } else {
                try publication.name()
            }
            let modified = try status().modified
            ledger.withLock { $0.modified = modified }
        }
    }

    /// Takes a modification time, durably, unless the file system has none or does not let this user set it.
    private func take(_ date: Instant) throws(StorageProblem) {
        do throws(Errno) {
            try Platform.setModificationTime(date, of: descriptor)
        } catch {
            switch error {
            // The file is whole without it. The caller sees the time that the file has.
            case .permissionDenied, .notPermitted, .notSupported, .notSupportedOnSocket, .noFunction,
                .invalidArgument:
                return
            default: throw StorageProblem(error, while: .date, path: path)
            }
        }
        do throws(Errno) {
            try Platform.synchronizeAll(of: descriptor)
        } catch {
            ledger.withLock { $0.noteSynchronization(ofChanges: $0.changes, succeeded: false) }
            throw StorageProblem(error, while: .synchronize, path: path)
        }
    }

    func close() async {
        let (isLast, isSynchronized) = ledger.withLock { ($0.close(), $0.isSynchronized) }
        guard isLast else { return }
        // Nothing is left to write, so closing cannot wait for anything.
        guard !isSynchronized else { return release() }
        do {
            // Closing can wait for a network file system.
            try await threads.storage { [self] in release() }
        } catch {
            // The threads are gone because the process is ending, and the lock must not outlive the transfer.
            release()
        }
    }

    /// Closes the descriptor. Only a file that got its name is locked.
    private func release() {
        if isNamed { Platform.release(descriptor) } else { Platform.close(descriptor) }
    }

    /// Keeps the descriptor open while `body` uses it, so that its number cannot be reused for another file.
    private func using<Value>(
        changing: Bool,
        _ body: () throws(StorageProblem) -> Value
    ) throws(StorageProblem) -> Value {
        guard ledger.withLock({ $0.begin(changing: changing) }) else {
            throw .defect("\(path) was used after it was closed.")
        }
        defer {
            if ledger.withLock({ $0.end(changing: changing) }) { release() }
        }
        return try body()
    }
}
