/// What a removal of nodes has done.
package struct NodeRemoval: Hashable, Sendable {
    /// The number of nodes that were removed.
    package var count = 0
    /// The transfers that were cancelled, or asked to end.
    package var cancelled: [TransferID] = []

    package init() {}
}
