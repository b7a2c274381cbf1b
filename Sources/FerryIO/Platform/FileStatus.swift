internal import FerryCore
internal import SystemPackage

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
        var status = stat()
        _ = try Platform.retrying { fstat(descriptor.rawValue, &status) }
        self.init(status)
        if kind == .file { identity.birth = Platform.birth(of: descriptor) }
    }

    /// The status of a directory entry without following a link; `nil` if it does not exist.
    init?(of name: String, beneath directory: FileDescriptor) throws(Errno) {
        var status = stat()
        do {
            _ = try Platform.retrying {
                name.withCString { fstatat(directory.rawValue, $0, &status, AT_SYMLINK_NOFOLLOW) }
            }
        } catch {
            guard error == .noSuchFileOrDirectory else { throw error }
            return nil
        }
        self.init(status)
        if kind == .file { identity.birth = Platform.birth(of: name, beneath: directory) }
    }

    /// The status of the target of a path, following symbolic links.
    init(following path: String) throws(Errno) {
        var status = stat()
        _ = try Platform.retrying { path.withCString { fstatat(AT_FDCWD, $0, &status, 0) } }
        self.init(status)
    }

    private init(_ status: stat) {
        identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino)
        )
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            case S_IFIFO, S_IFCHR, S_IFBLK: .stream
            default: .other
            }
        length = kind == .file ? Int64(status.st_size) : 0
        // The unit is 512 bytes, whatever the block size of the file system.
        allocated = Int64(status.st_blocks) * 512
        links = UInt64(status.st_nlink)
        owner = UInt32(status.st_uid)
        permissions = UInt32(status.st_mode) & 0o7777
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        modified = overflow || sumOverflow ? nil : sum
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
