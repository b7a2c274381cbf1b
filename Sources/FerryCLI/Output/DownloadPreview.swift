import Ferry
import FerryFrontend

/// What is known of a download before it begins.
struct DownloadPreview: Preview, Sendable {
    private let download: DownloadSpecification
    private let answer: FileInquiry.Answer
    /// The place of the file; `nil` for standard output.
    private let place: FilePlace?
    /// What has that name already; `nil` if nothing has it.
    private let existing: FileSurvey.Entry?
    /// What `ferry get` would do; `nil` for standard output.
    private let action: ForeseenAction?

    /// A download to standard output.
    init(_ download: DownloadSpecification, _ answer: FileInquiry.Answer) {
        (self.download, self.answer) = (download, answer)
        (place, existing, action) = (nil, nil, nil)
    }

    /// A download to a file.
    init(
        _ download: DownloadSpecification,
        _ answer: FileInquiry.Answer,
        to place: FilePlace,
        _ existing: FileSurvey.Entry?,
        _ action: ForeseenAction
    ) {
        (self.download, self.answer) = (download, answer)
        (self.place, self.existing, self.action) = (place, existing, action)
    }

    /// The mirrors of the user, then those of the server.
    private var mirrors: [HTTPURL] {
        download.options.mirrors + (download.options.ignoresServerMirrors ? [] : answer.mirrors)
    }

    /// The digest that the file must have; otherwise the one that the server gives.
    private var digest: Checksum? { download.options.checksum ?? answer.digest }

    var path: String? { place?.path }

    /// Why `ferry get` would fail; `nil` if it would not.
    var failure: CommandFailure? { action?.failure }

    var details: [(label: String, text: String?)] {
        var details: [(label: String, text: String?)] = [
            ("Exists", place.map { _ in existing == nil ? "no" : "yes" }),
            ("Download", action?.text),
            ("URL", download.url.redacted),
            ("Answered by", answer.url == download.url ? nil : answer.url.redacted),
            ("Size", answer.length.map { ByteCount($0).detailed } ?? "not told"),
            ("Type", answer.mediaType),
            ("Compressed", answer.contentCoding),
            ("Ranges", answer.sendsParts ? "yes, the download can be resumed" : "no, it cannot be resumed"),
            ("ETag", answer.entityTag?.description),
            ("Last modified", answer.lastModified),
            ("Digest", digest.map { "\($0.algorithm.rawValue) \($0.hex)" }),
        ]
        for mirror in mirrors { details.append((label: "Mirror", text: mirror.redacted)) }
        return details
    }

    var json: JSON {
        .object([
            .init(name: "url", value: .string(download.url.redacted)),
            .init(name: "answeredBy", value: .string(answer.url.redacted)),
            .init(name: "path", value: .optional(path)),
            .init(name: "exists", value: place.map { _ in JSON.bool(existing != nil) } ?? .null),
            .init(name: "existingKind", value: .optional(existing?.kind.name)),
            .init(name: "action", value: .optional(action?.name)),
            .init(name: "transfer", value: .optional(action?.transfer?.id.rawValue)),
            .init(name: "received", value: .optional(action?.transfer?.recordedProgress.received)),
            .init(name: "reason", value: .optional(action?.failure?.message)),
            .init(name: "length", value: .optional(answer.length)),
            .init(name: "mediaType", value: .optional(answer.mediaType)),
            .init(name: "contentCoding", value: .optional(answer.contentCoding)),
            .init(name: "ranges", value: .bool(answer.sendsParts)),
            .init(name: "etag", value: .optional(answer.entityTag?.description)),
            .init(name: "lastModified", value: .optional(answer.lastModified)),
            .init(name: "checksum", value: .optional(digest?.text)),
            .init(name: "mirrors", value: .array(mirrors.map { .string($0.redacted) })),
        ])
    }
}
