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

    func whole(_ amount: String) -> String { "sent \(amount), waiting for the answer" }

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
            ("Body", specification.body.isEmpty ? nil : Self.body(specification.body, type)),
            ("Values", specification.values.isEmpty ? nil : Self.values(specification)),
            ("Sent", work.progress.sent.map(time)),
            ("Response", work.progress.response.map(Self.response)),
            ("Fields", names.isEmpty ? nil : names.joined(separator: ", ")),
        ]
    }

    /// The status, and the size and the media type of the body. The body itself may be a secret.
    private static func response(_ response: StoredResponse) -> String {
        "\(response.status), \(size(Int64(response.body.count), response.fields.mediaType))"
            + (response.isTruncated ? ", cut off" : "")
    }

    /// The names of the values that it takes from earlier responses, and where they are. The values may be secrets.
    private static func values(_ specification: RequestSpecification) -> String {
        specification.values.sorted { $0.key < $1.key }.map { TerminalText.safe("\($0.key)=\($0.value)") }
            .joined(separator: ", ")
    }

    /// The size and the media type of the body, and the files in it.
    private static func body(_ body: StoredBody, _ type: String?) -> String {
        ([size(body.length, type)] + body.files.map { TerminalText.safe($0.path) }).joined(separator: ", ")
    }

    private static func size(_ length: Int64, _ type: String?) -> String {
        ByteCount(length).formatted + (type.map { ", \($0)" } ?? "")
    }
}
