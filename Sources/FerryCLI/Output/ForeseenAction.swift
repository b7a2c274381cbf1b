import Ferry
import FerryFrontend

/// What `ferry get` would do with a download that is saved to a file. It is decided as the download decides, from what the
/// store and the directory have now.
enum ForeseenAction: Hashable, Sendable {
    /// Nothing: this transfer has saved the file.
    case complete(Transfer)
    /// It follows this transfer, which another process runs.
    case follow(Transfer, process: Int32)
    /// It resumes from the bytes of this transfer.
    case resume(Transfer)
    /// It runs this transfer, whose bytes cannot be resumed.
    case startOver(Transfer)
    /// It waits until this transfer has ended, which has the name.
    case wait(Transfer)
    /// It downloads from the first byte, and does this about the name. It never is `fail`.
    case download(DestinationTable.Decision)
    /// It fails so.
    case fail(CommandFailure)

    /// What is found at the path of the file.
    struct Found: Sendable {
        /// What has the name; `nil` if nothing has it.
        var final: FileSurvey.Entry?
        /// What has the name of the part file; `nil` if nothing has it.
        var part: FileSurvey.Entry?
        /// Why the directory cannot be used.
        var problem: TransferFailure?
        /// Another transfer that is unfinished and has the name.
        var rival: Transfer?

        /// Whether the received bytes of a transfer are still there.
        func hasBytes(of transfer: Transfer) -> Bool {
            guard transfer.recordedProgress.received > 0 else { return false }
            guard case .partFile(_, let claim)? = transfer.work.residue else {
                // The part file that a cancelled one has kept was looked at before.
                return transfer.state == .cancelled
            }
            return part?.identity.isSameFile(as: claim.identity) == true
        }
    }

    /// An owner that no store has. The decision of the store about a new caller is foreseen with it.
    private static let newOwner = OwnerID(rawValue: 0)

    /// - Parameter isNamed: whether the user gave the name. A server cannot name a device.
    init(
        _ foresight: Foresight,
        _ found: Found,
        _ options: DownloadOptions,
        isNamed: Bool,
        owners: OwnerDirectory,
        at now: Instant
    ) {
        var kept: Transfer?
        switch foresight.earlier {
        case .none: break
        case .fulfilled(let transfer):
            self = .complete(transfer)
            return
        case .kept(let transfer): kept = transfer
        case .met(let transfer):
            var met = owners.shown(transfer, at: now)
            do throws(StoreError) {
                _ = try met.meet(foresight.new, holder: Self.newOwner, token: 0, at: now)
            } catch {
                self = .fail(CommandFailure(error))
                return
            }
            if let process = owners.otherProcess(of: transfer) {
                self = .follow(transfer, process: process)
                return
            }
            kept = met
        }
        let saved = found.final.map { DestinationTable.Saved(foresight.saved, $0) } ?? .unrecorded
        var decision = DestinationTable.decide(
            found.final?.kind,
            isNamed: isNamed,
            saved,
            policy: options.existingFile,
            updates: options.updates,
            isProvable: options.canProveFile
        )
        // The part file of the other one is in the way already.
        if found.rival != nil, options.existingFile == .autoRename, decision == .create { decision = .number }
        if let failure = Self.failure(found, decision, saved, options, isNamed: isNamed, owners) {
            self = failure
        } else if let kept, found.hasBytes(of: kept), !decision.mayAccept {
            self = kept.startsOver ? .startOver(kept) : .resume(kept)
        } else {
            self = .download(decision)
        }
    }

    /// Why the download does not begin; `nil` if it does.
    private static func failure(
        _ found: Found,
        _ decision: DestinationTable.Decision,
        _ saved: DestinationTable.Saved,
        _ options: DownloadOptions,
        isNamed: Bool,
        _ owners: OwnerDirectory
    ) -> ForeseenAction? {
        if let problem = found.problem { return .fail(CommandFailure(problem)) }
        if decision == .fail { return .fail(refusal(of: found.final?.kind, saved)) }
        guard let rival = found.rival, options.existingFile != .autoRename, !decision.mayAccept else {
            return nil
        }
        let waits = isNamed || options.existingFile != .overwrite
        guard options.existingFile == .fail || !waits || owners.process(of: rival) == nil else {
            return .wait(rival)
        }
        let reason = "transfer \(rival.id) has this name; it \(rival.standingText)"
        return .fail(CommandFailure(TransferFailure(.destinationExists, reason)))
    }

    /// Why what has the name is not replaced, with the code of the download's failure.
    private static func refusal(
        of kind: FileSurvey.Kind?,
        _ saved: DestinationTable.Saved
    ) -> CommandFailure {
        let (code, reason): (TransferFailure.Code, String) =
            switch kind {
            case .file? where saved == .changed:
                (.destinationExists, "the file was changed since it was saved; --overwrite replaces it")
            case .file?, nil:
                (.destinationExists, "the file exists; --overwrite replaces it, --auto-rename keeps both")
            case let other?: (.cannotCreate, "it is \(other.inWords) and is never replaced")
            }
        return CommandFailure(TransferFailure(code, reason))
    }

    /// The stable name in JSON.
    var name: String {
        switch self {
        case .complete: "complete"
        case .follow: "follow"
        case .resume: "resume"
        case .startOver: "startOver"
        case .wait: "wait"
        case .download(let decision): decision.rawValue
        case .fail: DestinationTable.Decision.fail.rawValue
        }
    }

    /// The transfer that it is about.
    var transfer: Transfer? {
        switch self {
        case .complete(let transfer), .follow(let transfer, _), .resume(let transfer),
            .startOver(let transfer), .wait(let transfer):
            transfer
        case .download, .fail: nil
        }
    }

    /// How it fails; `nil` if it does not.
    var failure: CommandFailure? { if case .fail(let failure) = self { failure } else { nil } }

    /// What it does, for a person, without a subject.
    var text: String {
        switch self {
        case .complete(let transfer): "fetches nothing: transfer \(transfer.id) has saved this file"
        case .follow(let transfer, let process):
            "follows transfer \(transfer.id), which process \(process) runs"
        case .resume(let transfer):
            "resumes transfer \(transfer.id) at \(transfer.recordedProgress.shareText)"
                + (transfer.state == .cancelled ? ", which was cancelled and has kept its part file" : "")
        case .startOver(let transfer):
            "starts transfer \(transfer.id) over: its \(transfer.amountText) cannot be resumed"
        case .wait(let transfer): "waits until transfer \(transfer.id) ends, because it has this name"
        case .download(let decision): Self.text(of: decision)
        case .fail(let failure): "fails: \(TerminalText.clause(failure.message))"
        }
    }

    private static func text(of decision: DestinationTable.Decision) -> String {
        switch decision {
        case .create: "saves a new file"
        case .write: "writes to the device or pipe"
        case .replace: "replaces the file"
        case .update: "replaces the file if the server has another version"
        case .skip: "fetches nothing, because the file exists"
        case .verify: "fetches nothing if the existing file has the digest asked for, and fails otherwise"
        case .number: "saves a new file with a number in its name"
        case .fail: "fails"
        }
    }
}

extension FileSurvey.Kind {
    /// The name in JSON.
    var name: String {
        switch self {
        case .file: "file"
        case .directory: "directory"
        case .symbolicLink: "symlink"
        case .stream: "device"
        case .other: "other"
        }
    }
}
