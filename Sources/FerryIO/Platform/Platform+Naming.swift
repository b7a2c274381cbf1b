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
    /// Renames an entry within a directory, replacing any entry with the new name.
    static func rename(_ name: String, to new: String, in directory: FileDescriptor) throws(Errno) {
        _ = try retrying {
            name.withCString { from in
                new.withCString { to in renameat(directory.rawValue, from, directory.rawValue, to) }
            }
        }
    }

    /// Renames an entry within a directory, if the new name is free.
    ///
    /// - Throws: `EEXIST` when it is not free; `EINVAL`, `ENOSYS` or `EOPNOTSUPP` when the kernel or this
    ///   file system cannot do it in one step.
    static func renameWithoutReplacing(
        _ name: String,
        to new: String,
        in directory: FileDescriptor
    ) throws(Errno) {
        _ = try retrying {
            name.withCString { from in
                new.withCString { to in
                    #if canImport(Darwin)
                    renameatx_np(directory.rawValue, from, directory.rawValue, to, UInt32(RENAME_EXCL))
                    #else
                    ferry_rename_noreplace(directory.rawValue, from, to)
                    #endif
                }
            }
        }
    }

    /// Gives an entry a second name within its directory, if that name is free.
    static func link(_ name: String, as new: String, in directory: FileDescriptor) throws(Errno) {
        _ = try retrying {
            name.withCString { from in
                new.withCString { to in linkat(directory.rawValue, from, directory.rawValue, to, 0) }
            }
        }
    }

    /// Gives a file from ``createNameless(in:)`` a name in a directory, if that name is free.
    static func link(_ file: FileDescriptor, as name: String, in directory: FileDescriptor) throws(Errno) {
        #if os(Linux)
        _ = try retrying {
            "/proc/self/fd/\(file.rawValue)".withCString { from in
                name.withCString { to in linkat(AT_FDCWD, from, directory.rawValue, to, AT_SYMLINK_FOLLOW) }
            }
        }
        #else
        throw .noFunction
        #endif
    }

    /// The path of an open directory; `nil` if the kernel does not report it, or the directory was removed.
    static func path(of directory: FileDescriptor) -> String? {
        #if os(Linux)
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(directory.rawValue)", &text, text.count)
        let bytes = text.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        guard count > 0, count < text.count, let path = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return path.hasPrefix("/") && !path.hasSuffix(" (deleted)") ? path : nil
        #else
        return nil
        #endif
    }

    /// Removes a name that is not a directory's.
    static func unlink(_ name: String, in directory: FileDescriptor) throws(Errno) {
        _ = try retrying { name.withCString { unlinkat(directory.rawValue, $0, 0) } }
    }

    /// Creates a directory for this user only.
    ///
    /// - Returns: `false` when the name is taken.
    static func makePrivateDirectory(_ path: String) throws(Errno) -> Bool {
        do {
            _ = try retrying { path.withCString { mkdir($0, 0o700) } }
            return true
        } catch {
            guard error == .fileExists else { throw error }
            return false
        }
    }

    /// The names in a directory, in any order, without `.` and `..`.
    static func names(in directory: FileDescriptor) throws(Errno) -> [String] {
        // A directory that is opened again is read from its beginning.
        let raw = try retrying { openat(directory.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        guard let stream = fdopendir(raw) else {
            let error = Errno(rawValue: errno)
            close(FileDescriptor(rawValue: raw))
            throw error
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
