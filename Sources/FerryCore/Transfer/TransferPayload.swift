/// An application's data for a transfer, for its own use when the transfer ends. Ferry stores it without reading it.
public struct TransferPayload: Hashable, Sendable {
    /// The maximum size in bytes.
    public static let largest = 65_536

    /// The bytes.
    public let bytes: [UInt8]

    /// Creates a payload; `nil` for more than ``largest`` bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.largest else { return nil }
        self.bytes = bytes
    }
}
