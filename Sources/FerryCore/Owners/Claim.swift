/// An owner's hold on a transfer.
///
/// Every write of an owner carries its claim. If the row has another token, the write changes nothing and tells the
/// writer to stop (I4).
package struct Claim: Hashable, Sendable {
    /// The held transfer.
    package var transfer: TransferID
    /// The owner that holds it.
    package var owner: OwnerID
    /// A number that grows with every change of owner, so that writes of a former owner are refused.
    package var token: Int64

    /// Creates a claim.
    package init(transfer: TransferID, owner: OwnerID, token: Int64) {
        self.transfer = transfer
        self.owner = owner
        self.token = token
    }
}

/// The number of an owner in the store.
package struct OwnerID: RawRepresentable, Hashable, Sendable, Codable {
    /// The number.
    package let rawValue: Int64

    /// Creates an identifier from its number.
    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// A process that runs transfers.
package struct Owner: Hashable, Sendable, Identifiable {
    /// Its number in the store.
    package var id: OwnerID
    /// The process.
    package var process: ProcessIdentity
    /// When it joined.
    package var joined: Instant

    /// Creates an owner.
    package init(id: OwnerID, process: ProcessIdentity, joined: Instant) {
        self.id = id
        self.process = process
        self.joined = joined
    }
}

/// One process of one boot. The start time tells it from a later process with the same number.
package struct ProcessIdentity: Hashable, Sendable, Codable {
    /// The process number.
    package var pid: Int32
    /// When the process started, in the kernel's own unit since boot.
    package var startTime: UInt64
    /// The boot that it runs under.
    package var boot: BootID
    /// The PID namespace of ``pid``; 0 when it is unknown.
    package var namespace: UInt64
    /// The lock that proves that it is alive; `nil` if the file system has no such locks.
    package var seat: Seat?

    /// A lock that a process holds until it ends: one byte in a file of locks.
    package struct Seat: Hashable, Sendable, Codable {
        /// Tells a file of locks from another that takes its place.
        package var file: UInt64
        /// The offset of the locked byte.
        package var place: Int64

        /// Creates a seat.
        package init(file: UInt64, place: Int64) {
            self.file = file
            self.place = place
        }
    }

    /// Creates an identity.
    package init(pid: Int32, startTime: UInt64, boot: BootID, namespace: UInt64 = 0, seat: Seat? = nil) {
        self.pid = pid
        self.startTime = startTime
        self.boot = boot
        self.namespace = namespace
        self.seat = seat
    }

    /// Whether both are the same process, whatever proves that it is alive.
    package func isSameProcess(as other: ProcessIdentity) -> Bool {
        pid == other.pid && startTime == other.startTime && boot == other.boot && namespace == other.namespace
    }
}

/// What is known of a process that joined a store.
package enum Life: Hashable, Sendable {
    /// It runs, or is stopped and may run again.
    case alive
    /// Nothing proves that it is alive or dead: it counts as alive (I4).
    case unproved
    /// It is proved to have ended.
    case dead
}
