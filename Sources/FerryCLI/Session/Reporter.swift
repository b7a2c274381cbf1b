import Ferry
import FerryFrontend

/// Reports announcements: as lines for a person, mostly on standard error, or as JSON on standard output.
struct Reporter: Sendable {
    let console: Console
    /// Whether the lines go to the journal of a service, which no one watches live.
    var isService = false
    /// Whether the lines are what the command is asked for. They then go to standard output, without a live picture.
    var isOutput = false
    /// The command whose line is repeated to ask for the transfers again.
    var command = RepeatedCommand.adding
    /// Counts the files that need no lines because they are up to date; `nil` if each has its lines.
    var unchanged: UnchangedFiles?

    /// Interval between two progress announcements of a transfer: in JSON at most two per second.
    var tellingInterval: Duration {
        console.appearance.json ? .milliseconds(500) : PlainProgress.interval
    }

    /// Reports what is new.
    func tell(_ announcements: [Announcement], owners: OwnerDirectory, isStopping: Bool = false) {
        for var announcement in announcements {
            announcement.command = command
            tell(announcement, owners: owners, isStopping: isStopping)
        }
    }

    private func tell(_ announcement: Announcement, owners: OwnerDirectory, isStopping: Bool) {
        if console.appearance.json {
            console.data(announcement.json(owners: owners))
            return
        }
        // Of most transfers there is nothing to tell, and making up the words takes longer than a small request.
        guard !console.appearance.quiet || announcement.mayFail else { return }
        if unchanged?.take(announcement) == true { return }
        let messages =
            isService
            ? announcement.journalMessages(at: SystemTime.now)
            : announcement.messages(
                live: console.appearance.live && !isOutput,
                isStopping: isStopping,
                at: SystemTime.now
            )
        for message in messages {
            switch message {
            case .notice(let text) where isOutput: console.data(text)
            case .failure(let failure) where isOutput:
                console.data(TerminalText.safe(failure.message))
                if let hint = failure.hint { console.data("       \(TerminalText.safe(hint))") }
            case .notice(let text): console.notice(text, keeping: announcement.transfer.wording.wholeNames)
            case .failure(let failure): console.failure(failure)
            }
        }
    }

    /// Reports the result of the run, in JSON.
    func summarise(_ ledger: RunLedger, status: ExitStatus) {
        guard console.appearance.json else { return }
        let tally = ledger.tally
        console.data([
            "event": "summary",
            "completed": .int(Int64(tally.completed)),
            "failed": .int(Int64(tally.failed)),
            "cancelled": .int(Int64(tally.cancelled)),
            "unfinished": .int(Int64(ledger.unfinishedCount)),
            "received": .int(ledger.total.received),
            "exitStatus": .int(Int64(status.rawValue)),
        ])
    }
}
