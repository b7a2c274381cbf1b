import Ferry
import FerryFrontend

/// What the tool says of an upload that can be resumed.
struct UploadWording: WorkWording {
    let transfer: Transfer
    let work: UploadWork

    /// The file and the URL.
    var name: String {
        TerminalText.safe("\(work.specification.fileName) to \(work.specification.url.redacted)")
    }

    var destination: String { TerminalText.safe(work.specification.url.redacted) }

    var urlLabel: String { "URL" }

    var beginning: String { "Uploading \(name)" }

    var continuation: String { "resumes" }

    var verb: String { "sends" }

    var repetition: String { "`ferry put --overwrite`" }

    var isResumedByRepeating: Bool { true }

    var residue: String? { work.progress.handle == nil ? nil : "what the server has received" }

    var remnant: (clause: String, hint: String?)? {
        let host = TerminalText.safe(work.specification.url.hostAndPort)
        guard work.progress.handle == nil else {
            return (
                "what \(host) has received is still to be removed",
                "Any `ferry` that runs transfers removes it. `ferry cancel --keep-part \(transfer.id)` leaves it there."
            )
        }
        guard work.progress.note?.code == .leftAtServer else { return nil }
        return ("\(host) may keep what it has received", nil)
    }

    var mustBeAnswered: Bool { false }

    var isFinishing: Bool { false }

    var sendsBytes: Bool { true }

    func whole(_ amount: String) -> String { "sent \(amount), waiting for the answer" }

    func completed(_ figures: String) -> String {
        if transfer.isUpToDate { return "Up to date: \(destination)." }
        return "Done: \(name) (\(figures))." + remarkOnSending
    }

    func details(
        _ progress: TransferProgress,
        _ time: (Instant) -> String
    ) -> [(label: String, text: String?)] {
        let specification = work.specification
        let tag = work.progress.result?.entityTag
        return [
            ("File", TerminalText.safe(specification.file.path)),
            ("Protocol", "\(specification.protocolName)"),
            ("Type", specification.contentType.map { TerminalText.safe($0) }),
            ("Part size", work.progress.partSize.map { ByteCount($0).formatted }),
            ("Bytes sent", progress.total.map { _ in "\(progress.shareText), confirmed by the server" }),
            ("Begun", work.progress.sent.map(time)),
            ("ETag", tag.map { TerminalText.safe($0) }),
            ("Version", work.progress.result?.version.map { TerminalText.safe($0) }),
            ("Note", work.progress.note.map { TerminalText.safe($0.message) }),
        ]
    }
}
