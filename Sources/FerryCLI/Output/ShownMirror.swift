import Ferry

/// A mirror of a transfer, as it may be shown (I7).
struct ShownMirror: Hashable, Sendable {
    /// The URL, redacted.
    let url: String
    /// Whether a server named it, rather than the user.
    let isDiscovered: Bool
    /// Why it is not used any more; `nil` while it is.
    let exclusion: Mirroring.Exclusion?

    /// The mirrors of a transfer: those that were given, then those that a server named.
    static func all(of transfer: Transfer) -> [ShownMirror] {
        let given = transfer.specification.options.mirrors
        let mirroring = transfer.checkpoint.mirroring
        return (given + mirroring.discovered).enumerated().map { index, url in
            ShownMirror(
                url: url.redacted,
                isDiscovered: index >= given.count,
                // The transfer's own URL is the first of its sources.
                exclusion: mirroring.excluded[SourceID(rawValue: SourceID.own.rawValue + 1 + index)]
            )
        }
    }

    /// The mirror for a person.
    var text: String {
        let origin = isDiscovered ? " (named by a server)" : ""
        return url + origin + Self.aside(exclusion)
    }

    /// The mirror as JSON.
    var json: JSON {
        [
            "url": .string(url), "isDiscovered": .bool(isDiscovered),
            "excluded": .optional(exclusion?.rawValue),
        ]
    }

    /// That a source is not used any more, and why, behind its URL; nothing while it is.
    static func aside(_ exclusion: Mirroring.Exclusion?) -> String {
        exclusion.map { "; not used any more: \(reason($0))" } ?? ""
    }

    private static func reason(_ exclusion: Mirroring.Exclusion) -> String {
        switch exclusion {
        case .length: "it serves a file of another length"
        case .bytes: "it serves other bytes where some are there"
        case .digest: "it tells another digest than the file must have"
        case .wrongBytes: "what it gave was not what the digest says"
        case .changed: "the file changed there after it gave bytes"
        }
    }
}
