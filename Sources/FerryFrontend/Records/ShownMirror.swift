package import Ferry

/// A mirror of a transfer, as it may be shown (I7).
package struct ShownMirror: Hashable, Sendable {
    /// The URL; redacted unless the user asked for whole URLs.
    let url: String
    /// Whether a server named it, rather than the user.
    let isDiscovered: Bool
    /// Why it is not used any more; `nil` if it is used.
    let exclusion: Mirroring.Exclusion?

    /// The mirrors of a transfer: first those from the user, then those from a server.
    package static func all(of transfer: Transfer, revealing: Bool = false) -> [ShownMirror] {
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

    /// Why the URL of the transfer itself is not used any more; `nil` if it is used.
    package static func exclusionOfURL(of transfer: Transfer) -> Mirroring.Exclusion? {
        transfer.download?.progress.mirroring.excluded[.own]
    }

    /// The mirror for a person.
    package var text: String {
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

    /// The text after the URL of a source: why it is not used any more, or nothing if it is used.
    package static func aside(_ exclusion: Mirroring.Exclusion?) -> String {
        exclusion.map { "; no longer used: \($0.explanation)" } ?? ""
    }
}

extension Transfer {
    /// A URL of this transfer for printing: redacted, unless the user asked for whole URLs and no secret was dropped.
    package func shown(_ url: HTTPURL, revealing: Bool) -> String {
        revealing && !hasDroppedSecrets ? url.absoluteString : url.redacted
    }

    /// Explains that requested secrets were dropped; `nil` if none were.
    package var goneSecretsText: String? {
        guard hasDroppedSecrets else { return nil }
        let urls = [work.url.redacted] + ShownMirror.all(of: self).map(\.url)
        guard urls.contains(where: { $0.contains("…") }) else { return nil }
        return "dropped when the transfer was \(state.name); shown as …"
    }
}
