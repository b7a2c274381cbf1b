import Ferry
import FerryFrontend

/// What the tool says of a request.
struct RequestWording: WorkWording {
    let transfer: Transfer
    let work: RequestWork

    /// The method and the URL.
    var name: String { TerminalText.safe("\(work.specification.methodName) \(url)") }

    /// The URL as it was typed, with `{name}` where a value of an earlier response goes. Such a value may be a secret, and is
    /// forgotten when the request is over.
    private var url: String {
        work.specification.values.keys.reduce(work.specification.url.redacted) { url, name in
            url.replacing("%7B\(name)%7D", with: "{\(name)}")
        }
    }

    var destination: String {
        work.specification.responseFile.map { TerminalText.safe($0.place.path) } ?? "the store"
    }

    /// The path of its response.
    var wholeNames: [String] { work.responsePath.map { [TerminalText.safe($0)] } ?? [] }

    var urlLabel: String { "URL" }

    var beginning: String { work.progress.former == nil ? "Sending \(name)" : "Checking \(name)" }

    var continuation: String {
        if work.progress.unsaved != nil { return "saves its response" }
        return work.progress.hasAnswer || work.progress.sent != nil ? "sends it again" : "sends it"
    }

    var verb: String { "sends" }

    var repetition: String { "`ferry remove \(transfer.id)`, then the same command," }

    var isResumedByRepeating: Bool { work.identity != nil }

    var recordsBytes: Bool { false }

    var residue: String? { nil }

    var remnant: (clause: String, hint: String?)? {
        work.progress.sent == nil ? nil : ("it may have arrived", nil)
    }

    var mustBeAnswered: Bool { transfer.state == .active && !work.specification.isRepeatable }

    var silence: String { "waiting for the answer" }

    var isFinishing: Bool { false }

    var sendsBytes: Bool { work.progress.upload != nil }

    var mediaType: String? { work.progress.response?.fields.mediaType }

    var redirectTarget: String? {
        guard let response = work.progress.response, (300..<400).contains(response.status),
            let target = response.fields.first(where: { $0.isNamed("Location") })
        else { return nil }
        return ShownField.target(target.value, from: work.url)
    }

    func bodyBytes(_ progress: TransferProgress) -> (received: Int64, sent: Int64) {
        let hasLeft = work.progress.sent != nil || work.progress.hasAnswer
        let sent = sendsBytes ? progress.received : hasLeft ? work.bodyLength : 0
        return (work.progress.response?.length ?? 0, sent)
    }

    func whole(_ amount: String) -> String { "sent \(amount), waiting for the answer" }

    var completedBytes: Int64 {
        work.progress.upload?.length ?? work.progress.response.map(\.length) ?? 0
    }

    func completed(_ figures: String) -> String {
        if transfer.isUpToDate {
            return "Up to date: \(TerminalText.safe(url))."
        }
        let saved = work.responsePath.map { " Saved in \(TerminalText.safe($0))." } ?? ""
        if let note = work.progress.note, note.code == .methodChanged {
            return "Done: \(name) (\(bodies(figures))).\(saved) \(TerminalText.safe(note.message))"
        }
        let answer = work.progress.response.map { " was answered with \($0.status)" } ?? ""
        return "Done: \(name)\(answer) (\(bodies(figures))).\(saved)\(remarkOnSending)"
    }

    /// "sent 206 B, received 23 B", without the body of a request that has none, and the empty response to a file.
    ///
    /// - Parameter figures: those of the body that ``completedBytes`` counts.
    private func bodies(_ figures: String) -> String {
        let (received, sent) = bodyBytes(transfer.recordedProgress)
        guard !sendsBytes else {
            return "sent \(figures)" + (received > 0 ? ", received \(ByteCount(received).formatted)" : "")
        }
        return (sent > 0 ? "sent \(ByteCount(sent).formatted), " : "") + "received \(figures)"
    }

    func details(
        _ progress: TransferProgress,
        _ time: (Instant) -> String
    ) -> [(label: String, text: String?)] {
        let specification = work.specification
        let type = specification.exchange.headers.mediaType
        let names = work.progress.response?.fields.map(\.name) ?? []
        return [
            ("Method", specification.methodName),
            ("Key", specification.key?.field),
            ("Body", work.bodyLength == 0 ? nil : body(type)),
            ("Values", specification.values.isEmpty ? nil : Self.values(specification)),
            ("Sent", work.progress.sent.map(time)),
            ("Bytes sent", countsBytes(progress) ? progress.shareText : nil),
            ("Response", work.progress.response.map(response)),
            ("Fields", names.isEmpty ? nil : names.joined(separator: ", ")),
            ("Note", work.progress.note.map { TerminalText.safe($0.message) }),
        ]
    }

    /// Whether the count of bytes says something. An attempt that was interrupted leaves none, because the next one sends
    /// all of them again, although some may have left.
    private func countsBytes(_ progress: TransferProgress) -> Bool {
        sendsBytes && (transfer.state == .active || transfer.state == .completed || progress.received > 0)
    }

    /// A key is no credential, but anyone who knows it can keep another request from taking effect.
    var secrets: [(label: String, text: String)] {
        work.specification.key.map { [("Key value", $0.value)] } ?? []
    }

    /// The status, and the size and the media type of the body. The body itself may be a secret.
    private func response(_ response: StoredResponse) -> String {
        let path = work.responsePath.map { ", \(TerminalText.safe($0))" } ?? ""
        return "\(response.status), \(Self.size(response.length, response.fields.mediaType))\(path)"
            + (response.isTruncated ? ", cut off" : "")
    }

    /// The names of the values that it takes from earlier responses, and where they are. The values may be secrets.
    private static func values(_ specification: RequestSpecification) -> String {
        specification.values.sorted { $0.key < $1.key }.map { TerminalText.safe("\($0.key)=\($0.value)") }
            .joined(separator: ", ")
    }

    /// The size and the media type of the body, and the files in it.
    private func body(_ type: String?) -> String {
        let files = work.specification.body.files.map { $0.isCopy ? "copied" : TerminalText.safe($0.path) }
        return ([Self.size(work.bodyLength, type)] + files).joined(separator: ", ")
    }

    private static func size(_ length: Int64, _ type: String?) -> String {
        ByteCount(length).formatted + (type.map { ", \($0)" } ?? "")
    }
}
