#if os(Linux)
public import FerryCore
internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What Linux tells of the machine and its processes: `/proc`, and the locks by which owners of a store prove that they
/// live.
///
/// A process number is valid in one PID namespace, so a container that shares a store cannot look for the numbers of the
/// host or of another container. A lock is seen by all.
public struct LinuxHostInspector: HostInspector {
    /// The kernel's random identifier of this boot.
    public let boot: BootID
    /// This process.
    public let currentProcess: ProcessIdentity
    private let locks: OwnerLocks
    /// Whether `/proc` here has the processes of every PID namespace.
    private let seesAll: Bool

    /// The number of the namespace that the kernel starts with, in which all others are (`PROC_PID_INIT_INO`).
    private static let initialNamespace: UInt64 = 0xEFFF_FFFC

    /// Looks at the machine and at this process.
    ///
    /// - Parameter directory: the data directory of the store whose owners are asked about.
    /// - Throws: ``StorageProblem`` with `cannotOpen` when `/proc` is not mounted or cannot be read. There is no
    ///   other source for it: to guess a boot would be to trust bytes that may be lost (I2).
    public init(directory: String) throws(StorageProblem) {
        try self.init(directory: directory, initialNamespace: Self.initialNamespace)
    }

    /// Looks at the machine as if the kernel had started with that namespace.
    init(directory: String, initialNamespace: UInt64) throws(StorageProblem) {
        let bootPath = "/proc/sys/kernel/random/boot_id"
        let bootText = String(decoding: try Self.require(bootPath), as: UTF8.self)
        let trimmed = bootText.filter { !$0.isWhitespace }
        guard !trimmed.isEmpty else { throw Self.unreadable(bootPath, errno: 0) }
        boot = BootID(rawValue: trimmed)

        let statusPath = "/proc/self/stat"
        let text = try Self.require(statusPath)
        guard let status = ProcessStatus(parsing: text) else { throw Self.unreadable(statusPath, errno: 0) }
        let pid = getpid()
        currentProcess = ProcessIdentity(
            pid: pid,
            startTime: status.startTime,
            boot: boot,
            // A /proc of another namespace has other numbers.
            namespace: status.pid == pid ? Self.namespace : 0
        )
        seesAll = currentProcess.namespace == initialNamespace
        locks = OwnerLocks(directory: directory)
    }

    /// This process with a lock that the kernel drops at its end, however it ends.
    public func enrol() async throws(StoreError) -> ProcessIdentity {
        var process = currentProcess
        process.seat = try await locks.take()
        return process
    }

    /// Gives up the lock.
    public func resign() {
        locks.release()
    }

    /// Whether that very process still runs, or is stopped.
    ///
    /// Its lock decides. Where that cannot be told, because the file of locks was removed or the file system has none: one
    /// of this PID namespace is looked for in `/proc`, and in the initial namespace one of any other is dead when `/proc`
    /// has no process that can be it. A process of another boot is dead where it had the number of this PID namespace, and
    /// where the file system has no locks, as then the boot is all that tells of a restart of the machine; else it may live
    /// in a container that shows a boot of its own. What is not shown to be dead is `unproved`: two owners would be worse
    /// than a transfer that waits (I4).
    public func life(of process: ProcessIdentity) -> Life {
        switch locks.isHeld(process.seat) {
        case true?: return .alive
        case false?: return .dead
        case nil: break
        }
        guard process.pid > 0 else { return .dead }
        let isOfThisNamespace = process.namespace != 0 && process.namespace == currentProcess.namespace
        guard process.boot == boot else {
            return isOfThisNamespace || process.seat == nil ? .dead : .unproved
        }
        guard process.namespace != 0 else { return .unproved }
        guard isOfThisNamespace else {
            return seesAll && ProcessTable.lacks(process) ? .dead : .unproved
        }
        return listedLife(of: process)
    }

    /// What `/proc` says of that process: it lives when it is there with that start time, and not as a zombie.
    ///
    /// Another start time tells another process only where both are of one clock: a time namespace has its own. Where
    /// nothing can be told, because `/proc` hides other users' processes, it counts as alive.
    private func listedLife(of process: ProcessIdentity) -> Life {
        do {
            let text = try Self.contents(of: "/proc/\(process.pid)/stat")
            guard let status = ProcessStatus(parsing: text) else { return .alive }
            guard status.isRunning else { return .dead }
            if status.startTime == process.startTime { return .alive }
            return Self.sharesClock(with: process.pid) ? .dead : .unproved
        } catch {
            guard error == .noSuchFileOrDirectory || error == .noSuchProcess else { return .alive }
            return kill(process.pid, 0) == 0 || Platform.lastError == .notPermitted ? .alive : .dead
        }
    }

    /// Whether the process with that number is certain to be of this process's time namespace.
    private static func sharesClock(with pid: Int32) -> Bool {
        var (here, there) = (stat(), stat())
        // A kernel without time namespaces has one clock for all.
        guard stat("/proc/self/ns/time", &here) == 0 else { return true }
        return stat("/proc/\(pid)/ns/time", &there) == 0 && here.st_ino == there.st_ino
            && here.st_dev == there.st_dev
    }

    /// The number of this process's PID namespace; 0 when the kernel does not tell.
    private static var namespace: UInt64 {
        var status = stat()
        return stat("/proc/self/ns/pid", &status) == 0 ? UInt64(status.st_ino) : 0
    }

    private static func require(_ path: String) throws(StorageProblem) -> [UInt8] {
        do {
            return try contents(of: path)
        } catch {
            throw unreadable(path, errno: error.rawValue)
        }
    }

    private static func unreadable(_ path: String, errno: Int32) -> StorageProblem {
        StorageProblem(
            .permanent(.cannotOpen, "Cannot read \(path).", hint: "Ferry needs /proc to be mounted."),
            errno: errno
        )
    }

    /// The whole of one of the kernel's small files, which must be read in one call.
    static func contents(of path: String) throws(Errno) -> [UInt8] {
        let raw = try Platform.retrying { path.withCString { open($0, O_RDONLY | O_CLOEXEC) } }
        let descriptor = FileDescriptor(rawValue: raw)
        defer { Platform.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        var span = bytes.mutableSpan
        let count = try span.withUnsafeMutableBytes { (buffer) throws(Errno) in
            try Platform.retrying { read(raw, buffer.baseAddress, buffer.count) }
        }
        return Array(bytes.prefix(count))
    }
}
#endif
