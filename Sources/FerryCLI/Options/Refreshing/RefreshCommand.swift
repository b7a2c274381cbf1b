import Ferry
import Subprocess
import SystemPackage

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
        case notRun
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
        let output: [UInt8]
        do {
            output = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                group.addTask { try await self.output(id, url) }
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
        guard let text = output.split(separator: UInt8(ascii: "\n")).first else { throw Failure.noURL }
        do {
            let word = String(decoding: text, as: UTF8.self)
            return try HTTPURL(parsing: String(word.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }))
        } catch {
            throw Failure.noURL
        }
    }

    /// The output of the command. It leads its own process group and inherits no descriptor but standard error. Processes
    /// that it has started may keep the output open; this does not wait for them.
    private func output(_ id: TransferID, _ url: HTTPURL) async throws -> [UInt8] {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)
        ]
        do {
            let result = try await run(
                .path("/bin/sh"),
                arguments: ["-c", line],
                environment: .inherit.updating(["FERRY_ID": "\(id)", "FERRY_URL": url.absoluteString]),
                platformOptions: options,
                output: .bytes(limit: Self.longestAnswer),
                error: .currentStandardError
            )
            guard result.terminationStatus.isSuccess else { throw Failure.failed }
            return result.standardOutput
        } catch let error as SubprocessError {
            throw error.code == .outputLimitExceeded ? Failure.noURL : Failure.notRun
        }
    }
}
