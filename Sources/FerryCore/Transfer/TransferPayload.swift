/// What an application gives a transfer along, for its own use when the transfer ends. Ferry keeps it and does not look at it.
public struct TransferPayload: Hashable, Sendable {
    /// The most octets that it may have.
    public static let largest = 65_536

    /// The octets.
    public let bytes: [UInt8]

    /// Takes octets; `nil` for more than ``largest``.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.largest else { return nil }
        self.bytes = bytes
    }
}
