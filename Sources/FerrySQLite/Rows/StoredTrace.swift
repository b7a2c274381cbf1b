import Crypto
import FerryCore

/// What finds a finished file, as the store keeps it: a short digest, so that the index stays small. Two files may share one, so the
/// row is looked at as well.
struct StoredTrace: Hashable {
    /// The column.
    let number: Int64

    private init(_ text: String) {
        let bytes = SHA256.hash(data: Array(text.utf8)).prefix(8)
        number = Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Of a path.
    init(path: String) { self.init(path) }

    /// Of a digest.
    init(digest: Checksum) { self.init("\(digest.algorithm.rawValue):\(digest.hex)") }
}
