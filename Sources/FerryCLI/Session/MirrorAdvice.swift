import Ferry
import FerryFrontend

/// Tells once in a command how mirrors without a digest are used, when the first download that has some begins.
struct MirrorAdvice: Sendable {
    private var isTold = false

    /// The warning to print; `nil` if no download that begins here needs it, or if it was told.
    ///
    /// A repeated command resumes a download that was told of, or finds its file complete.
    ///
    /// - Parameters:
    ///   - asked: the downloads that were asked for.
    ///   - additions: what came of them, in the same order.
    mutating func note(
        _ asked: [PlannedDownload],
        _ additions: [Addition],
        of plan: DownloadPlan
    ) -> String? {
        guard !isTold else { return nil }
        let begun = zip(asked, additions).filter { $0.1.begins }.map { $0.0 }
        let warning = plan.mirrorNote(for: begun)
        isTold = warning != nil
        return warning
    }
}

extension Addition {
    /// Whether it is a new download of a file of which no version is there.
    fileprivate var begins: Bool {
        guard case .added(let transfer) = self else { return false }
        return !transfer.asksForAnotherVersion
    }
}
