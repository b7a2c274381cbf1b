import Dispatch
import Ferry
import Glibc
import Testing

@testable import FerryCLI

@Suite("A command that prints a fresh URL", .timeLimit(.minutes(10)))
struct RefreshCommandTests {
    private func answer(to line: String, within limit: Duration = .seconds(600)) async throws -> String {
        let old = try HTTPURL(parsing: "https://example.com/f?sig=1&b=$(x)")
        let command = RefreshCommand(line: line, limit: limit)
        return try await command.freshURL(for: TransferID(rawValue: 42), instead: old).absoluteString
    }

    @Test func itIsToldTheTransferAndTheOldURLByItsEnvironment() async throws {
        #expect(try await answer(to: "echo \"https://example.com/$FERRY_ID\"") == "https://example.com/42")
        #expect(
            try await answer(to: "echo \"$FERRY_URL&again\"") == "https://example.com/f?sig=1&b=$(x)&again"
        )
        #expect(try await answer(to: "printf '  http://a.example/x \\nmore\\n'") == "http://a.example/x")
    }

    @Test(arguments: ["true", "echo", "echo nothing", "printf '\\n\\n'", "echo ftp://a.example/"])
    func whatPrintsNoURLIsNoHelp(_ line: String) async throws {
        await #expect(throws: RefreshCommand.NoURL()) { try await answer(to: line) }
    }

    @Test func whatPrintsWithoutEndIsNoHelp() async throws {
        await #expect(throws: ShellCommand.Failure.outputTooLong) { try await answer(to: "yes x") }
    }

    @Test(
        arguments: [
            ("echo http://a.example/; false", .failed(status: 1)), ("exit 3", .failed(status: 3)),
            ("no-such-command-of-any-kind 2>&-", .failed(status: 127)), ("kill -9 $$", .killed(signal: 9)),
        ] as [(String, ShellCommand.Failure)]
    )
    func whatFailsIsNotBelieved(_ line: String, _ failure: ShellCommand.Failure) async throws {
        await #expect(throws: failure) { try await answer(to: line) }
    }

    @Test(arguments: ["sleep 300", "exec >&-; sleep 300"])
    func whatTakesTooLongIsEnded(_ line: String) async throws {
        await #expect(throws: ShellCommand.Failure.self) {
            try await answer(to: line, within: .milliseconds(50))
        }
    }

    @Test(arguments: ["sleep 300", "setsid sleep 20"])
    func itIsEndedWhenNoOneWaitsForItAnyMore(_ rest: String) async throws {
        let path = "/tmp/ferry-refresh-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let task = Task {
            // Lets the reader go that waits for a command which never wrote.
            defer { close(open(path, O_RDWR | O_NONBLOCK)) }
            return try await answer(to: "echo $$ > \(path); \(rest)", within: .seconds(600))
        }
        // Opening it to read returns when the command has opened it to write.
        let pid = try #require(
            await withCheckedContinuation { (continuation: CheckedContinuation<pid_t?, Never>) in
                DispatchQueue.global().async {
                    let file = fopen(path, "r")
                    defer { if let file { fclose(file) } }
                    var number: Int32 = 0
                    let isRead = file.map { readNumber($0, &number) } ?? false
                    continuation.resume(returning: isRead ? number : nil)
                }
            }
        )
        task.cancel()
        await #expect(throws: ShellCommand.Failure.cancelled) { try await task.value }
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
    }

    @Test func itIsNotWaitedForBeyondItsOwnEnd() async throws {
        let answer = try await answer(to: "sleep 300 & echo http://a.example/$!", within: .seconds(600))
        let pid = try #require(answer.split(separator: "/").last.flatMap { pid_t($0) })
        // A process that the command has started still runs, with the output open.
        #expect(kill(pid, SIGKILL) == 0)
    }

    @Test func itGetsNoDescriptorOfThisProcess() async throws {
        // One that would stay open, as those of some libraries do, with a number that no shell uses.
        let ends = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let descriptor = fcntl(ends, F_DUPFD, 500)
        defer {
            close(ends)
            close(descriptor)
        }
        try #require(descriptor >= 500)
        let line = "echo http://a.example/x$(readlink /proc/$$/fd/\(descriptor))"
        #expect(try await answer(to: line) == "http://a.example/x")
    }

    @Test func oneThatIsCancelledBeforeItBeginsEndsAsWell() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await answer(to: "sleep 300", within: .seconds(600))
        }
        await #expect(throws: ShellCommand.Failure.cancelled) { try await task.value }
    }
}

/// Reads a number in one line.
private func readNumber(_ file: UnsafeMutablePointer<FILE>, _ number: inout Int32) -> Bool {
    var line = [CChar](repeating: 0, count: 32)
    guard fgets(&line, Int32(line.count), file) != nil else { return false }
    number = atoi(line)
    return number > 0
}
