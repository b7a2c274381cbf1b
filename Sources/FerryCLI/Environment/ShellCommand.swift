import Glibc
import Subprocess
import SystemPackage

/// A line of shell that Ferry runs. Its output is shown only by a caller who knows that it is no secret (I7).
struct ShellCommand: Sendable {
    /// The command line.
    var line: String
    /// What is added to its environment, which other users cannot read, unlike arguments.
    var variables: [String: String] = [:]
    /// What it reads on its standard input.
    var input: [UInt8] = []
    /// Where its input is kept.
    var temporaryDirectory = "/tmp"
    /// Its time limit.
    var limit: Duration = .seconds(60)

    /// Maximum length of its output, in bytes.
    static let longestOutput = 64 * 1024

    /// Why there is no output.
    enum Failure: Error, Hashable, Sendable {
        /// The command could not be started, or its output not be read.
        case notRun
        /// It took too long, and was killed.
        case tookTooLong
        /// The task was cancelled, and the command was killed.
        case cancelled
        /// It ended with a status other than 0.
        case failed
        /// Its output is too long.
        case outputTooLong
    }

    /// Runs the command. If the task is cancelled, the command is killed with everything that it has started.
    func output() async throws -> [UInt8] {
        do {
            return try await withThrowingTaskGroup(of: [UInt8].self) { group in
                group.addTask { try await outputWithoutLimit() }
                group.addTask {
                    try await Task.sleep(for: limit)
                    throw Failure.tookTooLong
                }
                defer { group.cancelAll() }
                return try await group.next() ?? []
            }
        } catch {
            throw Task.isCancelled ? Failure.cancelled : error
        }
    }

    /// The output of the command. It leads its own process group and inherits no descriptor but standard error. Processes
    /// that it has started may keep the output open; this does not wait for them.
    private func outputWithoutLimit() async throws -> [UInt8] {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)
        ]
        var added: [Environment.Key: String?] = [:]
        for (name, value) in variables { added[Environment.Key(stringLiteral: name)] = value }
        do {
            let (isSuccess, output) =
                input.isEmpty
                ? try await ended(reading: .none, options, added)
                : try await ended(
                    reading: .fileDescriptor(inputFile(), closeAfterSpawningProcess: true),
                    options,
                    added
                )
            guard isSuccess else { throw Failure.failed }
            return output
        } catch let error as SubprocessError {
            throw error.code == .outputLimitExceeded ? Failure.outputTooLong : Failure.notRun
        }
    }

    /// A file without a name that holds the input. Unlike a pipe, it need not be read.
    private func inputFile() throws(Failure) -> FileDescriptor {
        // The last six characters are replaced.
        var path = Array("\(temporaryDirectory)/ferry-XXXXXX".utf8CString)
        let number = mkstemp(&path)
        guard number >= 0 else { throw .notRun }
        unlink(path)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        do {
            let file = FileDescriptor(rawValue: number)
            try file.writeAll(input)
            try file.seek(offset: 0, from: .start)
            return file
        } catch {
            close(number)
            throw .notRun
        }
    }

    private func ended(
        reading input: some InputProtocol,
        _ options: PlatformOptions,
        _ added: [Environment.Key: String?]
    ) async throws -> (isSuccess: Bool, output: [UInt8]) {
        let result = try await run(
            .path("/bin/sh"),
            arguments: ["-c", line],
            environment: .inherit.updating(added),
            platformOptions: options,
            input: input,
            output: .bytes(limit: Self.longestOutput),
            error: .currentStandardError
        )
        return (result.terminationStatus.isSuccess, result.standardOutput)
    }
}

extension ShellCommand.Failure: CustomStringConvertible {
    /// What happened, to follow a colon.
    var description: String {
        switch self {
        case .notRun: "it could not be run"
        case .tookTooLong: "it took too long, and was ended"
        case .cancelled: "it was cancelled"
        case .failed: "it failed"
        case .outputTooLong: "its output is too long"
        }
    }
}
