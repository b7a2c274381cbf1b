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
    /// How an entry of a directory is opened.
    enum OpenMode {
        /// A new file, for reading and writing; fails when the name is taken.
        case createExclusively
        /// An existing entry, for reading and writing.
        case readWrite
        /// An existing entry, for reading.
        case readOnly

        /// The flags of `open(2)`.
        ///
        /// `O_NONBLOCK` has no effect on a regular file. It is for a name that becomes a FIFO between the
        /// check and the opening: without it the thread would wait for a writer that may never come.
        fileprivate var flags: Int32 {
            let always = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
            return switch self {
            case .createExclusively: always | O_RDWR | O_CREAT | O_EXCL
            case .readWrite: always | O_RDWR
            case .readOnly: always | O_RDONLY
            }
        }
    }

    /// Opens a directory as the root of all other calls.
    ///
    /// Symbolic links on the path to it are followed: see ``DirectoryHandle``.
    ///
    /// - Returns: the descriptor, and whether it can be synced. A directory that may be entered and changed
    ///   but not listed is opened with `O_PATH`, which cannot be synced.
    static func openDirectory(_ path: String) throws(Errno) -> (descriptor: FileDescriptor, canSync: Bool) {
        try openDirectory { flags in path.withCString { Self.systemOpen($0, flags) } }
    }

    /// Opens the directory `name` of a directory, following no symbolic link.
    ///
    /// - Returns: as ``openDirectory(_:)``.
    static func openDirectory(
        _ name: String,
        in directory: FileDescriptor
    ) throws(Errno) -> (descriptor: FileDescriptor, canSync: Bool) {
        guard isSingleComponent(name) else { throw .invalidArgument }
        return try openDirectory { flags in
            name.withCString { openat(directory.rawValue, $0, flags | O_NOFOLLOW, 0) }
        }
    }

    /// - Parameter open: opens the directory with some flags of `open(2)`.
    private static func openDirectory(
        by open: (_ flags: Int32) -> Int32
    ) throws(Errno) -> (descriptor: FileDescriptor, canSync: Bool) {
        let flags = O_DIRECTORY | O_CLOEXEC
        do {
            return (FileDescriptor(rawValue: try retrying { open(flags | O_RDONLY) }), true)
        } catch {
            #if os(Linux)
            guard error == .permissionDenied else { throw error }
            return (FileDescriptor(rawValue: try retrying { open(flags | ferry_o_path()) }), false)
            #else
            throw error
            #endif
        }
    }

    /// Opens the entry `name` of a directory, following no symbolic link.
    ///
    /// The kernel keeps the lookup beneath the directory (`openat2`, Linux 5.6). On older kernels, a single
    /// component and `O_NOFOLLOW` have the same effect, and longer names are refused here.
    static func open(
        _ name: String,
        beneath directory: FileDescriptor,
        _ mode: OpenMode,
        permissions: CInt = 0o666
    ) throws(Errno) -> FileDescriptor {
        guard isSingleComponent(name) else { throw .invalidArgument }
        #if os(Linux)
        do {
            let raw = try retrying {
                name.withCString {
                    ferry_openat2_beneath(directory.rawValue, $0, mode.flags, mode_t(permissions))
                }
            }
            return FileDescriptor(rawValue: raw)
        } catch {
            // Container filters older than the call return EPERM; a true EPERM comes again below.
            guard error == .noFunction || error == .notPermitted else { throw error }
        }
        #endif
        let raw = try retrying {
            name.withCString { openat(directory.rawValue, $0, mode.flags, mode_t(permissions)) }
        }
        return FileDescriptor(rawValue: raw)
    }

    #if os(Linux)
    /// Whether a file without a name can be named later: that needs this directory. It is looked for once.
    private static let namesOpenFiles = access("/proc/self/fd", X_OK) == 0
    #endif

    /// Creates a file in a directory without a name. It is removed at its last close, unless it gets a name.
    ///
    /// - Returns: `nil` if the kernel or the file system cannot do this, or could not name the file later.
    static func createNameless(in directory: FileDescriptor) throws(Errno) -> FileDescriptor? {
        #if os(Linux)
        guard namesOpenFiles else { return nil }
        let flags = ferry_o_tmpfile() | O_RDWR | O_CLOEXEC
        do {
            return FileDescriptor(
                rawValue: try retrying { ".".withCString { openat(directory.rawValue, $0, flags, 0o666) } }
            )
        } catch {
            switch error {
            // A kernel that does not know the flag sees an attempt to write to a directory.
            case .notSupportedOnSocket, .notSupported, .noFunction, .invalidArgument, .isDirectory: return nil
            default: throw error
            }
        }
        #else
        return nil
        #endif
    }

    /// Whether `name` is one path component other than `.` and `..`.
    static func isSingleComponent(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == 0x2F || $0 == 0 }
    }

    /// Opens a file that a person has named, for reading. Symbolic links are followed, and the call does not wait for
    /// the writer of a FIFO.
    static func openForReading(_ path: String) throws(Errno) -> FileDescriptor {
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        return FileDescriptor(rawValue: try retrying { path.withCString { Self.systemOpen($0, flags) } })
    }

    /// Opens a device or a FIFO for writing without waiting for a reader.
    ///
    /// - Throws: `ENXIO` while the FIFO has no reader.
    static func openForStreaming(_ path: String) throws(Errno) -> FileDescriptor {
        let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        return FileDescriptor(rawValue: try retrying { path.withCString { Self.systemOpen($0, flags) } })
    }

    /// Whether a descriptor refers to a terminal.
    static func isTerminal(_ descriptor: FileDescriptor) -> Bool { isatty(descriptor.rawValue) == 1 }

    /// Makes writes to a descriptor block.
    static func makeBlocking(_ descriptor: FileDescriptor) throws(Errno) {
        let flags = try retrying { fcntl(descriptor.rawValue, F_GETFL) }
        _ = try retrying { fcntl(descriptor.rawValue, F_SETFL, flags & ~O_NONBLOCK) }
    }

    /// Opens the pipe or terminal of a descriptor again, without blocking writes; `nil` for anything else, or
    /// if it cannot be opened again.
    ///
    /// The descriptor itself may be shared with other processes, which do not expect non-blocking writes.
    static func reopenWithoutBlocking(_ descriptor: FileDescriptor) -> FileDescriptor? {
        #if os(Linux)
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFIFO || isatty(descriptor.rawValue) == 1 else { return nil }
        do {
            return try openForStreaming("/proc/self/fd/\(descriptor.rawValue)")
        } catch {
            return nil
        }
        #else
        return nil
        #endif
    }

    /// Another descriptor of the same open file, which a child process does not inherit.
    static func duplicate(_ descriptor: FileDescriptor) throws(Errno) -> FileDescriptor {
        FileDescriptor(rawValue: try retrying { fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 3) })
    }

    /// `open(2)` under another name, because this type has its own `open`.
    private static func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 {
        #if canImport(Darwin)
        Darwin.open(path, flags)
        #elseif canImport(Glibc)
        Glibc.open(path, flags)
        #elseif canImport(Musl)
        Musl.open(path, flags)
        #endif
    }
}
