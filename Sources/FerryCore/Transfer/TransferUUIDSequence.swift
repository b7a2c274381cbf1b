/// Makes the UUIDs of transfers that a store adds together. Each contains the number of its transfer, so that the store
/// finds the transfer without an index of UUIDs.
package struct TransferUUIDSequence {
    private let now: Instant
    private let salt: UInt64

    /// Creates the UUIDs of one moment. They differ from those that another store makes at the same moment.
    package init(at now: Instant, using generator: inout some RandomNumberGenerator) {
        self.now = now
        salt = generator.next()
    }

    /// The UUID of a transfer.
    package func uuid(of id: TransferID) -> TransferUUID {
        TransferUUID(at: now, number: id, salt: salt)
    }
}
