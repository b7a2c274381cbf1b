import Dispatch
import Ferry
import Glibc

/// A line of shell that prints a fresh URL.
///
/// The old URL goes to it by its environment, where other users cannot read it as they can read arguments, and what it
/// prints is shown nowhere: both may be secrets (I7).
struct RefreshCommand: Sendable {
    /// The line.
    var line: String
    /// How long it may take.
    var limit: Duration = .seconds(60)

    /// The most that it may print, in bytes.
    static let longestAnswer = 64 * 1024

    /// Why there is no fresh URL.
    enum Failure: Error, Hashable, Sendable {
        /// It could not be started, or not be read.
        case notRun(Int32)
        /// It took too long, and was ended.
        case tookTooLong
        /// It ended otherwise than with 0.
        case failed
        /// What it printed is no URL.
        case noURL
    }

    /// Runs the line and reads the URL in the first line that it prints.
    func freshURL(for id: TransferID, instead url: HTTPURL) async throws -> HTTPURL {
        let output = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<[UInt8], any Error>) in
            // On a thread that may wait for the command.
            DispatchQueue.global().async { continuation.resume(with: Result { try run(id, url) }) }
        }
        guard let text = output.split(separator: UInt8(ascii: "\n")).first else { throw Failure.noURL }
        do {
            let word = String(decoding: text, as: UTF8.self)
            return try HTTPURL(parsing: String(word.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }))
        } catch {
            throw Failure.noURL
        }
    }

    private func run(_ id: TransferID, _ url: HTTPURL) throws(Failure) -> [UInt8] {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        // Not a pipe: another command that is started meanwhile would keep its end.
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
        let end = ContinuousClock.now + limit
        do throws(Failure) {
            let output = try read(ends[0], until: end)
            guard try status(of: pid, until: end) == 0 else { throw .failed }
            return output
        } catch {
            // With all that it has started: it is the leader of a group of its own.
            if error != .failed {
                kill(-pid, SIGKILL)
                reap(pid)
            }
            throw error
        }
    }

    private func start(_ id: TransferID, _ url: HTTPURL, output: Int32) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)

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

        var variables = ProcessEnvironment.current().variables
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

    /// All that comes until the command closes its output, or longer than is believed.
    private func read(
        _ descriptor: Int32,
        until end: ContinuousClock.Instant
    ) throws(Failure) -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while output.count < Self.longestAnswer {
            let left = max(.zero, end - ContinuousClock.now)
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, Int32(clamping: left.wholeMilliseconds))
            if ready == 0 { throw .tookTooLong }
            if ready < 0 {
                if errno == EINTR { continue }
                throw .notRun(errno)
            }
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return output }
            if count > 0 { output += buffer.prefix(count) }
            if count < 0, errno != EINTR { throw .notRun(errno) }
        }
        throw .noURL
    }

    private func status(of pid: pid_t, until end: ContinuousClock.Instant) throws(Failure) -> Int32 {
        var status: Int32 = 0
        while true {
            switch waitpid(pid, &status, WNOHANG) {
            case pid: return status
            case 0:
                // It has closed its output, and so is about to end.
                guard ContinuousClock.now < end else { throw .tookTooLong }
                poll(nil, 0, 5)
            default:
                guard errno == EINTR else { throw .notRun(errno) }
            }
        }
    }

    private func reap(_ pid: pid_t) {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
    }
}
