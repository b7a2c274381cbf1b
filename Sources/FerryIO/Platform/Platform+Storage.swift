internal import SystemPackage

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import CFerryPlatform
internal import Glibc
#elseif canImport(Musl)
internal import CFerryPlatform
internal import Musl
#endif

extension Platform {
    /// Reserves space for the first `length` bytes of a file without changing its length.
    ///
    /// - Throws: `EOPNOTSUPP`, `ENOSYS` or `EINVAL` where the file system cannot.
    static func reserve(_ length: Int64, in descriptor: FileDescriptor) throws(Errno) {
        #if canImport(Darwin)
        let status = try FileStatus(of: descriptor)
        guard length > status.allocated else { return }
        var request = fstore_t(
            fst_flags: UInt32(F_ALLOCATEALL),
            fst_posmode: F_PEOFPOSMODE,
            fst_offset: 0,
            fst_length: length - status.allocated,
            fst_bytesalloc: 0
        )
        _ = try retrying { fcntl(descriptor.rawValue, F_PREALLOCATE, &request) }
        #else
        _ = try retrying { ferry_reserve(descriptor.rawValue, off_t(length)) }
        #endif
    }

    /// Cuts a file, or extends it with zeros.
    static func truncate(_ descriptor: FileDescriptor, to length: Int64) throws(Errno) {
        _ = try retrying { ftruncate(descriptor.rawValue, off_t(length)) }
    }

    /// Lets the kernel begin to write what of a file it holds in memory only, without waiting until it has.
    ///
    /// It promises nothing, so nothing is said when it cannot be done: what fails on the way is kept for the next
    /// ``synchronizeData(of:)``.
    static func startWriting(_ descriptor: FileDescriptor) {
        #if !canImport(Darwin)
        _ = ferry_start_writing(descriptor.rawValue)
        #endif
    }

    /// Brings the bytes of a file, and what is needed to find them again, to stable storage.
    static func synchronizeData(of descriptor: FileDescriptor) throws(Errno) {
        #if canImport(Darwin)
        // fsync there leaves the bytes in the drive's own cache.
        _ = try retrying { fcntl(descriptor.rawValue, F_FULLFSYNC) }
        #else
        _ = try retrying { fdatasync(descriptor.rawValue) }
        #endif
    }

    /// Brings the names in a directory to stable storage.
    static func synchronizeNames(in directory: FileDescriptor) throws(Errno) {
        _ = try retrying { fsync(directory.rawValue) }
    }

    /// Brings everything on every file system to stable storage; on Linux, waits until it is there.
    static func synchronizeEverything() {
        sync()
    }

    /// Locks an open file against every other opening of it, in this process or another, until it is closed.
    ///
    /// - Returns: `false` when somebody else holds it.
    static func lock(_ descriptor: FileDescriptor) throws(Errno) -> Bool {
        do {
            _ = try retrying { flock(descriptor.rawValue, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            switch error {
            case .wouldBlock: return false
            // Some network file systems have no locks. The store's claims (I4) still keep owners apart there.
            case .noLocks, .notSupportedOnSocket, .notSupported, .noFunction, .invalidArgument: return true
            default: throw error
            }
        }
    }

    /// Unlocks a file that ``lock(_:)`` may have locked, and closes it.
    ///
    /// Closing alone would leave the lock to a process that another thread is just starting: until that becomes another
    /// program, it has a copy of every descriptor. What unlocking may say is of no use, as with ``close(_:)``.
    static func release(_ descriptor: FileDescriptor) {
        flock(descriptor.rawValue, LOCK_UN)
        close(descriptor)
    }

    /// Whether the file system of a directory keeps the time of a change exactly.
    static func keepsTimes(at descriptor: FileDescriptor) -> Bool {
        #if os(Linux)
        ferry_keeps_times(descriptor.rawValue) == 1
        #else
        false
        #endif
    }

    /// How many bytes this user may still write to the file system that a descriptor is on; `Int64.max` when
    /// the file system does not say how large it is.
    static func freeSpace(at descriptor: FileDescriptor) throws(Errno) -> Int64 {
        var status = statvfs()
        _ = try retrying { fstatvfs(descriptor.rawValue, &status) }
        guard status.f_blocks > 0 else { return .max }
        let unit = status.f_frsize > 0 ? UInt64(status.f_frsize) : UInt64(status.f_bsize)
        let (product, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: unit)
        return overflow ? .max : Int64(clamping: product)
    }

    /// Writes bytes at an offset, as many as the kernel takes at once.
    static func write(
        _ bytes: UnsafeRawBufferPointer,
        to descriptor: FileDescriptor,
        at offset: Int64
    ) throws(Errno) -> Int {
        try retrying { pwrite(descriptor.rawValue, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    /// Writes bytes at the position of a stream, as many as the kernel takes at once.
    static func write(
        _ bytes: UnsafeRawBufferPointer,
        to descriptor: FileDescriptor
    ) throws(Errno) -> Int {
        #if canImport(Darwin)
        try retrying { Darwin.write(descriptor.rawValue, bytes.baseAddress, bytes.count) }
        #elseif canImport(Glibc)
        try retrying { Glibc.write(descriptor.rawValue, bytes.baseAddress, bytes.count) }
        #elseif canImport(Musl)
        try retrying { Musl.write(descriptor.rawValue, bytes.baseAddress, bytes.count) }
        #endif
    }

    /// Reads bytes at an offset, as many as the kernel gives at once; 0 at the end of the file.
    static func read(
        into bytes: UnsafeMutableRawBufferPointer,
        from descriptor: FileDescriptor,
        at offset: Int64
    ) throws(Errno) -> Int {
        try retrying { pread(descriptor.rawValue, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    /// How many bytes a pipe takes without waiting when it says that it is writable (`PIPE_BUF`).
    static let pipePiece = 4096

    /// Waits until a stream takes bytes, or has failed; `false` when it does not in time.
    static func isWritable(_ descriptor: FileDescriptor, within limit: Duration) throws(Errno) -> Bool {
        var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
        let milliseconds = Int32(clamping: limit / .milliseconds(1) < 1 ? 1 : Int64(limit / .milliseconds(1)))
        return try retrying { poll(&request, 1, milliseconds) } > 0
    }

    /// Whether writes to a descriptor fail with `EAGAIN` rather than wait.
    static func isNonBlocking(_ descriptor: FileDescriptor) -> Bool {
        let flags = fcntl(descriptor.rawValue, F_GETFL)
        return flags >= 0 && flags & O_NONBLOCK != 0
    }

    /// Whether a write can wait for a reader: to a pipe, a socket or a terminal. A file and the null device never wait.
    static func canWait(_ descriptor: FileDescriptor) -> Bool {
        var status = stat()
        // What cannot be looked at is written with care.
        guard fstat(descriptor.rawValue, &status) == 0 else { return true }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFBLK: return false
        case S_IFCHR: return isatty(descriptor.rawValue) == 1
        default: return true
        }
    }

    /// Closes a descriptor.
    ///
    /// What it may say is of no use: bytes that matter were synced before, and the descriptor is gone whatever
    /// the answer. A second try could close one that another thread was just given.
    static func close(_ descriptor: FileDescriptor) {
        #if canImport(Darwin)
        _ = Darwin.close(descriptor.rawValue)
        #elseif canImport(Glibc)
        _ = Glibc.close(descriptor.rawValue)
        #elseif canImport(Musl)
        _ = Musl.close(descriptor.rawValue)
        #endif
    }
}
