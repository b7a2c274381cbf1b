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

    var repetition: String { "`ferry remove \(transfer.id)`, then the same command," }

    var isResumedByRepeating: Bool { true }

    var residue: String? { nil }

    var remnant: (clause: String, hint: String?)? {
        work.progress.handle == nil ? nil : ("the server may keep what it has received", nil)
    }

    var mustBeAnswered: Bool { false }

    var isFinishing: Bool { false }

    func whole(_ amount: String) -> String { "sent \(amount), waiting for the answer" }

    func completed(_ figures: String) -> String { "Done: \(name) (\(figures))." }

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
            ("Confirmed", ByteCount(work.progress.confirmed).formatted),
            ("Begun", work.progress.sent.map(time)),
            ("ETag", tag.map { TerminalText.safe($0) }),
            ("Version", work.progress.result?.version.map { TerminalText.safe($0) }),
            ("Note", work.progress.note.map { TerminalText.safe($0.message) }),
        ]
    }
}
