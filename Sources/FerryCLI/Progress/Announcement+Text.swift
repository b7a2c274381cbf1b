import Ferry
import FerryFrontend

extension Announcement {
    /// A message for a person.
    enum Message: Hashable, Sendable {
        /// A line that is left out with `--quiet`.
        case notice(String)
        /// A failure, or a problem that only the user can solve.
        case failure(CommandFailure)
    }

    /// Whether a message for it may be a failure. All others are left out with `--quiet`.
    var mayFail: Bool {
        guard case .state = news else { return false }
        return switch transfer.state {
        case .failed, .waiting(.newURL), .waiting(.diskSpace), .waiting(.diskMount): true
        case .cancelled: transfer.displacement != nil
        case .queued, .active, .waiting, .paused, .completed: false
        }
    }

    /// The messages for a person. A live region already shows starts, waits and progress, so these get no lines.
    ///
    /// - Parameter isStopping: whether this command is being stopped, and reports itself what it paused.
    func messages(live: Bool, isStopping: Bool = false, at now: Instant) -> [Message] {
        switch news {
        // A list says so; nothing here runs it.
        case .added where transfer.state == .paused, .attached(process: nil) where transfer.state == .paused:
            return stateMessages(took: nil, live: live, at: now)
        case .added:
            return live ? [] : [.notice(beginning(at: now))]
        case .attached(let process):
            var lines: [Message] = []
            if saysItIsComplete {
                let (command, verb) = (transfer.wording.repetition, transfer.wording.verb)
                let place = (transfer.finalPath.map { ": \(TerminalText.safe($0))" } ?? "") + proofText
                lines.append(.notice("\(name) is already complete\(place). \(command) \(verb) it again."))
            } else if let process {
                lines.append(
                    .notice("Transfer \(transfer.id) is being run by process \(process); following it.")
                )
                if case .waiting = transfer.state {
                    lines.append(.notice("\(name): \(transfer.stateText(at: now))"))
                }
            } else if progress.received > 0, transfer.keepsBytes, !isHeldBack {
                if !transfer.wording.notesResumption {
                    lines.append(.notice(PlainProgress.continuing(transfer)))
                }
            } else if !live {
                lines.append(.notice(beginning(at: now)))
            }
            return lines
        // The line about its end says it.
        case .note(let note) where note.code == .upToDate: return []
        case .note(let note):
            return [.notice("\(name): \(TerminalText.safe(note.message))")]
        case .progress:
            return live ? [] : [.notice(PlainProgress.line(transfer, progress))]
        case .state(let took):
            if isStopping, transfer.state == .paused { return [] }
            return stateMessages(took: took, live: live, at: now)
        }
    }

    /// Its name for a person, which only a message that has it makes.
    private var name: String { transfer.displayName }

    /// What shows that the file of a complete download is the one asked for, in parentheses.
    private var proofText: String {
        guard let proof else { return "" }
        let name = proof.digest.algorithm.rawValue
        return proof.isRead ? " (\(name) verified)" : " (unchanged since its \(name) digest was verified)"
    }

    /// The first line about a transfer without bytes.
    private func beginning(at now: Instant) -> String {
        switch transfer.state {
        case .waiting(.dependency), .waiting(.window):
            return "\(name): \(transfer.stateText(at: now))"
        case _ where isHeldBack:
            let amount = progress.received > 0 ? " at \(progress.amountText)" : ""
            return "\(name): queued\(amount) (transfer \(transfer.id))."
        default: return PlainProgress.starting(transfer)
        }
    }

    /// Whether its line says that it begins, although it waits for its turn. A file that is probably up to date has no such line.
    var beginsLater: Bool {
        guard transfer.state == .queued, !isHeldBack, !transfer.asksForAnotherVersion else { return false }
        return switch news {
        case .added: true
        case .attached(let process): process == nil && progress.received == 0
        case .note, .progress, .state: false
        }
    }

    /// Whether only its queue keeps it from starting.
    private var isHeldBack: Bool { (isQueuePaused || heldBy != nil) && transfer.state == .queued }

