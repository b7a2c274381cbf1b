import FerryCore

/// The key that finds a finished file: a short digest, so that the index stays small. Two files may have the same key,
/// so the reader checks the row too.
struct StoredTrace: Hashable {
    /// The column.
    let number: Int64

    /// The trace of a path.
    init(path: String) { number = ClusteredDigest(path).number }

    /// The trace of a digest.
    init(digest: Checksum) { number = ClusteredDigest("\(digest.algorithm.rawValue):\(digest.hex)").number }
}
