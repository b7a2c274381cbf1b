/// What a ``TransferClient`` and a ``TransferEngine`` can both do with the transfers of their store: add, find, read, steer.
///
/// Only these two conform to it.
public protocol TransferAccess: Sendable {
    /// The client that does it.
    var client: TransferClient { get }
}
