import Ferry

/// A mirror of a transfer, as it may be shown (I7).
struct ShownMirror: Hashable, Sendable {
    /// The URL; redacted, unless the user asked for all of it.
    let url: String
    /// Whether a server named it, rather than the user.
    let isDiscovered: Bool
    /// Why it is not used any more; `nil` while it is.
    let exclusion: Mirroring.Exclusion?

    /// The mirrors of a transfer: those that were given, then those that a server named.
    static func all(of transfer: Transfer, revealing: Bool = false) -> [ShownMirror] {
        guard let download = transfer.download else { return [] }
        let mirroring = download.progress.mirroring
        let sources = SourceList(download.specification, mirroring)
        let given = Set(download.specification.options.mirrors.map { SourceID.mirror($0) })
        return sources.ids.filter { $0 != .own }.compactMap { id in
            sources[id].map { url in
                ShownMirror(
                    url: transfer.shown(url, revealing: revealing),
                    isDiscovered: !given.contains(id),
                    exclusion: mirroring.excluded[id]
                )
            }
        }
    }

    /// The URLs of the mirrors.
    static func urls(of transfer: Transfer) -> [HTTPURL] {
        guard let download = transfer.download else { return [] }
        let sources = SourceList(download.specification, download.progress.mirroring)
        return sources.ids.filter { $0 != .own }.compactMap { sources[$0] }
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
        exclusion.map { "; not used any more: \($0.explanation)" } ?? ""
    }
}

extension Transfer {
    /// A URL of this transfer as it is printed: redacted, unless the user asked for all of it and all of it is there.
    func shown(_ url: HTTPURL, revealing: Bool) -> String {
        revealing && !hasDroppedSecrets ? url.absoluteString : url.redacted
    }

    /// What is said of secrets that were asked for and are gone; `nil` where none are.
    var goneSecretsText: String? {
        guard hasDroppedSecrets else { return nil }
        let urls = [work.url] + ShownMirror.urls(of: self)
        guard urls.contains(where: { $0.redacted.contains("…") }) else { return nil }
        return "gone: they were dropped when the transfer was \(state.name); … stands for them"
    }
}
