import Foundation

/// A fault at one of ferry's system calls on files. `Tests/FaultInjector/fault-injector.c` injects it.
struct FaultInjection: Sendable {
    /// What happens at the chosen call.
    enum Fault: Hashable, Sendable, CustomStringConvertible {
        /// The process is killed before the call does anything.
        case killBefore
        /// The process is killed after the call.
        case killAfter
        /// The call fails with this error number and does nothing.
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

    /// The number of the call, counted from 1 over all threads. `nil` counts the calls and injects no fault.
    var point: Int?
    var fault = Fault.killBefore
    /// Whether calls that change nothing count as well.
    var countsLooks = false
    /// The name of the only call that counts; `nil` for all calls.
    var call: String?
    /// Only calls on these paths, or on paths below them, count. `nil` stands for ferry's working and data directories.
    var paths: [String]?
    /// Calls count only after this file exists.
    var armedBy: String?

    static let path = Repository.built("fault-injector")

    /// Whether a process may be traced on this machine.
    static let isAllowed =
        Launch(executable: path, arguments: ["--", "/bin/true"], environment: [:], directory: "/").succeeds

    fileprivate func words(_ paths: [String], log: String) -> [String] {
        var words = (self.paths ?? paths).flatMap { ["--under", $0] } + ["--log", log]
        if countsLooks { words.append("--all") }
        if let call { words += ["--call", call] }
        if let armedBy { words += ["--armed-by", armedBy] }
        if let point { words += ["--at", "\(point)"] + fault.words }
        return words
    }
}

/// The calls that a ``FaultInjection`` has counted so far.
struct FaultLog: Sendable {
    let path: String

    /// Each call as `name path`, in order.
    var calls: [String] {
        lines.map { line in String(line.drop { $0 != " " }.dropFirst().replacing(" <-", with: "")) }
    }

    /// The call at which the fault was injected; `nil` if that call was never reached.
    var faultedCall: String? {
        lines.last { $0.hasSuffix(" <-") }.map(String.init)
    }

    private var lines: [Substring] {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
            .split(separator: "\n")
    }
}

extension Sandbox {
    /// Starts ferry under the fault injector.
    func launch(
        _ line: [String],
        injecting injection: FaultInjection,
        environment: [String: String] = [:]
    ) throws -> (process: ChildProcess, log: FaultLog) {
        let log = FaultLog(path: "\(root)/faults-\(UUID().uuidString)")
        let words =
            injection.words([workingDirectory, data], log: log.path) + ["--", Repository.ferry] + line
        return (try launch(executable: FaultInjection.path, words, environment: environment), log)
    }
}
