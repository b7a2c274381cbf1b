/// The part file that a cancelled download has left to the user, and what is known of its bytes.
///
/// A later download of the same resource to the same destination resumes from it. The commit that adds that
/// download takes the part file away from the cancelled one, so that no other download takes it too.
package struct KeptPart: Hashable, Sendable {
    /// Where the part file is.
    package let place: FilePlace
    private let claim: PartFileClaim
    private let work: DownloadWork

    /// The part file of a transfer; `nil` if it was not cancelled, or has left none.
    package init?(of transfer: Transfer) {
        guard transfer.state == .cancelled, transfer.claim == nil, let work = transfer.download,
            let claim = work.progress.kept
        else { return nil }
        var progress = work.progress
        progress.part = claim
        guard let place = work.specification.place(knowing: progress) else { return nil }
        (self.place, self.claim, self.work) = (place, claim, work)
    }

    /// Which file it is.
    package var identity: FileIdentity { claim.identity }

    /// Whether the file is still there, as the cancelled download left it. The file is the user's, so a changed one is
    /// neither trusted nor written to. Where the time of the last change is unknown, the identity alone decides.
    package func isIntact(in survey: FileSurvey) -> Bool {
        guard let part = survey.part, part.kind == .file, part.identity.isSameFile(as: identity) else {
            return false
        }
        guard survey.keepsTimes, let known = claim.modified else { return true }
        return part.modified == known
    }

    /// Lets a new transfer resume from it.
    ///
    /// - Returns: whether the transfer does so.
    package func begin(_ transfer: inout Transfer) -> Bool {
        guard let download = transfer.download, let progress = progress(of: download) else { return false }
        transfer.work.progress = .download(progress)
        return true
    }

    /// Whether a new transfer would resume from it.
    package func isFor(_ new: NewTransfer) -> Bool {
        new.work.download.flatMap { progress(of: $0) } != nil
    }

    /// The progress of a new download that resumes from it.
    ///
    /// - Returns: `nil` for a download that is not the same, has bytes of its own, or does not accept these
    ///   without a digest.
    package func progress(of new: DownloadWork) -> DownloadProgress? {
        let (asked, had) = (new.specification, work.specification)
        guard new.isUntouched, asked.destination == had.destination, asked.options.range == had.options.range,
            !asked.options.isSealed, asked.options.cache == nil, !work.progress.startsOver,
            isAccepted(by: asked.options)
        else { return nil }
        var progress = work.progress
        progress.part = claim
        progress.kept = nil
        // What the new download requires of the file is not verified yet.
        progress.phase = .receiving
        progress.saved = nil
        progress.note = nil
        progress.status = nil
        progress.refusedParts = 0
        // The URL that gave the bytes was a secret. An unknown one is no one's, so the server's bytes are
        // compared.
        progress.source = progress.source ?? ""
        return progress
    }

    /// Whether the bytes may be used under these options. What was required of the cancelled download does
    /// not count any more.
    private func isAccepted(by asked: DownloadOptions) -> Bool {
        guard !work.isMixed(without: asked) else { return false }
        var former = work
        former.specification.options.checksum = nil
        former.specification.options.length = nil
        former.specification.options.pieces = nil
        do throws(SharedTerms.Refusal) {
            return try !SharedTerms(asked, meeting: former, as: .dropped).dropsBytes
        } catch {
            return false
        }
    }
}
