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
    /// How something beneath a directory is opened.
    enum OpenMode {
        /// A new file, to be read and written; fails when the name is taken.
        case createExclusively
        /// What is there already, to be read and written.
        case readWrite
        /// What is there already, to be looked at.
        case readOnly

        /// The flags of `open(2)`.
        ///
        /// `O_NONBLOCK` means nothing to a regular file. It is there for the name that becomes a FIFO between
        /// the look and the opening: without it the thread would wait for a writer that may never come.
        fileprivate var flags: Int32 {
            let always = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
            return switch self {
            case .createExclusively: always | O_RDWR | O_CREAT | O_EXCL
            case .readWrite: always | O_RDWR
            case .readOnly: always | O_RDONLY
            }
        }
    }

    /// Opens a directory that is then the root of every other call.
    ///
    /// Symbolic links on the way to it are followed: see ``DirectoryHandle``.
    ///
    /// - Returns: the descriptor, and whether it can be synced. A directory that may be entered and changed but
    ///   not listed is opened as a mere place (`O_PATH`), which cannot.
    static func openDirectory(_ path: String) throws(Errno) -> (descriptor: FileDescriptor, canSync: Bool) {
        do {
            let raw = try retrying {
                path.withCString { Self.systemOpen($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            }
            return (FileDescriptor(rawValue: raw), true)
        } catch {
            #if os(Linux)
            guard error == .permissionDenied else { throw error }
            let flags = ferry_o_path() | O_DIRECTORY | O_CLOEXEC
            let raw = try retrying { path.withCString { Self.systemOpen($0, flags) } }
            return (FileDescriptor(rawValue: raw), false)
            #else
            throw error
            #endif
        }
    }

    /// Opens the entry `name` of a directory, following no symbolic link.
    ///
    /// The kernel is asked to keep the lookup beneath the directory (`openat2`, Linux 5.6); where it cannot, a
    /// single component and `O_NOFOLLOW` come to the same, and a name that is more is refused here.
    static func open(
        _ name: String,
        beneath directory: FileDescriptor,
        _ mode: OpenMode
    ) throws(Errno) -> FileDescriptor {
        guard isSingleComponent(name) else { throw .invalidArgument }
        #if os(Linux)
        do {
            let raw = try retrying {
                name.withCString { ferry_openat2_beneath(directory.rawValue, $0, mode.flags, 0o666) }
            }
            return FileDescriptor(rawValue: raw)
        } catch {
            // Filters of containers older than the call answer EPERM; a true EPERM comes again below.
            guard error == .noFunction || error == .notPermitted else { throw error }
        }
        #endif
        let raw = try retrying { name.withCString { openat(directory.rawValue, $0, mode.flags, 0o666) } }
        return FileDescriptor(rawValue: raw)
    }

    /// Creates a file in a directory that has no name there, and that goes with its last opening unless it is
    /// given one.
    ///
    /// - Returns: `nil` where the kernel or the file system cannot, or could not give it a name later.
    static func createNameless(in directory: FileDescriptor) throws(Errno) -> FileDescriptor? {
        #if os(Linux)
        // The name is given through this directory.
        guard access("/proc/self/fd", X_OK) == 0 else { return nil }
        let flags = ferry_o_tmpfile() | O_RDWR | O_CLOEXEC
        do {
            return FileDescriptor(
                rawValue: try retrying { ".".withCString { openat(directory.rawValue, $0, flags, 0o666) } }
            )
        } catch {
            switch error {
            // A kernel that does not know the flag takes it for the wish to write to a directory.
            case .notSupportedOnSocket, .notSupported, .noFunction, .invalidArgument, .isDirectory: return nil
            default: throw error
            }
        }
        #else
        return nil
        #endif
    }

    /// Whether `name` is one component of a path and no way up or about.
    static func isSingleComponent(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == 0x2F || $0 == 0 }
    }

    /// Opens a device or a FIFO for writing without waiting for a reader.
    ///
    /// - Throws: `ENXIO` while nobody has the FIFO open for reading.
    static func openForStreaming(_ path: String) throws(Errno) -> FileDescriptor {
        let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        return FileDescriptor(rawValue: try retrying { path.withCString { Self.systemOpen($0, flags) } })
    }

    /// Whether a descriptor leads to a terminal.
    static func isTerminal(_ descriptor: FileDescriptor) -> Bool { isatty(descriptor.rawValue) == 1 }

    /// Makes writes to a descriptor wait until they can be done.
    static func makeBlocking(_ descriptor: FileDescriptor) throws(Errno) {
        let flags = try retrying { fcntl(descriptor.rawValue, F_GETFL) }
        _ = try retrying { fcntl(descriptor.rawValue, F_SETFL, flags & ~O_NONBLOCK) }
    }

    /// Another opening of the pipe or terminal that a descriptor leads to, whose writes do not wait; `nil` for anything else,
    /// and where it cannot be opened again.
    ///
    /// The descriptor itself may be shared with other processes, which do not expect that of it.
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

    /// `open(2)` by another name, since this type has an `open` of its own.
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
