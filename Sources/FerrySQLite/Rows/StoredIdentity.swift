import FerryCore
import Foundation

/// The identity of a transfer as the store keeps it: a digest, so that no part of a URL outlives the
/// transfer.
struct StoredIdentity: Hashable {
    /// The column.
    let bytes: Data

    init(_ identity: String) {
        bytes = Data(ClusteredDigest(identity).bytes)
    }

    /// The identity of work that may still run.
    static func unfinished(_ work: Work) -> StoredIdentity? {
        work.identity.map { StoredIdentity($0) }
    }

    /// The identity of work that is over.
    static func completed(_ work: Work) -> StoredIdentity? {
        work.completedIdentity.map { StoredIdentity($0) }
    }
}
