import Ferry
import FerryFrontend

extension Transfer {
    /// The name for a person: the file name as far as it is known, or the method and URL of a request. Safe for a
    /// terminal.
    var displayName: String { wording.name }

    /// Why it failed, waits or gave way, in a sentence; `nil` in any other state.
    var reasonText: String? {
        switch state {
        case .failed(let failure): failure.doubt + TerminalText.safe(failure.message)
        case .waiting(.dependency): "after \(dependenciesText)"
        case .waiting(.window(let opens)): "its time window opens \(SystemTime.minute(opens))"
        case .waiting(let condition): TerminalText.safe(latestFailure?.message ?? condition.name.rawValue)
        case .cancelled: displacement.map { TerminalText.safe($0.message) }
        case .queued, .active, .paused, .completed: nil
        }
    }

    /// What it waits for and why, for a person; `nil` if it does not wait.
    func waitingText(at now: Instant) -> String? {
        guard case .waiting(let condition) = state else { return nil }
        switch condition {
        case .retry(let moment):
            let wording = RetryWording(
                delay: Self.wait(until: moment, from: now),
                failure: latestFailure,
                attempt: attempts + 1,
                attempts: retryPolicy.attempts
            )
            return wording.text
        case .network: return "waiting for the network"
        case .dependency:
            let noun = dependencies.count == 1 ? "transfer" : "transfers"
            return "waiting for \(noun) \(dependenciesText)"
        case .applicationInactive: return "waiting for the application"
        case .diskSpace(let needed): return "waiting for \(ByteCount(needed).formatted) of free disk space"
        case .diskMount where waitsForWritableDisk: return "waiting for its disk to be writable"
        case .diskMount:
            guard work.filesToSend.isEmpty else { return "waiting for the disk with the file to send" }
            let hasBytes = recordedProgress.received > 0
            return "waiting for the disk " + (hasBytes ? "with its part file" : "of its directory")
        case .newURL: return "waiting for a fresh URL"
        case .window(let opens):
            let wait = RetryWording.text(of: Self.wait(until: opens, from: now))
            return "waiting \(wait) for its time window, until \(SystemTime.minute(opens))"
        }
    }

    /// What a person does about the disk that it waits for.
    var diskStep: String { waitsForWritableDisk ? "Make its file system writable" : "Mount the disk" }

    /// Whether it starts only if a process runs the queue.
    var needsRunner: Bool { state == .queued || state.name == .waiting }

    /// Maximum dependencies named in text; the JSON has all.
    private static let mostDependencies = 3

    /// "5", "5 and 6", or "5, 6, 7 and 12 more".
    var dependenciesText: String {
        let named = dependencies.prefix(Self.mostDependencies).map { "\($0)" }
        let more = dependencies.count - named.count
        let parts = more > 0 ? named + ["\(more) more"] : named
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "others" }
        return parts.dropLast().joined(separator: ", ") + " and \(last)"
    }

    /// Why a queued transfer does not run any more; `nil` if it did not run, or was stopped.
    var interruptionText: String? { hasLostItsProcess ? "interrupted: its process died" : nil }

    /// The state with its reason, for a person.
    func stateText(at now: Instant) -> String {
        switch state {
        case .failed(let failure): "failed: \(failure.doubt)\(TerminalText.clause(failure.message))"
        case .waiting: waitingText(at: now) ?? state.name.rawValue
        case .cancelled: displacement.map { "cancelled: \(TerminalText.clause($0.message))" } ?? cancelledText
        case .queued, .active, .paused, .completed: state.name.rawValue
        }
    }

    /// "cancelled", with a note if a request may have arrived or the part file was kept.
    private var cancelledText: String {
        wording.remnant.map { "\(state.name); \($0.clause)" } ?? state.name.rawValue
    }

    /// What to do with the part file of a cancelled transfer; `nil` if it has none.
    var keptPartHint: String? { state == .cancelled ? wording.remnant?.hint : nil }

    /// "1.2 GiB of 4.0 GiB", or "1.2 GiB" while the length is unknown.
    var amountText: String { recordedProgress.amountText }

    /// "is paused at 1.2 GiB of 4.0 GiB".
    var standingText: String { "\(state.isFailed ? "has failed" : "is \(state.name)") at \(amountText)" }

    /// What another run does.
    var continuation: String { wording.continuation }

    /// What another run does, and how many bytes it starts with, if any.
    func continuation(keeping progress: TransferProgress) -> String {
        startsOver || progress.received == 0 ? continuation : "\(continuation); \(progress.amountText) kept"
    }

    private static func wait(until moment: Instant, from now: Instant) -> Duration {
        max(.zero, now.duration(to: moment))
    }
}

extension TransferFailure {
    /// "outcome unknown: " before the message of a failure that does not tell what became of the request.
    fileprivate var doubt: String { code == .outcomeUnknown ? "outcome unknown: " : "" }
}

extension TransferProgress {
    /// "1.2 GiB of 4.0 GiB", or "1.2 GiB" while the length is unknown.
    var amountText: String {
        let received = ByteCount(received).formatted
        return total.map { "\(received) of \(ByteCount($0).formatted)" } ?? received
    }

    /// "1.2 GiB of 4.0 GiB (30%)", or "1.2 GiB" while the length is unknown.
    var shareText: String { amountText + (percentText.map { " (\($0))" } ?? "") }

    /// "34%", rounded down so that 100 % means all; `nil` while the length is unknown.
    var percentText: String? {
        guard let fraction else { return nil }
        return "\(Int((min(1, max(0, fraction)) * 100).rounded(.down)))%"
    }

    /// "12.3 MiB/s"; `nil` while nothing is running.
    var speedText: String? {
        guard let bytesPerSecond, bytesPerSecond.isFinite else { return nil }
        return "\(ByteCount(Int64(min(max(0, bytesPerSecond), 1e18))).formatted)/s"
    }

    /// "8 connections"; `nil` unless several are known to bring bytes.
    var connectionsText: String? {
        guard let connections, connections > 1 else { return nil }
        return "\(connections) connections"
    }
}
