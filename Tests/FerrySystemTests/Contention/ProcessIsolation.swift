import Foundation
import Glibc
import Testing

/// How the processes that share one queue are isolated from each other.
enum ProcessIsolation: Sendable, CustomTestStringConvertible {
    /// The processes see each other.
    case processes
    /// The processes are services in containers, each with its own process numbers. They share the data directory.
    case containers

    /// The isolations to test: the one that FERRY_CONTENTION_ISOLATION names, or else both.
    static var chosen: [ProcessIsolation] {
        switch ProcessInfo.processInfo.environment["FERRY_CONTENTION_ISOLATION"] {
        case "processes": [.processes]
        case "containers": [.containers]
        default: Tool.canSeparateProcesses ? [.processes, .containers] : [.processes]
        }
    }

    var testDescription: String { self == .processes ? "processes" : "containers" }

    /// Starts a process that works on the queue.
    func launch(in sandbox: Sandbox) throws -> ChildProcess {
        let slots = "\(ContentionTests.slots)"
        return switch self {
        case .processes: try sandbox.launch(["run", "-q", "-j", slots])
        case .containers: try sandbox.launchInContainer(["run", "--forever", "-q", "-j", slots])
        }
    }

    /// Sends a signal to such a process.
    func send(_ signal: Int32, to process: ChildProcess) async throws {
        switch self {
        case .processes: process.send(signal)
        case .containers: try await process.sendInside(signal)
        }
    }

    /// Starts to list the store from one more container.
    func look(in sandbox: Sandbox) throws -> [ChildProcess] {
        guard self == .containers else { return [] }
        return [try sandbox.launchInContainer(["list", "--json"])]
    }

    /// Waits until all transfers are completed, and ends all processes.
    func end(_ running: [ChildProcess], in sandbox: Sandbox) async throws {
        if self == .containers {
            try await sandbox.transfersBecome("completed") { $0.allSatisfy { $0.state == "completed" } }
            for process in running { try await process.sendInside(SIGTERM) }
        }
        for process in running { try await process.outcome().expect(0) }
    }
}

extension Sandbox {
    /// Starts ferry as process 1 of new PID and mount namespaces.
    func launchInContainer(_ arguments: [String]) throws -> ChildProcess {
        try launch(
            executable: try Tool.unshare.requiredPath(),
            ["--pid", "--fork", "--kill-child", "--mount-proc", Repository.ferry] + arguments
        )
    }
}

extension ChildProcess {
    /// Sends a signal to the process inside the container.
    func sendInside(_ signal: Int32) async throws {
        var child: pid_t?
        try await Deadline.wait(for: "a process in the container") {
            let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
            child = text?.split(separator: " ").first.flatMap { pid_t($0) }
            guard let child, let line = FileManager.default.contents(atPath: "/proc/\(child)/cmdline") else {
                return hasEnded
            }
            // Before that, the process is still the program that makes the container.
            return String(decoding: line, as: UTF8.self).hasPrefix(Repository.ferry)
        }
        if let child, !hasEnded { _ = kill(child, signal) }
    }
}

extension Tool {
    /// Whether this machine lets the tests make PID namespaces.
    static let canSeparateProcesses: Bool = {
        guard let path = unshare.path else { return false }
        let arguments = ["--pid", "--fork", "--mount-proc", "/bin/true"]
        return Launch(executable: path, arguments: arguments, environment: [:], directory: "/").succeeds
    }()
}