    private func stateMessages(
        took: Duration?,
        live: Bool,
        at now: Instant
    ) -> [Message] {
        switch transfer.state {
        case .completed:
            return [.notice(PlainProgress.completed(transfer, took: took))]
        case .failed(let failure):
            // The reader closed the pipe because it has enough; this is not an error.
            if failure.code == .streamLost, transfer.isStandardOutput {
                return []
            }
            var ended = self.failure(failure, status: ExitStatus(failure), hint: rival.map(way))
            if let twin {
                // With --overwrite, the message names the transfer.
                if !failure.message.contains("Transfer \(twin) ") {
                    ended.message += " Transfer \(twin) has saved it since."
                }
                // With --overwrite, one of the two files would be lost.
                ended.hint = transfer.advice(
                    on: failure,
                    instead: [.autoRename, .chooseOtherName],
                    command: command
                )
            }
            if let former { ended.message += " Transfer \(former) saved it, and it was changed since." }
            return [.failure(ended)]
        case .cancelled:
            let text = "\(name): \(transfer.stateText(at: now))."
            guard let displacement = transfer.displacement else { return [.notice(text)] }
            // No one asked for it.
            var ended = failure(displacement, status: ExitStatus(transfer.state))
            ended.message = text
            return [.failure(ended)]
        case .paused:
            let next = "`ferry resume \(transfer.id)` \(transfer.continuation)."
            return [.notice("\(name): paused at \(progress.amountText). \(next)")]
        case .waiting(.newURL):
            let failure = transfer.latestFailure ?? TransferFailure(.urlExpired, "The URL has expired.")
            return [.failure(self.failure(failure, status: .unfinished, hint: freshURLHint))]
        case .waiting(.diskSpace(let needed)):
            let failure = transfer.latestFailure ?? TransferFailure(.diskFull, "The disk is full.")
            let hint = diskHint(Self.step(toFree: needed, after: failure))
            return [.failure(self.failure(failure, status: .unfinished, hint: hint))]
        case .waiting(.diskMount):
            let failure = transfer.latestFailure ?? TransferFailure(.cannotOpen, "The disk is not mounted.")
            let hint = [diskHint(transfer.diskStep), wayWithoutDisk].compactMap(\.self).joined(separator: " ")
            return [.failure(self.failure(failure, status: .unfinished, hint: hint))]
        case .waiting(.network):
            guard transfer.lacksNetwork else { return [] }
            return live ? [] : [.notice("\(name): Waiting for the network.")]
        case .waiting:
            return live ? [] : [.notice("\(name): \(transfer.waitingText(at: now) ?? "")")]
        case .queued, .active:
            return []
        }
    }

    /// What to do about a URL that has expired.
    private var freshURLHint: String {
        transfer.work.isInterruptible
            ? "`ferry edit \(transfer.id) --url URL` gives a fresh one, then "
                + "`ferry resume \(transfer.id)` \(transfer.continuation(keeping: progress))."
            : "Repeat the `ferry get` line with a fresh URL to start over; a stream keeps no bytes."
    }

    /// What to do if the disk cannot be mounted, or be made writable.
    private var wayWithoutDisk: String? {
        let cancel = "`ferry cancel \(transfer.id)`"
        if transfer.waitsForWritableDisk {
            // The part file cannot be removed.
            return progress.received > 0
                ? nil : "To save it elsewhere, type \(cancel) and choose another directory."
        }
        if !transfer.work.filesToSend.isEmpty {
            return "If the file was deleted, \(cancel) ends the transfer."
        }
        let renewal = "type \(cancel) and \(repetition)"
        return progress.received > 0
            ? "If the directory was deleted, \(renewal) to start over."
            : "To download to the disk that is there now, \(renewal)."
    }

    /// The first step about a full disk. The message about a file that does not fit names the bytes already.
    private static func step(toFree needed: Int64, after failure: TransferFailure) -> String {
        let amount = ByteCount(needed).formatted
        return failure.message.contains(" \(amount);") ? "Free some space" : "\(amount) must be free"
    }

    /// What to do about a disk that is full, not mounted or read-only, after a first step.
    private func diskHint(_ step: String) -> String {
        "\(step). Then `ferry run` or `ferry resume \(transfer.id)` "
            + "\(transfer.continuation(keeping: progress)); a running service does so by itself."
    }

    /// What starts a download over whose disk is away.
    private var repetition: String {
        switch command {
        case .getting, .continuing, .mirroring, .adding: "repeat the \(command.line)"
        // The file that it takes over is on that disk.
        case .adopting, .gettingToAdopt: "type `ferry get` with its URL"
        }
    }

    /// What to do about a name that another transfer has.
    private func way(around rival: Transfer) -> String {
        let step =
            switch rival.state {
            case .active: "`ferry watch \(rival.id)` shows it."
            case .failed: "`ferry retry \(rival.id)` retries it, `ferry remove \(rival.id)` drops it."
            default: "`ferry resume \(rival.id)` resumes it, `ferry cancel \(rival.id)` ends it."
            }
        let next =
            command == .mirroring
            ? "Then repeat the `ferry mirror` line."
            : "Choose another name with -o, or keep both with --auto-rename."
        return "Transfer \(rival.id) has that name; it \(rival.standingText). \(step) \(next)"
    }

    private func failure(
        _ failure: TransferFailure,
        status: ExitStatus,
        hint: String? = nil
    ) -> CommandFailure {
        CommandFailure(
            status,
            code: failure.code.rawValue,
            "\(name): \(failure.message)",
            hint: hint ?? transfer.advice(on: failure, command: command),
            transfer: transfer.id
        )
    }
}
