import Foundation
import Glibc
import Synchronization

/// A process that a test started. It is signalled and reaped by its own number only.
///
/// Its output goes to files, so that no pipe can fill up and the test needs no reader.
final class ChildProcess: Sendable {
    let pid: pid_t
    let commandLine: String
    private let outputPath: String
    private let errorPath: String
    private let life: Life
    private let reaping: Task<Exit, Never>

    /// Guards the process number: after the process is reaped, another process may have the number.
    private final class Life: Sendable {
        let isOver = Mutex(false)
        let isOverdue = Flag()
    }

    /// How a process ended.
    enum Exit: Hashable, Sendable {
        case status(Int32)
        case signal(Int32)
    }

    init(_ launch: Launch, outputTo outputPath: String, errorsTo errorPath: String) throws {
        pid = try launch.spawn(outputTo: outputPath, errorsTo: errorPath)
        commandLine = ([launch.executable] + launch.arguments).joined(separator: " ")
        self.outputPath = outputPath
        self.errorPath = errorPath
        let life = Life()
        self.life = life
        let pid = pid
        reaping = Task {
            await withCheckedContinuation { continuation in
                // Waits in a new thread, because the wait would block one of the few threads that run the tests.
                Thread.detachNewThread { continuation.resume(returning: Self.reap(pid, life)) }
            }
        }
    }

    private static func reap(_ pid: pid_t, _ life: Life) -> Exit {
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        var status: Int32 = 0
        life.isOver.withLock { isOver in
            waitpid(pid, &status, 0)
            isOver = true
        }
        let number = status & 0x7F
        return number == 0 ? .status((status >> 8) & 0xFF) : .signal(number)
    }

    /// Waits for its end, and kills it after `limit`.
    func outcome(within limit: Duration = Deadline.limit) async throws -> Outcome {
        let exit = await withTaskGroup(of: Exit?.self) { group in
            group.addTask { [reaping] in await reaping.value }
            group.addTask { [life, pid] in
                // A cancelled test ends the process that it waits for.
                let isLate = await Deadline.passes(after: limit)
                life.isOver.withLock { isOver in
                    guard !isOver else { return }
                    if isLate { life.isOverdue.set() }
                    _ = kill(pid, SIGKILL)
                }
                return nil
            }
            var exit: Exit?
            for await value in group {
                guard let value else { continue }
                exit = value
                group.cancelAll()
            }
            return exit
        }
        let outcome = Outcome(
            exit: exit ?? .signal(0),
            output: read(outputPath),
            errors: read(errorPath),
            commandLine: commandLine
        )
        if life.isOverdue.isSet {
            throw Overdue(what: commandLine, after: limit, said: outcome.errors + outcome.output)
        }
        return outcome
    }

    /// Sends a signal, or does nothing if the process has ended.
    func send(_ signal: Int32) {
        life.isOver.withLock { isOver in
            if !isOver { _ = kill(pid, signal) }
        }
    }

    /// Whether it has ended.
    var hasEnded: Bool { life.isOver.withLock { $0 } }

    /// Kills it if it is still running, and waits for its end.
    func end() async {
        send(SIGKILL)
        _ = await reaping.value
    }

    /// What it has written to standard output and standard error so far.
    var outputSoFar: String { read(outputPath) }
    var errorsSoFar: String { read(errorPath) }

    private func read(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// How many bytes it has written to files, sockets and terminals together; `nil` after its end.
    var bytesWritten: Int? { number(after: "wchar:", in: "io") }

    /// Its peak memory so far, in bytes; `nil` after its end.
    ///
    /// The value of `wait4` is of no use. It includes the memory before `exec`, which was the memory of the tests.
    var peakMemory: Int? { number(after: "VmHWM:", in: "status").map { $0 * .kibibyte } }

    private func number(after label: String, in file: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/\(file)", encoding: .utf8) else {
            return nil
        }
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(label) }) else { return nil }
        return line.split { !$0.isNumber }.first.flatMap { Int($0) }
    }
}

/// The exit status and the output of a process.
struct Outcome: Sendable {
    var exit: ChildProcess.Exit
    var output: String
    var errors: String
    var commandLine: String

    /// The exit status; 128 plus the signal's number if a signal ended the process, as in a shell.
    var status: Int32 {
        switch exit {
        case .status(let status): status
        case .signal(let number): 128 + number
        }
    }
}

/// The error of a wait that took too long.
struct Overdue: Error, CustomStringConvertible {
    var what: String
    var after: Duration
    var said = ""

    var description: String { "Not within \(after): \(what)\n\(said)" }
}
