import Ferry
import FerryFrontend

extension RunLedger.Tally {
    /// "13 completed, 1 failed, 2.0 GiB." The bytes are those that the command received or sent.
    var summary: String {
        let others = [(failed, "failed"), (cancelled, "cancelled")].filter { $0.0 > 0 }.map {
            ", \($0.0) \($0.1)"
        }
        let unmoved = [(completedBefore, "already complete"), (upToDate, "up to date")].filter { $0.0 > 0 }
            .map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let clause = unmoved.isEmpty ? "" : " (\(unmoved))"
        return "\(completed) completed\(clause)\(others.joined()), \(ByteCount(bytes).formatted)."
    }
}

extension RunLedger {
    /// The exit status of a run that is over.
    ///
    /// - Parameters:
    ///   - isStopped: whether a signal or `--max-time` ended it.
    ///   - leavesOthers: whether unfinished transfers are left that the run did not begin.
    func finalStatus(isStopped: Bool, leavesOthers: Bool) -> ExitStatus {
        if isStopped, leavesOthers || unfinishedCount > 0 { return .unfinished }
        return exitStatus == .done && leavesOthers ? .unfinished : exitStatus
    }

    /// The sum of a run of named transfers: how they ended, and how many still wait.
    var summaryLines: [String] {
        [tally.summary] + QueueRest.waitingLines(entries.values.count { $0.transfer.state.name == .waiting })
    }

    /// The transfers that had begun when the run was stopped, and have not ended, in the order of their IDs.
    func stopped(at now: Instant) -> [Announcement] {
        unfinished.compactMap { entry in
            entry.began.map {
                Announcement(entry.transfer, entry.progress, .state(took: $0.duration(to: now)))
            }
        }
    }

    /// The state of the run, in one line for the service manager.
    var status: String {
        let running = entries.values.count { $0.transfer.state == .active }
        var parts: [String] = []
        if running > 0 {
            let speed = total.speedText.map { " at \($0)" } ?? ""
            parts.append("running \(running) \(running == 1 ? "transfer" : "transfers")\(speed)")
        } else {
            parts.append("idle")
        }
        if tally.completed > 0 { parts.append("\(tally.completed) completed") }
        if tally.failed > 0 { parts.append("\(tally.failed) failed") }
        let text = parts.joined(separator: ", ")
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
