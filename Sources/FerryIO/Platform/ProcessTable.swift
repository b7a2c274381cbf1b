#if os(Linux)
internal import FerryCore
internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The processes of all PID namespaces, as `/proc` shows them in the initial one.
///
/// There, a container's process has another number. `NSpid` in `/proc/N/status` gives its number inside, and
/// `/proc/N/ns/pid` its namespace.
enum ProcessTable {
    /// Whether it is certain that no process has this number in this namespace.
    ///
    /// The start time is ignored, because a time namespace may change it. A process that cannot be read may be the one
    /// in question.
    static func lacks(_ process: ProcessIdentity) -> Bool {
        // If other users' processes are hidden, the first one is.
        guard numbers(of: 1) != nil, let directory = opendir("/proc") else { return false }
        defer { closedir(directory) }
        errno = 0
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let number = Int32(name), mayBe(process, number) { return false }
            errno = 0
        }
        return errno == 0
    }

    /// Whether the process with this number here may be the one with another number in its own namespace.
    private static func mayBe(_ process: ProcessIdentity, _ number: Int32) -> Bool {
        guard let numbers = numbers(of: number) else { return isThere(number) }
        guard numbers.count > 1, numbers.last == process.pid, mayRun(number) else { return false }
        var status = stat()
        guard stat("/proc/\(number)/ns/pid", &status) == 0 else { return isThere(number) }
        return UInt64(status.st_ino) == process.namespace
    }

    /// Whether it still runs and is not a zombie.
    private static func mayRun(_ number: Int32) -> Bool {
        do {
            let text = try LinuxHostInspector.contents(of: "/proc/\(number)/stat")
            return ProcessStatus(parsing: text)?.isRunning ?? true
        } catch {
            return isThere(number)
        }
    }

    private static func isThere(_ number: Int32) -> Bool {
        kill(number, 0) == 0 || Platform.lastError != .noSuchProcess
    }

    /// The numbers of a process, from the outermost namespace to its own; `nil` if they cannot be read.
    private static func numbers(of number: Int32) -> [Int32]? {
        do {
            return numbers(in: try LinuxHostInspector.contents(of: "/proc/\(number)/status"))
        } catch {
            return nil
        }
    }

    /// The numbers in `/proc/N/status`.
    static func numbers(in status: [UInt8]) -> [Int32]? {
        let field = Array("NSpid:".utf8)
        guard let line = status.split(separator: 0x0A).first(where: { $0.starts(with: field) }) else {
            return nil
        }
        let words = line.dropFirst(field.count).split { $0 == 0x20 || $0 == 0x09 }
        let numbers = words.compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
        return numbers.isEmpty || numbers.count < words.count ? nil : numbers
    }
}
#endif
