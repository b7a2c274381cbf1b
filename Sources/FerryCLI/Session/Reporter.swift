import Ferry

/// Brings announcements to the user: as lines for a person on standard error, or as JSON on standard output.
struct Reporter: Sendable {
    let console: Console
    /// Whether the lines go into the journal of a service, which nobody watches.
    var isService = false

    /// How long a transfer runs between two announcements of its progress: in JSON at most two a second.
    var tellingInterval: Duration {
        console.appearance.json ? .milliseconds(500) : PlainProgress.interval
    }

    /// Tells what is new.
    func tell(_ announcements: [Announcement], owners: OwnerDirectory, isStopping: Bool = false) {
        for announcement in announcements { tell(announcement, owners: owners, isStopping: isStopping) }
    }

    private func tell(_ announcement: Announcement, owners: OwnerDirectory, isStopping: Bool) {
        if console.appearance.json {
            console.data(announcement.json(owners: owners))
            return
        }
        let messages =
            isService
            ? announcement.journalMessages(at: SystemTime.now)
            : announcement.messages(
                live: console.appearance.live,
                isStopping: isStopping,
                at: SystemTime.now
            )
        for message in messages {
            switch message {
            case .notice(let line): console.notice(line)
            case .failure(let failure): console.failure(failure)
            }
        }
    }

    /// Tells how it all ended, in JSON.
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
