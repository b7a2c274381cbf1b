/// The sources of a download: its own URL, the mirrors that were given, and those that a server named.
public struct SourceList: Hashable, Sendable {
    private let own: HTTPURL
    private let given: [HTTPURL]
    private let discovered: [HTTPURL]

    /// The sources of a transfer.
    public init(_ specification: DownloadSpecification, _ mirroring: Mirroring) {
        own = specification.url
        given = specification.options.mirrors
        // Where the server's digests count for nothing, nothing vouches for the mirrors that it names.
        let isUnwanted =
            specification.options.ignoresServerDigests || specification.options.ignoresServerMirrors
        discovered = isUnwanted ? [] : mirroring.discovered
    }

    /// All of them, in the order in which they are asked.
    public var ids: [SourceID] {
        [.own] + given.indices.map { SourceID(rawValue: 1 + $0) }
            + discovered.indices.map { SourceID.discovered(at: $0) }
    }

    /// The URL of a source; `nil` when there is none of that number.
    public subscript(_ id: SourceID) -> HTTPURL? {
        if id == .own { return own }
        if id.isDiscovered {
            let index = id.rawValue - SourceID.firstDiscovered
            return discovered.indices.contains(index) ? discovered[index] : nil
        }
        return given.indices.contains(id.rawValue - 1) ? given[id.rawValue - 1] : nil
    }
}
