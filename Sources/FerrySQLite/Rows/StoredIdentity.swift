import FerryCore

/// The identity of a transfer as the store keeps it: a digest, so that no part of a URL outlives the
/// transfer.
struct StoredIdentity: Hashable {
    /// A short digest, by which an index finds it: numbers are compared faster than bytes, and take less room. Others may
    /// share it.
    let number: Int64
    /// The digest that no other has.
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
    /// - Parameter block: the block of the identity before, which mostly is that of this one as well.
    init(_ identity: String, latest block: inout ClusteredDigest.Block?) {
        self.init(ClusteredDigest(identity, latest: &block))
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

/// The identities of what is added: that of a transfer which may still run, and that of one which is over. They are the same
/// unless the URL has a password.
struct StoredIdentities {
    /// The identity of work that may still run.
    let unfinished: StoredIdentity?
    /// The identity of what is over, if it was asked for.
    let completed: StoredIdentity?

    /// Digests them; neighbours in one list share a part of the work.
    init(_ work: Work, latest block: inout ClusteredDigest.Block?, isOverAsWell: Bool) {
        let identity = work.identity
        let digest = identity.map { StoredIdentity($0, latest: &block) }
        unfinished = digest
        let over = isOverAsWell ? work.completedIdentity : nil
        completed = over == identity && over != nil ? digest : over.map { StoredIdentity($0, latest: &block) }
    }
}
