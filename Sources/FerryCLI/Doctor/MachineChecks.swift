import Ferry
import FerryFrontend
import Glibc

/// The checks of `ferry doctor` that do not open the store.
enum MachineChecks {
    /// Minimum free space for the store, in bytes.
    static let leastFree: UInt64 = 64 << 20

    /// Checks the settings file.
    static func settings(_ file: SettingsFile?, _ failure: CommandFailure?) -> [CheckReport] {
        if let failure { return [.problem("settings", failure.message, hint: failure.hint)] }
        guard let file, file.isThere else { return [] }
        return [.ok("settings", file.path)]
    }

    /// Checks the data directory and the files in it.
    static func dataDirectory(_ path: String) -> [CheckReport] {
        let subject = "data directory"
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else {
                return [.problem(subject, "\(path): \(String(cString: strerror(errno)))")]
            }
            return [.note(subject, "\(path) does not exist yet; the first download creates it")]
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return [
                .problem(subject, "\(path) is not a directory", hint: "Choose another one with --data-dir.")
            ]
        }
        var reports: [CheckReport] = []
        if status.st_uid != geteuid() {
            reports.append(
                .problem(
                    subject,
                    "\(path) belongs to another user",
                    hint: "Choose another one with --data-dir."
                )
            )
        } else if status.st_mode & 0o077 != 0 {
            reports.append(
                .problem(
                    subject,
                    "\(path) is open to others (mode \(String(status.st_mode & 0o777, radix: 8)))",
                    hint: "Fix it with `chmod 700 \(path)`."
                )
            )
        } else if access(path, R_OK | W_OK | X_OK) != 0 {
            reports.append(.problem(subject, "\(path): \(String(cString: strerror(errno)))"))
        } else {
            reports.append(.ok(subject, path))
        }
        reports += lock(path + "/ferry.lock")
        reports += ownerLocks(path + "/ferry.owners")
        reports.append(freeSpace(path))
        return reports
    }

    /// Checks the download directory of the settings; does nothing if they name none.
    static func downloads(_ path: String?, _ environment: ProcessEnvironment) -> [CheckReport] {
        guard let path else { return [] }
        let subject = "directory"
        let place = environment.absolutePath(path)
        var status = stat()
        guard stat(place, &status) == 0, access(place, W_OK | X_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            return [
                .problem(subject, "\(place): \(reason)", hint: "`ferry config` shows which setting names it.")
            ]
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return [
                .problem(
                    subject,
                    "\(place) is not a directory",
                    hint: "`ferry config` shows which setting names it."
                )
            ]
        }
        return [.ok(subject, place)]
    }

    private static func lock(_ path: String) -> [CheckReport] {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [] }
            return [.problem("lock", "\(path): \(String(cString: strerror(errno)))")]
        }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return [.ok("lock", "available")] }
        guard errno == EWOULDBLOCK else {
            return [
                .problem(
                    "lock",
                    "this file system does not support locks: \(String(cString: strerror(errno)))",
                    hint: "Choose a directory on a local disk with --data-dir."
                )
            ]
        }
        return [.note("lock", "another process is writing now")]
    }

    /// Checks that the lock file of processes, if it exists, is a regular file.
    private static func ownerLocks(_ path: String) -> [CheckReport] {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return [] }
        return [
            .problem(
                "locks of processes",
                "\(path) is not a regular file; no transfer can run",
                hint: "Remove it; ferry creates a new one."
            )
        ]
    }

    private static func freeSpace(_ path: String) -> CheckReport {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else {
            return .problem("free space", String(cString: strerror(errno)))
        }
        let (free, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize)
        )
        let bytes = Int64(clamping: overflow ? .max : free)
        let text = "\(ByteCount(bytes).formatted) beside the store"
        return free < leastFree && !overflow
            ? .problem(
                "free space",
                text,
                hint: "Free some space; progress cannot be recorded on a full disk."
            )
            : .ok("free space", text)
    }

    /// Checks the proxies and passwords of the environment; shows only whether there are secrets.
    static func network(_ environment: ProcessEnvironment) -> [CheckReport] {
        [proxies(environment), passwords(environment)]
    }

    private static func proxies(_ environment: ProcessEnvironment) -> CheckReport {
        do {
            let proxies = try ProxyEnvironment(environment.variables)
            let parts = [("http", proxies.http), ("https", proxies.https)].compactMap { scheme, proxy in
                proxy.map { "\(scheme) through \($0)" + ($0.credentials == nil ? "" : " with credentials") }
            }
            guard !parts.isEmpty else { return .ok("proxy", "none; connections are direct") }
            let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"]
            return .note(
                "proxy",
                (parts + (exceptions.map { ["not for \($0)"] } ?? [])).joined(separator: ", ")
            )
        } catch {
            return .problem("proxy", error.description, hint: "Correct the variable.")
        }
    }

    private static func passwords(_ environment: ProcessEnvironment) -> CheckReport {
        do {
            let file = try NetrcFile(path: nil, environment: environment)
            if let warning = file.warning { return .problem("passwords", warning) }
            return .ok("passwords", file.isPresent ? "~/.netrc is used" : "no ~/.netrc")
        } catch {
            return .problem("passwords", error.message, hint: error.hint)
        }
    }
}
