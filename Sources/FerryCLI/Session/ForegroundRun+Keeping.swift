import Ferry
import FerryFrontend
import Glibc

/// The words for what is kept when a run is stopped.
extension ForegroundRun {
    /// The line when a signal stops a run. Only a person at a terminal can press Ctrl-C again.
    static func stoppingText(by signal: Int32, _ kind: Kind) -> String {
        kind == .service || signal != SIGINT
            ? "Stopping." : "Stopping… Press Ctrl-C again to quit immediately."
    }

    /// The line for a request whose answer a stop waits for.
    ///
    /// - Parameter signal: the signal that stopped the run; `nil` for the end of its time.
    static func awaitedText(_ transfer: Transfer, _ kind: Kind, stoppedBy signal: Int32?) -> String {
        let quitting =
            kind == .service || signal != SIGINT
            ? "If none comes in time," : "Press Ctrl-C again to quit without it; then"
        return "Waiting for the answer to \(transfer.displayName), which must not be sent twice. "
            + "\(quitting) it is unknown whether the request arrived."
    }

    /// The line for many stopped transfers.
    ///
    /// - Parameters:
    ///   - kept: the bytes received of them that are kept.
    ///   - isReleased: whether `ferry run` resumes them because no person stopped them.
    static func keptText(
        ofMany count: Int,
        keeping kept: Int64,
        _ kind: Kind,
        isReleased: Bool = false,
        isResumedByRepeating: Bool,
        resuming: String = ""
    ) -> String {
        let repeating = isResumedByRepeating ? " or by repeating the command" : ""
        let resumption = "`ferry \(isReleased ? "run" : "resume")\(resuming)`"
        let command = kind.isQueue ? "`ferry run`" : "\(resumption)\(repeating)"
        return
            "Stopped. \(count) transfers are unfinished, \(ByteCount(kept).formatted) kept. Resume with \(command)."
    }

    /// The line for a stopped transfer.
    ///
    /// - Parameter isReleased: whether `ferry run` resumes it because no person stopped it.
    static func keptText(
        _ transfer: Transfer,
        _ kind: Kind,
        isReleased: Bool = false,
        process: Int32?,
        resuming: String = ""
    ) -> String {
        let name = transfer.displayName
        if let process { return "\(name) continues in process \(process); `ferry watch` shows it." }
        if !transfer.work.isInterruptible {
            return "Stopped \(name). A stream cannot be resumed; repeat the command to start over."
        }
        // Another command may have paused it.
        let isReleased = isReleased && transfer.state != .paused
        let isQueuedAlso = !kind.isQueue && !isReleased && transfer.state == .queued
        let queued = isQueuedAlso ? " It was also added to the queue and stays queued." : ""
        let resumption = isReleased ? "run" : "resume \(transfer.id)"
        let command = kind.isQueue || isQueuedAlso ? "`ferry run`" : "`ferry \(resumption)\(resuming)`"
        let isRepeated = !kind.isQueue && transfer.wording.isResumedByRepeating
        let repeating = !isRepeated ? "" : " or by repeating the command"
        guard !transfer.startsOver else {
            let line = command + (isRepeated ? " or the same command" : "")
            // A person who sends requests expects that `ferry run` sends all of them.
            let isLeft = !kind.isQueue && !transfer.wording.isResumedByRepeating && transfer.state == .paused
            let rest = isLeft ? "; `ferry run` leaves it paused" : ""
            return "Stopped \(name).\(queued) \(line) \(transfer.continuation)\(rest)."
        }
        let beginning = transfer.wording.sendsBytes ? "the server confirmed any data" : "any data arrived"
        let amount =
            transfer.recordedProgress.received == 0 ? "before \(beginning)" : "at \(transfer.amountText)"
        return "Stopped \(name) \(amount).\(queued) Resume with \(command)\(repeating)."
    }
}
