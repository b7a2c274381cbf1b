import Ferry
import FerryFrontend

/// What the tool says of a transfer that depends on the kind of its work.
protocol WorkWording: Sendable {
    /// The transfer that is spoken of.
    var transfer: Transfer { get }
    /// The name for a person. Safe for a terminal.
    var name: String { get }
    /// The destination of the bytes, as far as it is known. Safe for a terminal.
    var destination: String { get }
    /// The absolute path that a list shows; it ends in a guess until the name of the file is known. `nil` if a list shows
    /// ``name`` instead.
    var path: String? { get }
    /// The label of the URL.
    var urlLabel: String { get }
    /// What begins, such as "Downloading NAME from URL", or "Checking NAME against URL".
    var beginning: String { get }
    /// What another run does, such as "resumes".
    var continuation: String { get }
    /// What it does to its file: "fetches", or "sends".
    var verb: String { get }
    /// The command that repeats a completed transfer.
    var repetition: String { get }
    /// Whether the same command line continues it, rather than adding another one.
    var isResumedByRepeating: Bool { get }
    /// What a cancel removes; `nil` if there is nothing to remove.
    var residue: String? { get }
    /// What a cancelled transfer left behind that a person should know, as a clause, and what to do about it.
    var remnant: (clause: String, hint: String?)? { get }
    /// Whether it is being sent and may not be sent again, so that a stop waits for its answer.
    var mustBeAnswered: Bool { get }
    /// Whether a note says where it has resumed, and what proves that this is right.
    var notesResumption: Bool { get }
    /// What a running attempt does before any byte is counted.
    var silence: String { get }
    /// Whether all bytes are there and the rest takes a moment.
    var isFinishing: Bool { get }
    /// What a running attempt does whose bytes have all come, or have all been sent; `amount` is how many.
    func whole(_ amount: String) -> String
    /// Whether its bytes go to the server, so that they are sent and not received.
    var sendsBytes: Bool { get }
    /// The media type of the body that the server sent, without parameters; `nil` if none is known.
    var mediaType: String? { get }
    /// The URL that answered, after redirects, as far as that is recorded.
    var answeringURL: String { get }
    /// Where a redirect leads that was not followed; `nil` without one.
    var redirectTarget: String? { get }
    /// Whether it is recorded how many bytes an attempt brought or sent.
    var recordsBytes: Bool { get }
    /// Its names that no line is broken in. The path of a downloaded file may have blanks; a URL has none.
    var wholeNames: [String] { get }
    /// The bytes that count when it is completed.
    var completedBytes: Int64 { get }
    /// The bytes of bodies that were received and sent.
    func bodyBytes(_ progress: TransferProgress) -> (received: Int64, sent: Int64)
    /// The line about a completed transfer.
    ///
    /// - Parameter figures: ``completedBytes``, and how long it took.
    func completed(_ figures: String) -> String

    /// What `ferry show --reveal` adds, by label.
    var secrets: [(label: String, text: String)] { get }

    /// The details that `ferry show` prints for this kind only, by label.
    ///
    /// - Parameter time: formats a moment.
    func details(
        _ progress: TransferProgress,
        _ time: (Instant) -> String
    ) -> [(label: String, text: String?)]
}

extension WorkWording {
    var path: String? { nil }
    var notesResumption: Bool { false }
    var silence: String { "connecting" }
    var sendsBytes: Bool { false }
    var mediaType: String? { nil }
    var answeringURL: String { transfer.work.url.redacted }
    var redirectTarget: String? { nil }
    var recordsBytes: Bool { true }
    var wholeNames: [String] { [] }
    var completedBytes: Int64 { transfer.recordedProgress.received }
    var secrets: [(label: String, text: String)] { [] }

    func bodyBytes(_ progress: TransferProgress) -> (received: Int64, sent: Int64) {
        sendsBytes ? (0, progress.received) : (progress.received, 0)
    }

    /// Why a file was sent again, or that it may have replaced another, after a blank; empty otherwise.
    var remarkOnSending: String {
        guard let note = transfer.work.note, [.sentAgain, .conditionInDoubt].contains(note.code)
        else { return "" }
        return " \(TerminalText.safe(note.message))"
    }
}

extension Transfer {
    /// What the tool says of its kind of work.
    var wording: any WorkWording {
        switch work {
        case .download(let work): DownloadWording(transfer: self, work: work)
        case .request(let work): RequestWording(transfer: self, work: work)
        case .upload(let work): UploadWording(transfer: self, work: work)
        }
    }
}
