import Ferry
import FerryFrontend

/// The end of a run in the foreground: what it tells, and its exit status.
struct RunEnd: Sendable {
    let kind: ForegroundRun.Kind
    let engine: TransferEngine
    let reporter: Reporter
    let endWork: EndWork
    /// The options with which `ferry resume` runs the transfers as this command did.
    let resuming: RepeatedOptions
    let ledger: RunLedger
    /// What stopped the run; `nil` if it ended by itself.
    let stop: ForegroundRun.Stop?
    /// Whether a signal came before all transfers of the command line were added.
    let leavesRest: Bool
    /// Whether the same command line resumes all announced transfers, rather than adding others.
    let isResumedByRepeating: Bool

    private var console: Console { reporter.console }
    private var isInterrupted: Bool { stop != nil }
    /// Whether `ferry run` resumes the transfers, because no person stopped them.
    private var isReleased: Bool { stop == .system || stop == .time }

    /// Reports how the run ended, and what is left.
    ///
    /// - Returns: the exit status.
    func conclude() async throws -> ExitStatus {
        if kind == .service {
            // A service ends normally when it is stopped. Its transfers are queued, and no action is needed.
            console.notice("Stopped. Resume with `ferry run`.")
            reporter.summarise(ledger, status: .done)
            return .done
        }
        if isInterrupted { try await tellWhatIsKept() }
        let left = kind == .queue ? try await QueueRest(engine) : nil
        let kept =
            left != nil && !isInterrupted
            ? try await KeptTransfers(engine, owners: OwnerDirectory(engine)) : KeptTransfers()
        if isInterrupted {
            if let line = left?.stoppedLine(besides: ledger.unfinishedCount) { console.notice(line) }
        } else if reporter.command != .mirroring, !console.appearance.json {
            sumUp(left, kept)
        }
        for line in kept.allLines { console.warning(line) }
        let isLeft = left.map { isInterrupted ? $0.unfinished > 0 : !$0.isEmpty } ?? leavesRest
        let status = ledger.finalStatus(isStopped: isInterrupted, leavesOthers: isLeft || !kept.isEmpty)
        if reporter.command != .mirroring { reporter.summarise(ledger, status: status) }
        endWork.noteEnd(ledger, kind, isTimeOver: stop == .time, status: status)
        return status
    }

    /// Reports how many transfers ended in each way, if that is not obvious, and what could not be run.
    private func sumUp(_ left: QueueRest?, _ kept: KeptTransfers) {
        guard let left else {
            guard case .transfers(let count) = kind, count > 1 else { return }
            for line in ledger.summaryLines { console.notice(line) }
            return
        }
        if ledger.tally.ended > 0 {
            console.notice(ledger.tally.summary)
        } else {
            let isNothingLeft = left.isEmpty && kept.isEmpty
            let text = ledger.hasStarted ? "No transfer has ended." : "No transfer could run."
            console.notice(isNothingLeft ? left.nothingLine : text)
        }
        for line in left.lines { console.notice(line) }
    }

    private func tellWhatIsKept() async throws {
        guard ledger.unfinishedCount <= ForegroundRun.mostNamed else {
            let text = ForegroundRun.keptText(
                ofMany: ledger.unfinishedCount,
                keeping: ledger.keptBytes,
                kind,
                isReleased: isReleased,
                isResumedByRepeating: isResumedByRepeating,
                resuming: resuming.ofMany
            )
            console.notice(text)
            return
        }
        // A process that came later may have resumed it.
        let owners = try await OwnerDirectory(engine)
        for id in ledger.unfinishedIDs {
            let transfer = try await engine.snapshot(of: id)
            let process = owners.otherProcess(of: transfer)
            let text = ForegroundRun.keptText(
                transfer,
                kind,
                isReleased: isReleased,
                process: process,
                resuming: resuming.ofOne
            )
            console.notice(text)
        }
    }
}
