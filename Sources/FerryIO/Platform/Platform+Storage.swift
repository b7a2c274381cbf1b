internal import FerryCore
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
    /// - Throws: `EOPNOTSUPP`, `ENOSYS` or `EINVAL` if the file system cannot.
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

    /// The offset of the first hole of a file: bytes that no one has written, and that read as zeros. At the end of the file there
    /// is always one. `nil` if the file system cannot tell, and for an empty file.
    static func firstHole(of descriptor: FileDescriptor) -> Int64? {
        #if canImport(Darwin)
        let hole = SEEK_HOLE
        #else
        // Glibc names it only beside other extensions of GNU.
        let hole: Int32 = 4
        #endif
        let offset = lseek(descriptor.rawValue, 0, hole)
        return offset < 0 ? nil : Int64(offset)
    }

    /// Sets who may read, write and execute a file.
    static func setPermissions(_ permissions: UInt32, of descriptor: FileDescriptor) throws(Errno) {
        _ = try retrying { fchmod(descriptor.rawValue, mode_t(permissions)) }
    }

    /// Starts writing a file's dirty pages to the disk, without waiting.
    ///
    /// It guarantees nothing, so it reports no failure: the kernel keeps a write error for the next
    /// ``synchronizeData(of:)``.
    static func startWriting(_ descriptor: FileDescriptor) {
        #if !canImport(Darwin)
        _ = ferry_start_writing(descriptor.rawValue)
        #endif
    }

    /// Syncs the bytes of a file, and what is needed to find them again, to stable storage.
    static func synchronizeData(of descriptor: FileDescriptor) throws(Errno) {
        #if canImport(Darwin)
        // fsync on Darwin leaves the bytes in the drive's own cache.
        _ = try retrying { fcntl(descriptor.rawValue, F_FULLFSYNC) }
        #else
        _ = try retrying { fdatasync(descriptor.rawValue) }
        #endif
    }

    /// Syncs the bytes of a file and all that is known of it, such as its times, to stable storage.
    static func synchronizeAll(of descriptor: FileDescriptor) throws(Errno) {
        #if canImport(Darwin)
        _ = try retrying { fcntl(descriptor.rawValue, F_FULLFSYNC) }
        #else
        _ = try retrying { fsync(descriptor.rawValue) }
        #endif
    }

    /// Sets when the bytes of a file were last changed and, as curl does, when they were last read.
    static func setModificationTime(_ date: Instant, of descriptor: FileDescriptor) throws(Errno) {
        // Rounds down, also before 1970, because no part of a second may be negative.
        let milliseconds = (date.milliseconds % 1_000 + 1_000) % 1_000
        var time = timespec()
        time.tv_sec = numericCast((date.milliseconds - milliseconds) / 1_000)
        time.tv_nsec = numericCast(milliseconds * 1_000_000)
        let times = [time, time]
        _ = try retrying { futimens(descriptor.rawValue, times) }
    }

    /// Syncs the names in a directory to stable storage.
    static func synchronizeNames(in directory: FileDescriptor) throws(Errno) {
        _ = try retrying { fsync(directory.rawValue) }
    }

    /// Syncs all file systems to stable storage; on Linux, waits until it is done.
    static func synchronizeEverything() {
        sync()
    }

    /// Locks an open file against every other opening of it, in this process or another, until it is closed.
    ///
    /// - Returns: `false` when another opening holds the lock.
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
    /// Closing alone could leave the lock with a child process that another thread is starting: until it
    /// executes another program, it has a copy of every descriptor. An error of unlocking is of no use, as
    /// with ``close(_:)``.
    static func release(_ descriptor: FileDescriptor) {
        unlock(descriptor)
        close(descriptor)
    }

    /// Unlocks a file that ``lock(_:)`` may have locked.
    static func unlock(_ descriptor: FileDescriptor) {
        flock(descriptor.rawValue, LOCK_UN)
    }

    /// Whether the file system of a directory stores change times exactly.
    static func keepsTimes(at descriptor: FileDescriptor) -> Bool {
        #if os(Linux)
        ferry_keeps_times(descriptor.rawValue) == 1
        #else
        false
        #endif
    }

    /// The number of bytes that this user may still write to the file system of a descriptor; `Int64.max`
    /// when the file system does not report its size.
    static func freeSpace(at descriptor: FileDescriptor) throws(Errno) -> Int64 {
        var status = statvfs()
        _ = try retrying { fstatvfs(descriptor.rawValue, &status) }
        guard status.f_blocks > 0 else { return .max }
        let unit = status.f_frsize > 0 ? UInt64(status.f_frsize) : UInt64(status.f_bsize)
        let (product, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: unit)
        return overflow ? .max : Int64(clamping: product)
    }

    /// Whether the file system of a descriptor is mounted read-only.
    static func isMountedReadOnly(_ descriptor: FileDescriptor) -> Bool {
        var status = statvfs()
        guard fstatvfs(descriptor.rawValue, &status) == 0 else { return false }
        return UInt(status.f_flag) & UInt(ST_RDONLY) != 0
    }

    /// Writes bytes at an offset, as many as the kernel takes in one call.
    static func write(
        _ bytes: UnsafeRawBufferPointer,
        to descriptor: FileDescriptor,
        at offset: Int64
    ) throws(Errno) -> Int {
        try retrying { pwrite(descriptor.rawValue, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    /// Writes bytes at the position of a stream, as many as the kernel takes in one call.
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

    /// Reads bytes at an offset, as many as the kernel returns in one call; 0 at the end of the file.
    static func read(
        into bytes: UnsafeMutableRawBufferPointer,
        from descriptor: FileDescriptor,
        at offset: Int64
    ) throws(Errno) -> Int {
        try retrying { pread(descriptor.rawValue, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    /// Whether a file has a byte at an offset.
    static func hasByte(at offset: Int64, in descriptor: FileDescriptor) throws(Errno) -> Bool {
        var byte: UInt8 = 0
        return try retrying { pread(descriptor.rawValue, &byte, 1, off_t(offset)) } > 0
    }

    /// How many bytes a writable pipe takes without waiting (`PIPE_BUF`).
    static let pipePiece = 4096

    /// Waits until a stream takes bytes or has failed; `false` when it does not within `limit`.
    static func isWritable(_ descriptor: FileDescriptor, within limit: Duration) throws(Errno) -> Bool {
        var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
        let milliseconds = Int32(clamping: limit / .milliseconds(1) < 1 ? 1 : Int64(limit / .milliseconds(1)))
        return try retrying { poll(&request, 1, milliseconds) } > 0
    }

    /// Whether writes to a descriptor fail with `EAGAIN` instead of waiting.
    static func isNonBlocking(_ descriptor: FileDescriptor) -> Bool {
        let flags = fcntl(descriptor.rawValue, F_GETFL)
        return flags >= 0 && flags & O_NONBLOCK != 0
    }

    /// Whether a write can wait for a reader: to a pipe, a socket or a terminal. A file or the null device
    /// never waits.
    static func canWait(_ descriptor: FileDescriptor) -> Bool {
        var status = stat()
        // If the kind is unknown, assume that it can wait.
        guard fstat(descriptor.rawValue, &status) == 0 else { return true }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFBLK: return false
        case S_IFCHR: return isatty(descriptor.rawValue) == 1
        default: return true
        }
    }

    /// Closes a descriptor.
    ///
    /// Its error is of no use: important bytes were synced before, and the descriptor is closed whatever the
    /// result. A second try could close a descriptor that another thread has just opened.
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
