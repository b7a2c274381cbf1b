#if os(Linux)
package import FerryCore
internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The machine and its processes on Linux: `/proc`, and the locks by which owners of a store prove that they are alive.
///
/// A process number is valid in one PID namespace. So a container that shares a store cannot look up numbers
/// of the host or of another container. A lock is visible to all.
package struct LinuxHostInspector: HostInspector {
    /// The kernel's random identifier of this boot.
    package let boot: BootID
    /// This process.
    package let currentProcess: ProcessIdentity
    private let locks: OwnerLocks
    /// Whether this `/proc` shows the processes of every PID namespace.
    private let seesAll: Bool

    /// The number of the kernel's initial namespace, which contains all others (`PROC_PID_INIT_INO`).
    private static let initialNamespace: UInt64 = 0xEFFF_FFFC

    /// Reads the facts of the machine and of this process.
    ///
    /// - Parameter directory: the data directory of the store whose owners are checked.
    /// - Throws: ``StorageProblem`` with `cannotOpen` when `/proc` is not mounted or cannot be read. There is
    ///   no other source. A guessed boot could mean trusting bytes that are lost (I2).
    package init(directory: String) throws(StorageProblem) {
        try self.init(directory: directory, initialNamespace: Self.initialNamespace)
    }

    /// Reads them as if the kernel's initial namespace were `initialNamespace`; for tests.
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
            // The `/proc` of another namespace has other numbers.
            namespace: status.pid == pid ? Self.namespace : 0
        )
        seesAll = currentProcess.namespace == initialNamespace
        locks = OwnerLocks(directory: directory)
    }

    /// This process with a lock. The kernel drops the lock when the process ends, in whatever way.
    package func enrol() async throws(StoreError) -> ProcessIdentity {
        var process = currentProcess
        process.seat = try await locks.take()
        return process
    }

    /// Gives up the lock.
    package func resign() {
        locks.release()
    }

    /// Whether exactly that process still runs, or is stopped.
    ///
    /// Its lock decides. If the lock cannot be checked, because the lock file was removed or the file system
    /// has no locks, these rules apply:
    /// - A process of this PID namespace is looked up in `/proc`.
    /// - In the initial namespace, a process of another one is dead when no process in `/proc` can be it.
    /// - A process of another boot is dead if it was of this PID namespace, or if the file system has no
    ///   locks: then only the boot shows a restart. Otherwise it may be alive in a container that shows its own boot.
    ///
    /// A process not proven dead is `unproved`: two owners would be worse than a transfer that waits (I4).
    package func life(of process: ProcessIdentity) -> Life {
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

    /// Whether that process is alive according to `/proc`: it is listed with that start time and is not a zombie.
    ///
    /// A different start time means another process only if both use the same clock, because a time namespace
    /// has its own. If nothing can be read, because `/proc` hides other users' processes, it counts as alive.
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

    /// Whether that process is certainly in this process's time namespace.
    private static func sharesClock(with pid: Int32) -> Bool {
        var (here, there) = (stat(), stat())
        // A kernel without time namespaces has one clock for all.
        guard stat("/proc/self/ns/time", &here) == 0 else { return true }
        return stat("/proc/\(pid)/ns/time", &there) == 0 && here.st_ino == there.st_ino
            && here.st_dev == there.st_dev
    }

    /// The number of this process's PID namespace; 0 when the kernel does not report it.
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
            .permanent(.cannotOpen, "Cannot read \(path). Ferry needs /proc to be mounted."),
            errno: errno
        )
    }

    /// The whole content of a small kernel file, which must be read in one call.
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
