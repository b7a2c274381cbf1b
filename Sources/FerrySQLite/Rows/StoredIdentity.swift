import FerryCore
import Foundation

/// What makes two transfers the same one, as the store keeps it: a digest, in which nothing of a URL outlives the transfer.
struct StoredIdentity: Hashable {
    /// The column.
    let bytes: Data

    init(_ identity: String) {
        bytes = Data(ClusteredDigest(identity).bytes)
    }

    /// The identity of what may still run.
    static func unfinished(_ work: Work) -> StoredIdentity? {
        work.identity.map { StoredIdentity($0) }
    }

    /// The identity of what is over.
    static func completed(_ work: Work) -> StoredIdentity? {
        work.completedIdentity.map { StoredIdentity($0) }
    }
}
