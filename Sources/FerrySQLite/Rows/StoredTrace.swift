import FerryCore

/// What finds a finished file, as the store keeps it: a short digest, so that the index stays small. Two files may share one, so the
/// row is looked at as well.
struct StoredTrace: Hashable {
    /// The column.
    let number: Int64

    /// Of a path.
    init(path: String) { number = ClusteredDigest(path).number }

    /// Of a digest.
    init(digest: Checksum) { number = ClusteredDigest("\(digest.algorithm.rawValue):\(digest.hex)").number }
}
