import Ferry
import FerryFrontend

/// What is known of a download before it begins.
struct DownloadPreview: Sendable {
    private let download: DownloadSpecification
    private let answer: FileInquiry.Answer
    /// The path of the file; `nil` for standard output.
    private let path: String?
    /// What has that path already; `nil` for standard output.
    private let destination: DestinationPreview?

    /// - Parameter kind: tells what exists under a path.
    init(
        _ download: DownloadSpecification,
        _ answer: FileInquiry.Answer,
        kind: (String) -> FileSurvey.Kind?
    ) {
        (self.download, self.answer) = (download, answer)
        guard case .file(let directory, let name) = download.destination else {
            (path, destination) = (nil, nil)
            return
        }
        let chosen = name ?? (download.options.isSealed ? answer.name.sealed : answer.name)
        let path = FilePath.absolute(chosen.rawValue, in: directory)
        self.path = path
        destination = DestinationPreview(kind(path), isNamed: name != nil, download.options)
    }

    /// The mirrors of the user, then those of the server.
    private var mirrors: [HTTPURL] {
        download.options.mirrors + (download.options.ignoresServerMirrors ? [] : answer.mirrors)
    }

    /// The digest that the file must have; otherwise the one that the server gives.
    private var digest: Checksum? { download.options.checksum ?? answer.digest }

    /// The lines for a person.
    var lines: [String] {
        var lines = [TerminalText.safe(path ?? "standard output")]
        func add(_ label: String, _ text: String?) {
            guard let text else { return }
            lines.append(TerminalText.labelled(label, text))
        }
        add("Exists", destination?.text)
        add("URL", download.url.redacted)
        add("Answered by", answer.url == download.url ? nil : answer.url.redacted)
        add("Size", answer.length.map { ByteCount($0).detailed } ?? "not told")
        add("Type", answer.mediaType)
        add("Compressed", answer.contentCoding)
        add("Ranges", answer.sendsParts ? "yes, the download can be resumed" : "no, it cannot be resumed")
        add("ETag", answer.entityTag?.description)
        add("Last modified", answer.lastModified)
        add("Digest", digest.map { "\($0.algorithm.rawValue) \($0.hex)" })
        for mirror in mirrors { add("Mirror", mirror.redacted) }
        return lines
    }

    /// The same as JSON.
    var json: JSON {
        .object([
            .init(name: "url", value: .string(download.url.redacted)),
            .init(name: "answeredBy", value: .string(answer.url.redacted)),
            .init(name: "path", value: .optional(path)),
            .init(name: "exists", value: destination.map { JSON.bool($0.exists) } ?? .null),
            .init(name: "existingKind", value: .optional(destination?.existingKind)),
            .init(name: "action", value: .optional(destination?.action.rawValue)),
            .init(name: "otherwise", value: .optional(destination?.otherwise?.rawValue)),
            .init(name: "length", value: .optional(answer.length)),
            .init(name: "mediaType", value: .optional(answer.mediaType)),
            .init(name: "contentCoding", value: .optional(answer.contentCoding)),
            .init(name: "ranges", value: .bool(answer.sendsParts)),
            .init(name: "etag", value: .optional(answer.entityTag?.description)),
            .init(name: "lastModified", value: .optional(answer.lastModified)),
            .init(name: "checksum", value: .optional(digest.map { "\($0.algorithm.rawValue)=\($0.hex)" })),
            .init(name: "mirrors", value: .array(mirrors.map { .string($0.redacted) })),
        ])
    }
}
