import Ferry

/// The paths that a dry run has met. A source may list ten million, so it keeps only eight bytes of each (I9).
///
/// Two paths may have the same eight bytes by chance: among ten million paths, in one of 300,000 dry runs. The second path is then
/// taken for the first one. That does no harm, because a dry run changes nothing.
struct ListedPaths: Sendable {
    private var hashes: Set<UInt64> = []

    /// Adds a path. Paths are compared byte by byte.
    ///
    /// - Returns: whether it was not there.
    mutating func insert(_ path: String) -> Bool {
        var hash = FNV1a()
        hash.add(path.utf8)
        return hashes.insert(hash.value).inserted
    }
}
