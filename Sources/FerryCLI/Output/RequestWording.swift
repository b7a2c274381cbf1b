import Ferry
import FerryFrontend

/// What the tool says of a request.
struct RequestWording: WorkWording {
    let transfer: Transfer
    let work: RequestWork

    /// The method and the URL.
    var name: String {
        TerminalText.safe("\(work.specification.methodName) \(work.specification.url.redacted)")
    }

    var destination: String { "the store" }

    var urlLabel: String { "URL" }

    var beginning: String { "Sending \(name)" }

    var continuation: String { "sends it again" }

    var repetition: String { "`ferry remove \(transfer.id)`, then the same command," }

    var residue: String? { nil }

    var remnant: (clause: String, hint: String?)? {
        work.progress.sent == nil ? nil : ("it may have arrived", nil)
    }

    var isFinishing: Bool { false }

    func completed(_ figures: String) -> String {
        let answer = work.progress.response.map { " was answered with \($0.status)" } ?? ""
        return "Done: \(name)\(answer) (\(figures))."
    }

    func details(
        _ progress: TransferProgress,
        _ time: (Instant) -> String
    ) -> [(label: String, text: String?)] {
        let body = work.specification.body.count
        return [
            ("Method", work.specification.methodName),
            ("Body", body == 0 ? nil : ByteCount(Int64(body)).formatted),
            ("Sent", work.progress.sent.map(time)),
            ("Response", work.progress.response.map(Self.response)),
        ]
    }

    /// The status and the size of the body. The body itself may be a secret.
    private static func response(_ response: StoredResponse) -> String {
        "\(response.status), \(ByteCount(Int64(response.body.count)).formatted)"
            + (response.isTruncated ? ", cut off" : "")
    }
}
