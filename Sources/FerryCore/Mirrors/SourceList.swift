/// The sources of a download: its own URL, the mirrors that were given, and those that a server named.
public struct SourceList: Hashable, Sendable {
    /// All of them, in the order in which they are asked.
    public private(set) var ids: [SourceID] = [.own]
    private var urls: [SourceID: HTTPURL]

    /// The sources of a transfer. Of two URLs of one resource the first one counts.
    public init(_ specification: DownloadSpecification, _ mirroring: Mirroring) {
        let options = specification.options
        // Where the server's digests count for nothing, nothing vouches for the mirrors that it names.
        let isUnwanted = options.ignoresServerDigests || options.ignoresServerMirrors
        urls = [.own: specification.url]
        for url in options.mirrors + (isUnwanted ? [] : mirroring.discovered) {
            let id = SourceID.mirror(url)
            guard urls.updateValue(urls[id] ?? url, forKey: id) == nil else { continue }
            ids.append(id)
        }
    }

    /// The URL of a source; `nil` when it is none of this download, or not any more.
    public subscript(_ id: SourceID) -> HTTPURL? { urls[id] }

    /// Whether there is such a source.
    public func contains(_ id: SourceID) -> Bool { urls[id] != nil }
}
