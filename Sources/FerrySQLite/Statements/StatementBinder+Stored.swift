import FerryCore

extension StatementBinder {
    /// URL, directory, name, stream, options, body, identity and digest.
    mutating func add(_ work: StoredWork) {
        add(work.url)
        add(work.directory)
        add(work.name)
        add(work.stream)
        add(work.options)
        add(work.body)
        add(work.identity?.number)
        add(work.identity?.digest)
    }

    /// The short and the long digest of an identity.
    mutating func add(_ identity: StoredIdentity) {
        add(identity.number)
        add(identity.digest)
    }

    /// Condition, moment and bytes of a wait, and whether it may be claimed.
    mutating func add(_ columns: StateColumns) {
        add(columns.condition?.rawValue)
        add(columns.wakeAt)
        add(columns.needed)
        add(columns.runnable)
    }

    /// Details, segments and the body of the response.
    mutating func add(_ progress: StoredProgress) {
        add(progress.details)
        add(progress.segments)
        add(progress.responseBody)
    }

    /// Deaths, best progress, progress at the latest death, attempts with an unknown host, and how the owner left it.
    mutating func add(_ ledger: AttemptLedger) {
        add(ledger.deaths)
        add(ledger.bestReceived)
        add(ledger.receivedAtDeath)
        add(ledger.unknownHosts)
        add(ledger.left != nil)
        add(ledger.left?.retryAt?.milliseconds)
    }
}
