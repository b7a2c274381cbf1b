/// The sources of a download: its own URL, the user's mirrors, and the discovered mirrors.
package struct SourceList: Hashable, Sendable {
    /// All sources, in the order in which they are asked.
    package private(set) var ids: [SourceID] = [.own]
    private let own: HTTPURL
    private var mirrors: [SourceID: HTTPURL] = [:]

    /// Creates the list of a transfer's sources. If two URLs lead to one resource, the first counts.
    package init(_ specification: DownloadSpecification, _ mirroring: Mirroring) {
        let options = specification.options
        // If the server's digests do not count, nothing vouches for the mirrors that it names.
        let isUnwanted = options.ignoresServerDigests || options.ignoresServerMirrors
        own = specification.url
        for url in options.mirrors + (isUnwanted ? [] : mirroring.discovered) {
            let id = SourceID.mirror(url)
            guard mirrors[id] == nil else { continue }
            mirrors[id] = url
            ids.append(id)
        }
    }

    /// The URL of a source; `nil` if it is not, or no longer, a source of this download.
    package subscript(_ id: SourceID) -> HTTPURL? { id == .own ? own : mirrors[id] }

    /// Whether the source is in the list.
    package func contains(_ id: SourceID) -> Bool { id == .own || mirrors[id] != nil }
}
