internal import FerryCore
internal import SystemPackage

#if os(Linux)
internal import CFerryPlatform
#endif

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The part of `stat(2)` that Ferry uses.
struct FileStatus: Hashable, Sendable {
    /// The identity of the file.
    var identity: FileIdentity
    /// The kind of the file.
    var kind: FileSurvey.Kind
    /// Its length in bytes; 0 unless it is a regular file.
    var length: Int64
    /// The bytes of disk space that it uses, reserved ones included.
    var allocated: Int64
    /// The number of its names.
    var links: UInt64
    /// The user ID of its owner.
    var owner: UInt32
    /// Its permissions: the last twelve bits of its mode.
    var permissions: UInt32
    /// When its bytes were last changed, in nanoseconds since 1970.
    var modified: Int64?

    /// The status as an entry of a survey.
    var entry: FileSurvey.Entry {
        FileSurvey.Entry(identity: identity, length: length, kind: kind, modified: modified)
    }

    /// The status of an open file.
    init(of descriptor: FileDescriptor) throws(Errno) {
        #if os(Linux)
        try self.init(of: "", in: descriptor.rawValue, ferry_at_empty_path())
        #else
        var status = stat()
        _ = try Platform.retrying { fstat(descriptor.rawValue, &status) }
        self.init(status)
        #endif
    }

    /// The status of a directory entry without following a link; `nil` if it does not exist.
    init?(of name: String, beneath directory: FileDescriptor) throws(Errno) {
        do {
            try self.init(of: name, in: directory.rawValue, AT_SYMLINK_NOFOLLOW)
        } catch {
            guard error == .noSuchFileOrDirectory else { throw error }
            return nil
        }
    }

    /// The status of the target of a path, following symbolic links.
    init(following path: String) throws(Errno) {
        try self.init(of: path, in: AT_FDCWD, 0)
    }

    /// One system call. On Linux it also tells the birth of the file.
    private init(of path: String, in directory: CInt, _ flags: CInt) throws(Errno) {
        #if os(Linux)
        var status = ferry_status()
        _ = try Platform.retrying { path.withCString { ferry_status_of(directory, $0, flags, &status) } }
        #else
        var status = stat()
        _ = try Platform.retrying { path.withCString { fstatat(directory, $0, &status, flags) } }
        #endif
        self.init(status)
    }

    #if os(Linux)
    private init(_ status: ferry_status) {
        identity = FileIdentity(device: status.device, inode: status.inode)
        // Some file systems return 1970 for an unknown time.
        if status.birth_seconds > 0 {
            identity.birth = FileTime.nanoseconds(status.birth_seconds, Int64(status.birth_nanoseconds))
        }
        kind = FileSurvey.Kind(mode: mode_t(status.mode))
        length = kind == .file ? status.size : 0
        // The unit is 512 bytes, whatever the block size of the file system.
        allocated = status.blocks * 512
        links = status.links
        owner = status.owner
        permissions = status.mode & 0o7777
        modified = FileTime.nanoseconds(status.modified_seconds, Int64(status.modified_nanoseconds))
    }
    #else
    private init(_ status: stat) {
        identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino)
        )
        kind = FileSurvey.Kind(mode: status.st_mode)
        length = kind == .file ? Int64(status.st_size) : 0
        allocated = Int64(status.st_blocks) * 512
        links = UInt64(status.st_nlink)
        owner = UInt32(status.st_uid)
        permissions = UInt32(status.st_mode) & 0o7777
        let time = status.st_mtimespec
        modified = FileTime.nanoseconds(Int64(time.tv_sec), Int64(time.tv_nsec))
    }
    #endif
}

extension FileSurvey.Kind {
    /// The kind of a file with this mode.
    fileprivate init(mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            case S_IFIFO, S_IFCHR, S_IFBLK: .stream
            default: .other
            }
    }
}

extension Platform {
    /// Whether a path leads to a FIFO.
    static func isFIFO(_ path: String) throws(Errno) -> Bool {
        var status = stat()
        _ = try retrying { path.withCString { fstatat(AT_FDCWD, $0, &status, 0) } }
        return status.st_mode & S_IFMT == S_IFIFO
    }
}
