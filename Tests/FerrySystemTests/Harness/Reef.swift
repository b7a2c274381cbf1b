import Foundation

/// Runs ferry so that one of its system calls on files comes to grief: the program is `Tests/Reef/reef.c`.
struct Reef: Sendable {
    /// What the chosen call meets.
    enum Blow: Hashable, Sendable, CustomStringConvertible {
        /// The process is killed, and the call has done nothing.
        case killBefore
        /// The process is killed, and the call has done all of it.
        case killAfter
        /// The call fails with this number and has done nothing.
        case error(Int32)

        var description: String {
            switch self {
            case .killBefore: "killed before"
            case .killAfter: "killed after"
            case .error(let number): "error \(number) (\(String(cString: strerror(number)))) at"
            }
        }

        fileprivate var words: [String] {
            switch self {
            case .killBefore: ["--kill", "before"]
            case .killAfter: ["--kill", "after"]
            case .error(let number): ["--error", "\(number)"]
            }
        }
    }

    /// Which call, counted from 1 over all threads; `nil` only counts.
    var point: Int?
    var blow = Blow.killBefore
    /// Whether calls count that only look.
    var countsLooks = false
    /// The only call that counts.
    var call: String?
    /// What the calls that count touch, or what lies beneath it; `nil` is all that is ferry's.
    var paths: [String]?
    /// No call counts before this file exists.
    var armedBy: String?

    static let path = Repository.built("reef")

    /// Whether a process may be followed on this machine.
    static let isPassable: Bool = {
        let launch = Launch(
            executable: path,
            arguments: ["--", "/bin/true"],
            environment: [:],
            directory: "/"
        )
        guard let pid = try? launch.spawn(outputTo: "/dev/null", errorsTo: "/dev/null") else { return false }
        var status: Int32 = 0
        return waitpid(pid, &status, 0) == pid && status == 0
    }()

    fileprivate func words(_ paths: [String], log: String) -> [String] {
        var words = (self.paths ?? paths).flatMap { ["--under", $0] } + ["--log", log]
        if countsLooks { words.append("--all") }
        if let call { words += ["--call", call] }
        if let armedBy { words += ["--armed-by", armedBy] }
        if let point { words += ["--at", "\(point)"] + blow.words }
        return words
    }
}

/// What a ``Reef`` has counted so far.
struct ReefLog: Sendable {
    let path: String

    /// Each call as `name path`, in order.
    var calls: [String] {
        lines.map { line in String(line.drop { $0 != " " }.dropFirst().replacing(" <-", with: "")) }
    }

    /// The call that came to grief; `nil` when it was never reached.
    var struck: String? {
        lines.last { $0.hasSuffix(" <-") }.map(String.init)
    }

    private var lines: [Substring] {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
            .split(separator: "\n")
    }
}

extension Sandbox {
    /// Starts ferry on a reef.
    func launch(
        _ line: [String],
        on reef: Reef,
        environment: [String: String] = [:]
    ) throws -> (process: ChildProcess, log: ReefLog) {
        let log = ReefLog(path: "\(root)/reef-\(UUID().uuidString)")
        let words = reef.words([workingDirectory, data], log: log.path) + ["--", Repository.ferry] + line
        return (try launch(executable: Reef.path, words, environment: environment), log)
    }
}
