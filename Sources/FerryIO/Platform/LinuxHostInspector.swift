#if os(Linux)
public import FerryCore
internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What Linux tells of the machine and its processes in `/proc`.
///
/// Process numbers hold within one PID namespace: containers that share a store need a namespace in common, or
/// each takes the other's processes for dead.
public struct LinuxHostInspector: HostInspector {
    /// The kernel's random identifier of this boot.
    public let boot: BootID
    /// This process.
    public let currentProcess: ProcessIdentity

    /// Looks at the machine and at this process.
    ///
    /// - Throws: ``StorageProblem`` with `cannotOpen` when `/proc` is not mounted or cannot be read. There is no
    ///   other source for it: to guess a boot would be to trust bytes that may be lost (I2).
    public init() throws(StorageProblem) {
        let bootPath = "/proc/sys/kernel/random/boot_id"
        let bootText = String(decoding: try Self.require(bootPath), as: UTF8.self)
        let trimmed = bootText.filter { !$0.isWhitespace }
        guard !trimmed.isEmpty else { throw Self.unreadable(bootPath, errno: 0) }
        boot = BootID(rawValue: trimmed)

        let pid = getpid()
        let statusPath = "/proc/\(pid)/stat"
        guard let status = ProcessStatus(parsing: try Self.require(statusPath)) else {
            throw Self.unreadable(statusPath, errno: 0)
        }
        currentProcess = ProcessIdentity(pid: pid, startTime: status.startTime, boot: boot)
    }

    /// Whether that very process still runs.
    ///
    /// A process of another boot does not, nor one that started at another time, nor a zombie. Where it cannot be
    /// told, because `/proc` hides other users' processes, it counts as alive: two owners would be worse than a
    /// transfer that waits (I4).
    public func isAlive(_ process: ProcessIdentity) -> Bool {
        guard process.boot == boot, process.pid > 0 else { return false }
        do {
            let text = try Self.contents(of: "/proc/\(process.pid)/stat")
            guard let status = ProcessStatus(parsing: text) else { return true }
            return status.startTime == process.startTime && status.isRunning
        } catch {
            guard error == .noSuchFileOrDirectory || error == .noSuchProcess else { return true }
            return kill(process.pid, 0) == 0 || Platform.lastError == .notPermitted
        }
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
    private static func contents(of path: String) throws(Errno) -> [UInt8] {
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
