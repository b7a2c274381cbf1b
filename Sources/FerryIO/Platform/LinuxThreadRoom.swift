#if os(Linux)
internal import FerryCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What Linux reports about the threads that this process may still start: the limit of its user, and its control groups.
enum LinuxThreadRoom {
    /// The directory of all control groups, where systems mount it.
    private static let mount = "/sys/fs/cgroup"
    /// The number of the kernel's initial namespace of control groups, which contains all others (`PROC_CGROUP_INIT_INO`).
    private static let initialNamespace: UInt64 = 0xEFFF_FFFB

    /// Reads it.
    static func read() -> ThreadRoom {
        ThreadRoom(userLimit: userLimit(), groups: groups())
    }

    private static func userLimit() -> Int? {
        var limits = rlimit()
        #if canImport(Glibc)
        let result = getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limits)
        #else
        let result = getrlimit(RLIMIT_NPROC, &limits)
        #endif
        return result == 0 ? Int(clamping: limits.rlim_cur) : nil
    }

    /// The limited groups; `nil` if one of them cannot be read.
    private static func groups() -> [ThreadRoom.Group]? {
        // Any other namespace, such as that of a container, hides the parents of its own group.
        var namespace = stat()
        guard stat("/proc/self/ns/cgroup", &namespace) == 0,
            UInt64(namespace.st_ino) == initialNamespace,
            let directories = directories(in: contents(of: "/proc/self/cgroup"))
        else { return nil }
        var groups: [ThreadRoom.Group] = []
        for directory in directories {
            let line = contents(of: "\(mount)/\(directory)/pids.max")
            if line.elementsEqual("max\n".utf8) { continue }
            guard let limit = number(in: line),
                let tasks = number(in: contents(of: "\(mount)/\(directory)/pids.current"))
            else { return nil }
            groups.append(ThreadRoom.Group(limit: limit, tasks: tasks))
        }
        return groups
    }

    /// The directories of the group that counts the threads of a process, and of its parents, below that of all groups. The
    /// root is not among them: it has no limit.
    ///
    /// - Parameter text: `/proc/self/cgroup`. A line is `8:pids:/a/b` in version 1, and `0::/a/b` in version 2
    ///   (cgroups(7)).
    /// - Returns: `nil` if the text names no such group.
    static func directories(in text: [UInt8]) -> [String]? {
        // Behind the last line break is nothing, or a part of a line.
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            .map { $0.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false) }
            .filter { $0.count == 3 }
        let controller = lines.first { line in
            line[1].split(separator: UInt8(ascii: ",")).contains { $0.elementsEqual("pids".utf8) }
        }
        guard let path = (controller ?? lines.first { $0[1].isEmpty })?[2] else { return nil }
        var directories: [String] = []
        var directory = controller == nil ? "" : "pids/"
        for name in path.split(separator: UInt8(ascii: "/")) {
            directory += String(decoding: name, as: UTF8.self)
            directories.append(directory)
            directory += "/"
        }
        return directories
    }

    private static func number(in line: [UInt8]) -> Int? {
        UInt32(String(decoding: line.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)).map { Int($0) }
    }

    /// The content of a small file of the kernel; nothing if it cannot be read.
    private static func contents(of path: String) -> [UInt8] {
        do {
            return try LinuxHostInspector.contents(of: path)
        } catch {
            return []
        }
    }
}
#endif
