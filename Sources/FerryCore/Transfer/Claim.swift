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

    /// Creates an identity.
    public init(pid: Int32, startTime: UInt64, boot: BootID) {
        self.pid = pid
        self.startTime = startTime
        self.boot = boot
    }
}
