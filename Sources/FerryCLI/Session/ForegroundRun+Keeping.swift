import Ferry
import FerryFrontend

/// The words for what is kept when a run is stopped.
extension ForegroundRun {
    /// The line for many stopped transfers.
    ///
    /// - Parameter kept: the bytes received of them that are kept.
    static func keptText(
        ofMany count: Int,
        keeping kept: Int64,
        _ kind: Kind,
        isResumedByRepeating: Bool,
        resuming: String = ""
    ) -> String {
        let repeating = isResumedByRepeating ? " or by repeating the command" : ""
        let command = kind.isQueue ? "`ferry run`" : "`ferry resume\(resuming)`\(repeating)"
        return
            "Stopped. \(count) transfers are unfinished, \(ByteCount(kept).formatted) kept. Resume with \(command)."
    }

    /// The line for a stopped transfer.
    static func keptText(
        _ transfer: Transfer,
        _ kind: Kind,
        process: Int32?,
        resuming: String = ""
    ) -> String {
        let name = transfer.displayName
        if let process { return "\(name) continues in process \(process); `ferry watch` shows it." }
        if !transfer.work.isInterruptible {
            return "Stopped \(name). A stream cannot be resumed; repeat the command to start over."
        }
        let isQueuedAlso = !kind.isQueue && transfer.state == .queued
        let queued = isQueuedAlso ? " It was also added to the queue and stays queued." : ""
        let command =
            kind.isQueue || isQueuedAlso ? "`ferry run`" : "`ferry resume \(transfer.id)\(resuming)`"
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
