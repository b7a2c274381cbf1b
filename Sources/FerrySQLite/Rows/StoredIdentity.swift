import FerryCore

/// The identity of a transfer as the store keeps it: a digest, so that no part of a URL outlives the
/// transfer.
struct StoredIdentity: Hashable {
    /// A short digest for the index: numbers are smaller than bytes and compare faster. Two identities may share it.
    let number: Int64
    /// The full digest, which is unique.
    let digest: [UInt8]

    init(_ identity: String) {
        self.init(ClusteredDigest(identity))
    }

    private init(_ digest: ClusteredDigest) {
        number = digest.number
        self.digest = digest.bytes
    }

    /// Digests an identity.
    ///
    /// - Parameter block: the block of the previous identity, which usually is the block of this one too.
    init(_ identity: String, latest block: inout ClusteredDigest.Block?) {
        self.init(ClusteredDigest(identity, latest: &block))
    }

    /// The identity of work that may still run.
    static func unfinished(_ work: Work) -> StoredIdentity? {
        work.identity.map { StoredIdentity($0) }
    }

    /// The identity of completed work.
    static func completed(_ work: Work) -> StoredIdentity? {
        work.completedIdentity.map { StoredIdentity($0) }
    }
}

/// The two identities of added work: as unfinished and as completed work. They differ only if the URL has a password.
struct StoredIdentities {
    /// The identity of work that may still run.
    let unfinished: StoredIdentity?
    /// The identity of completed work, if requested.
    let completed: StoredIdentity?

    /// Digests them; neighbours in one list share part of the digesting.
    init(_ work: Work, latest block: inout ClusteredDigest.Block?, isOverAsWell: Bool) {
        unfinished = work.identity.map { StoredIdentity($0, latest: &block) }
        if !isOverAsWell {
            completed = nil
        } else if work.url.password == nil {
            completed = unfinished
        } else {
            completed = work.completedIdentity.map { StoredIdentity($0, latest: &block) }
        }
    }
}
