import FerryFrontend
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
    /// Where its input and its output are kept.
    var temporaryDirectory = "/tmp"
    /// Its time limit.
    var limit: Duration = .seconds(60)

    /// Maximum length of its output, in bytes.
    static let longestOutput = 64 * 1024

    /// Why there is no output.
    enum Failure: Error, Hashable, Sendable {
        /// The command could not be started, or its output not be read.
        case notRun
        /// No temporary file could be made for its input and output.
        case noTemporaryFile
        /// It took too long, and was killed.
        case tookTooLong
        /// The task was cancelled, and the command was killed.
        case cancelled
        /// It ended with this status, which is not 0.
        case failed(status: Int32)
        /// A signal ended it.
        case killed(signal: Int32)
        /// Its output is too long.
        case outputTooLong
    }

    /// How a command ended. Its output counts even if it failed.
    struct Ending: Hashable, Sendable {
        /// The beginning of what it printed.
        var output: [UInt8] = []
        /// Why it did not succeed; `nil` if it did.
        var failure: Failure?
    }

    /// Runs the command. If the task is cancelled, the command is killed with everything that it has started.
    ///
    /// - Throws: ``Failure``, also for a long output.
    func output() async throws -> [UInt8] {
        try await withinTheLimit { try await outputWithoutLimit() }
    }

    /// Runs the command with ``input``, however much it prints, and returns the beginning of that. If the task is cancelled, the command
    /// is killed with everything that it has started.
    ///
    /// - Throws: ``Failure`` if it did not run.
    func beginningOfOutput() async throws -> Ending {
        // Files, not pipes: the command need not read its input, and may print without end.
        let (source, target) = (try temporaryFile(), try temporaryFile())
        defer {
            close(source)
            close(target)
        }
        do {
            try FileDescriptor(rawValue: source).writeAll(input)
            try FileDescriptor(rawValue: source).seek(offset: 0, from: .start)
        } catch {
            throw Failure.noTemporaryFile
        }
        var ending = Ending()
        do {
            _ = try await withinTheLimit { try await execute(from: source, to: target) }
        } catch let failure as Failure {
            guard failure != .notRun else { throw failure }
            ending.failure = failure
        }
        var bytes = [UInt8](repeating: 0, count: Self.longestOutput)
        let count = pread(target, &bytes, bytes.count, 0)
        ending.output = Array(bytes.prefix(max(0, count)))
        return ending
    }

    /// Runs the command between two files.
    private func execute(from source: Int32, to target: Int32) async throws -> [UInt8] {
        do {
            let result = try await run(
                .path("/bin/sh"),
                arguments: ["-c", line],
                environment: environment,
                platformOptions: options,
                input: .fileDescriptor(
                    FileDescriptor(rawValue: source),
                    closeAfterSpawningProcess: false
                ),
                output: .fileDescriptor(
                    FileDescriptor(rawValue: target),
                    closeAfterSpawningProcess: false
                ),
                error: .currentStandardError
            )
            try Self.check(result.terminationStatus)
            return []
        } catch is SubprocessError {
            throw Failure.notRun
        }
    }

    private static func check(_ status: TerminationStatus) throws(Failure) {
        switch status {
        case .exited(0): return
        case .exited(let status): throw .failed(status: status)
        case .signaled(let signal): throw .killed(signal: signal)
        }
    }

    private func withinTheLimit(
        _ body: @escaping @Sendable () async throws -> [UInt8]
    ) async throws -> [UInt8] {
        do {
            return try await withThrowingTaskGroup(of: [UInt8].self) { group in
                group.addTask { try await body() }
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
        do {
            let result = try await run(
                .path("/bin/sh"),
                arguments: ["-c", line],
                environment: environment,
                platformOptions: options,
                output: .bytes(limit: Self.longestOutput),
                error: .currentStandardError
            )
            try Self.check(result.terminationStatus)
            return result.standardOutput
        } catch let error as SubprocessError {
            throw error.code == .outputLimitExceeded ? Failure.outputTooLong : Failure.notRun
        }
    }

    private var environment: Environment {
        var added: [Environment.Key: String?] = [:]
        for (name, value) in variables { added[Environment.Key(stringLiteral: name)] = value }
        return .inherit.updating(added)
    }

    private var options: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)
        ]
        return options
    }

    private func temporaryFile() throws(Failure) -> Int32 {
        do {
            return try TemporaryFile.open(in: temporaryDirectory)
        } catch {
            throw .noTemporaryFile
        }
    }
}

extension ShellCommand.Failure: CustomStringConvertible {
    /// What happened, to follow a colon.
    var description: String {
        switch self {
        case .notRun: "it could not be run"
        case .noTemporaryFile: "no temporary file could be made for it; check TMPDIR"
        case .tookTooLong: "it took too long, and was ended"
        case .cancelled: "it was cancelled"
        case .failed(let status): "it failed with status \(status)"
        case .killed(let signal): "it was killed by signal \(signal)"
        case .outputTooLong: "its output is too long"
        }
    }
}
