package import FerryCore

/// Accessors for tests of downloads; another kind of work is a bug in the test.
extension Transfer {
    /// The specification of the download.
    package var specification: DownloadSpecification {
        get { theDownload.specification }
        set {
            var work = theDownload
            work.specification = newValue
            self.work = .download(work)
        }
    }

    /// The progress of the download.
    package var downloadProgress: DownloadProgress {
        get { theDownload.progress }
        set { work.progress = .download(newValue) }
    }

    /// The download of the transfer.
    package var theDownload: DownloadWork {
        guard let download else { preconditionFailure("transfer \(id) is no download") }
        return download
    }
}

extension NewTransfer {
    /// The specification of the download.
    package var specification: DownloadSpecification {
        get {
            guard case .download(let work) = work else { preconditionFailure("it is no download") }
            return work.specification
        }
        set { self = NewTransfer(newValue, queue: queue, priority: priority, after: after) }
    }
}

extension Settlement {
    /// Creates the settlement of an attempt at a download.
    package init(
        _ state: TransferState,
        progress: DownloadProgress,
        ledger: AttemptLedger? = nil,
        failure: TransferFailure? = nil,
        attempts: Int? = nil,
        keepsHold: Bool = false,
        isLeft: Bool = false
    ) {
        self.init(
            state,
            progress: .download(progress),
            ledger: ledger,
            failure: failure,
            attempts: attempts,
            keepsHold: keepsHold,
            isLeft: isLeft
        )
    }

    /// Settles an attempt at a download.
    package init(
        of transfer: Transfer,
        after outcome: AttemptOutcome,
        progress: DownloadProgress,
        keepsHold: Bool,
        at now: Instant,
        using random: inout some RandomNumberGenerator
    ) {
        self.init(
            of: transfer,
            after: outcome,
            progress: .download(progress),
            keepsHold: keepsHold,
            at: now,
            using: &random
        )
    }

    /// The progress of the download.
    package var downloadProgress: DownloadProgress {
        get {
            guard case .download(let progress) = progress else { preconditionFailure("it is no download") }
            return progress
        }
        set { progress = .download(newValue) }
    }
}

extension TransferStore {
    /// Records the progress of a download.
    package func record(
        _ progress: DownloadProgress,
        for claim: Claim,
        durability: Durability,
        at now: Instant
    ) async throws(StoreError) {
        try await record(.download(progress), for: claim, durability: durability, at: now)
    }

    /// The latest completed transfer with the same identity, for each download.
    package func completed(
        like downloads: [DownloadSpecification]
    ) async throws(StoreError) -> [Transfer?] {
        try await completed(like: downloads.map { Work.download(DownloadWork($0)) })
    }

    /// The transfers with the same identity that still count, for each download.
    package func transfers(
        like downloads: [DownloadSpecification]
    ) async throws(StoreError) -> [[Transfer]] {
        try await transfers(like: downloads.map { Work.download(DownloadWork($0)) })
    }
}
