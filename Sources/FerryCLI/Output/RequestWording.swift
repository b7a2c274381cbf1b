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

    var isResumedByRepeating: Bool { false }

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
        let specification = work.specification
        let type = specification.exchange.headers.mediaType
        let names = work.progress.response?.fields.map(\.name) ?? []
        return [
            ("Method", specification.methodName),
            ("Key", specification.key?.field),
            ("Body", specification.body.isEmpty ? nil : Self.size(specification.body, type)),
            ("Sent", work.progress.sent.map(time)),
            ("Response", work.progress.response.map(Self.response)),
            ("Fields", names.isEmpty ? nil : names.joined(separator: ", ")),
        ]
    }

    /// The status, and the size and the media type of the body. The body itself may be a secret.
    private static func response(_ response: StoredResponse) -> String {
        "\(response.status), \(size(response.body, response.fields.mediaType))"
            + (response.isTruncated ? ", cut off" : "")
    }

    private static func size(_ body: [UInt8], _ type: String?) -> String {
        ByteCount(Int64(body.count)).formatted + (type.map { ", \($0)" } ?? "")
    }
}
