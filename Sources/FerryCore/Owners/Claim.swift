/// An owner's hold on a transfer.
///
/// Every write of an owner carries its claim; a write whose token is not the row's changes nothing and tells
/// the writer to stop (I4).
public struct Claim: Hashable, Sendable {
    /// The transfer that is held.
    public var transfer: TransferID
    /// Who holds it.
    public var owner: OwnerID
    /// Grows with every change of hands; fences off a former owner.
    public var token: Int64

    /// Creates a claim.
    public init(transfer: TransferID, owner: OwnerID, token: Int64) {
        self.transfer = transfer
        self.owner = owner
        self.token = token
    }
}

/// The number of an owner in the store.
public struct OwnerID: RawRepresentable, Hashable, Sendable, Codable {
    /// The number.
    public let rawValue: Int64

    /// Creates an identifier from its number.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// A process that runs transfers.
public struct Owner: Hashable, Sendable, Identifiable {
    /// Its number in the store.
    public var id: OwnerID
    /// Which process it is.
    public var process: ProcessIdentity
    /// When it joined.
    public var joined: Instant

    /// Creates an owner.
    public init(id: OwnerID, process: ProcessIdentity, joined: Instant) {
        self.id = id
        self.process = process
        self.joined = joined
    }
}

/// One process of one boot; a number that the kernel hands out again is told apart by the start time.
public struct ProcessIdentity: Hashable, Sendable, Codable {
    /// The process number.
    public var pid: Int32
    /// When the process started, in the kernel's own unit since boot.
    public var startTime: UInt64
    /// The boot that it runs under.
    public var boot: BootID
    /// The PID namespace in which ``pid`` is its number; 0 when that is not known.
    public var namespace: UInt64
    /// The lock by which others see that it lives; `nil` where the file system has no such locks.
    public var seat: Seat?

    /// A lock that one process holds as long as it lives: a place in a file of locks.
    public struct Seat: Hashable, Sendable, Codable {
        /// Tells one file of locks from another that takes its place.
        public var file: UInt64
        /// The byte that is locked.
        public var place: Int64

        /// Creates a seat.
        public init(file: UInt64, place: Int64) {
            self.file = file
            self.place = place
        }
    }

    /// Creates an identity.
    public init(pid: Int32, startTime: UInt64, boot: BootID, namespace: UInt64 = 0, seat: Seat? = nil) {
        self.pid = pid
        self.startTime = startTime
        self.boot = boot
        self.namespace = namespace
        self.seat = seat
    }

    /// Whether both are the same process, whatever proves that it lives.
    public func isSameProcess(as other: ProcessIdentity) -> Bool {
        pid == other.pid && startTime == other.startTime && boot == other.boot && namespace == other.namespace
    }
}

/// What is known of a process that joined a store.
public enum Life: Hashable, Sendable {
    /// It runs, or is stopped and may run again.
    case alive
    /// Nothing proves that it is alive, and nothing that it is dead: it counts as alive (I4).
    case unproved
    /// It has ended, which is proved.
    case dead
}
