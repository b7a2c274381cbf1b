import Ferry
import FerryFrontend

/// The format of `--write-out`, as curl's: text with fields of an ended transfer.
struct WriteOut: Hashable, Sendable {
    /// A field, by curl's name where curl has it.
    enum Field: String, CaseIterable {
        case contentType = "content_type"
        case errorMessage = "errormsg"
        case exitCode = "exitcode"
        case fileName = "filename_effective"
        case httpCode = "http_code"
        case id
        case json
        case redirectURL = "redirect_url"
        case responseCode = "response_code"
        case sizeDownload = "size_download"
        case sizeUpload = "size_upload"
        case speedDownload = "speed_download"
        case speedUpload = "speed_upload"
        case state
        case time = "time_total"
        case url
        case effectiveURL = "url_effective"

        /// All of them, as they are typed.
        static let list = allCases.map { "%{\($0.rawValue)}" }.joined(separator: ", ")
    }

    private enum Piece: Hashable {
        case text(String)
        case field(Field)
    }

    private let pieces: [Piece]
    /// The names of the fields that are unknown. As in curl, nothing is printed for them.
    let unknown: [String]

    /// Reads a format: `%{field}`, `%%`, `\n`, `\r`, `\t` and `\\`; anything else stands for itself.
    init(parsing format: String) {
        var pieces: [Piece] = []
        var unknown: [String] = []
        var text = ""
        var rest = format[...]
        while let character = rest.popFirst() {
            switch (character, rest.first) {
            case ("%", "{"):
                guard let end = rest.firstIndex(of: "}") else {
                    text.append(character)
                    continue
                }
                let name = String(rest[rest.index(after: rest.startIndex)..<end])
                if let field = Field(rawValue: name) {
                    pieces += [.text(text), .field(field)]
                    text = ""
                } else {
                    unknown.append(name)
                }
                rest = rest[rest.index(after: end)...]
            case ("%", "%"), ("\\", "\\"): text.append(rest.removeFirst())
            case ("\\", "n"), ("\\", "r"), ("\\", "t"):
                text += ["n": "\n", "r": "\r", "t": "\t"][rest.removeFirst()] ?? ""
            default: text.append(character)
            }
        }
        self.pieces = pieces + [.text(text)]
        self.unknown = unknown
    }

    /// What a person is told of unknown fields; `nil` if all are known.
    var warning: String? {
        var names: [String] = []
        for name in unknown where !names.contains(name) { names.append(name) }
        guard !names.isEmpty else { return nil }
        let shown = names.map { "%{\(TerminalText.safe($0))}" }.joined(separator: ", ")
        let (label, pronoun) = names.count == 1 ? ("field", "it") : ("fields", "them")
        return "--write-out has no \(label) \(shown), and prints nothing for \(pronoun). "
            + "It has \(Field.list)."
    }

    /// The text for an ended transfer.
    ///
    /// - Parameters:
    ///   - took: how long it took; `nil` if it was not seen to begin.
    ///   - isEarlier: whether it had ended before the command began. Then this command asked no server, and the status and the
    ///     bytes are those of curl without a transfer.
    func text(for announcement: Announcement, took: Duration?, isEarlier: Bool = false) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(.httpCode) where isEarlier, .field(.responseCode) where isEarlier: "000"
            case .field(.contentType) where isEarlier, .field(.redirectURL) where isEarlier: ""
            case .field(.sizeDownload) where isEarlier, .field(.sizeUpload) where isEarlier: "0"
            case .field(let field): Self.value(of: field, announcement, took)
            }
        }
        .joined()
    }

    /// The status of the answer that failed it; otherwise the one that its work tells. `nil` without an answer.
    private static func status(of transfer: Transfer) -> Int? {
        if case .failed(let failure) = transfer.state, let status = failure.status { return status }
        return transfer.work.latestStatus ?? transfer.latestFailure?.status
    }

    private static func value(of field: Field, _ announcement: Announcement, _ took: Duration?) -> String {
        let transfer = announcement.transfer
        let wording = transfer.wording
        // If it was up to date, only a question was sent, and its answer had no body.
        let (received, sent) = transfer.isUpToDate ? (0, 0) : wording.bodyBytes(announcement.progress)
        let milliseconds = took?.wholeMilliseconds ?? 0
        switch field {
        case .contentType: return TerminalText.safe(wording.mediaType ?? "")
        case .effectiveURL: return wording.answeringURL
        case .errorMessage: return transfer.latestFailure?.message ?? ""
        case .exitCode: return "\(ExitStatus(transfer.state).rawValue)"
        case .fileName: return transfer.finalPath ?? ""
        case .httpCode, .responseCode: return status(of: transfer).map { "\($0)" } ?? "000"
        case .id: return "\(transfer.id)"
        case .json: return announcement.json(owners: OwnerDirectory()).text
        case .redirectURL: return wording.redirectTarget ?? ""
        case .sizeDownload: return "\(received)"
        case .sizeUpload: return "\(sent)"
        case .speedDownload: return speed(of: received, in: milliseconds)
        case .speedUpload: return speed(of: sent, in: milliseconds)
        case .state: return transfer.state.name.rawValue
        case .time:
            let rest = "\(milliseconds % 1000)"
            return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
        case .url: return transfer.work.url.redacted
        }
    }

    /// Bytes per second; 0 for a transfer that was not seen to begin.
    private static func speed(of bytes: Int64, in milliseconds: Int64) -> String {
        milliseconds > 0 ? "\(Int64(Double(bytes) * 1000 / Double(milliseconds)))" : "0"
    }
}
