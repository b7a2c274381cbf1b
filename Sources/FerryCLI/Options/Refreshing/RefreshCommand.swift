import CFerryPlatform
import Dispatch
import Ferry
import Glibc
import Synchronization

/// A shell command that prints a fresh URL.
///
/// It gets the old URL in its environment, which other users cannot read, unlike arguments. Its output is shown
/// nowhere: both may be secrets (I7).
struct RefreshCommand: Sendable {
    /// The command line.
    var line: String
    /// Its time limit.
    var limit: Duration = .seconds(60)

    /// Maximum length of its output, in bytes.
    static let longestAnswer = 64 * 1024

    /// Why there is no fresh URL.
    enum Failure: Error, Hashable, Sendable {
        /// The command could not be started, or its output not be read.
        case notRun(Int32)
        /// It took too long, and was killed.
        case tookTooLong
        /// The refresh was cancelled, and the command was killed.
        case cancelled
        /// It ended with a status other than 0.
        case failed
        /// Its output is not a URL.
        case noURL
    }

    /// Runs the command and reads the URL in the first line of its output. If the task is cancelled, the command is
    /// killed with everything that it has started.
    func freshURL(for id: TransferID, instead url: HTTPURL) async throws -> HTTPURL {
        let leash = Leash()
        let output = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<[UInt8], any Error>) in
                // On a thread that may block.
                DispatchQueue.global().async { continuation.resume(with: Result { try run(id, url, leash) }) }
            }
        } onCancel: {
            leash.pull()
        }
        guard let text = output.split(separator: UInt8(ascii: "\n")).first else { throw Failure.noURL }
        do {
            let word = String(decoding: text, as: UTF8.self)
            return try HTTPURL(parsing: String(word.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }))
        } catch {
            throw Failure.noURL
        }
    }

    /// Kills a command from another thread.
    private final class Leash: Sendable {
        private struct State {
            var command: (pid: pid_t, output: Int32)?
            var isPulled = false
        }

        private let state = Mutex(State())

        /// Whether the command must end.
        var isPulled: Bool { state.withLock { $0.isPulled } }

        /// Kills the command and everything that it has started, and ends the reading of its output.
        func pull() {
            state.withLock { state in
                state.isPulled = true
                if let command = state.command { Self.end(command) }
            }
        }

        /// Notes that a command runs. It leads its own process group.
        func tie(_ pid: pid_t, _ output: Int32) {
            state.withLock { state in
                state.command = (pid, output)
                if state.isPulled { Self.end((pid, output)) }
            }
        }

        /// Must be called before the process ID or the descriptor can be reused.
        func untie() { state.withLock { $0.command = nil } }

        private static func end(_ command: (pid: pid_t, output: Int32)) {
            kill(-command.pid, SIGKILL)
            // It may have started a process that left its group and keeps the output open.
            shutdown(command.output, Int32(SHUT_RDWR))
        }
    }

    private func run(_ id: TransferID, _ url: HTTPURL, _ leash: Leash) throws(Failure) -> [UInt8] {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        // Not a pipe: another command that is started meanwhile would inherit its end.
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .notRun(errno) }
        defer { close(ends[0]) }
        let pid: pid_t
        do throws(Failure) {
            pid = try start(id, url, output: ends[1])
        } catch {
            close(ends[1])
            throw error
        }
        close(ends[1])
        leash.tie(pid, ends[0])
        let end = ContinuousClock.now + limit
        do throws(Failure) {
            let output = try read(ends[0], of: pid, until: end)
            leash.untie()
            guard reap(pid) == 0 else { throw leash.isPulled ? .cancelled : .failed }
            return output
        } catch {
            leash.untie()
            // With everything that it has started: it leads its own process group.
            if error != .failed, error != .cancelled {
                kill(-pid, SIGKILL)
                _ = reap(pid)
            }
            throw leash.isPulled ? .cancelled : error
        }
    }

    private func start(_ id: TransferID, _ url: HTTPURL, output: Int32) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        // Some libraries leave their descriptors open for child processes.
        let closing = ferry_spawn_close_from(&actions, STDERR_FILENO + 1)
        guard closing == 0 else { throw .notRun(closing) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var every = sigset_t()
        sigemptyset(&none)
        sigfillset(&every)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &every)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags =
            Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(&attributes, flags)

        var variables = ProcessEnvironment.currentVariables()
        variables["FERRY_ID"] = "\(id)"
        variables["FERRY_URL"] = url.absoluteString
        var words: [UnsafeMutablePointer<CChar>?] = ["sh", "-c", line].map { (word: String) in
            strdup(word)
        }
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") }
        defer { for pointer in words + environment { free(pointer) } }
        words.append(nil)
        environment.append(nil)

        var pid: pid_t = 0
        let problem = posix_spawn(&pid, "/bin/sh", &actions, &attributes, words, environment)
        guard problem == 0 else { throw .notRun(problem) }
        return pid
    }

    /// Interval of checking whether a silent command has ended, in milliseconds.
    private static let lookingInterval: Int32 = 10

    /// The output of the command until it has ended; throws if it is too long. Processes that it has started may keep
    /// the output open; this does not wait for them.
    private func read(
        _ descriptor: Int32,
        of pid: pid_t,
        until end: ContinuousClock.Instant
    ) throws(Failure) -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isOpen = true
        while output.count < Self.longestAnswer {
            // In this order, so that output from before its end is not missed.
            let hasEnded = try hasEnded(pid)
            var entry = pollfd(fd: isOpen ? descriptor : -1, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, hasEnded ? 0 : Self.lookingInterval)
            if ready < 0, errno != EINTR { throw .notRun(errno) }
            if ready > 0 {
                let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
                if count > 0 { output += buffer.prefix(count) }
                if count < 0, errno != EINTR { throw .notRun(errno) }
                if count == 0 { isOpen = false }
            } else if hasEnded {
                return output
            }
            guard ContinuousClock.now < end else { throw .tookTooLong }
        }
        throw .noURL
    }

    /// Whether the command has ended; leaves its status to be collected.
    private func hasEnded(_ pid: pid_t) throws(Failure) -> Bool {
        while true {
            var information = siginfo_t()
            if waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0 {
                // The structure stays empty while the command runs.
                return information.si_signo == SIGCHLD
            }
            guard errno == EINTR else { throw .notRun(errno) }
        }
    }

    private func reap(_ pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        return status
    }
}
