/// How many file descriptors an engine may use for transfers and their connections.
///
/// A process without free descriptors not only fails to open files: libraries below Ferry abort it. So an engine
/// limits what it starts, and keeps some descriptors in reserve.
package struct DescriptorBudget: Hashable, Sendable {
    /// Number of descriptors available for transfers.
    package let spare: Int
    /// Whether there are enough for a command that only reads the store.
    package let isEnoughToRead: Bool

    /// Descriptors that an engine needs for other purposes: its store and the store's log, event loops, timers,
    /// signals, the network monitor, name resolution.
    package static let reserve = 40
    /// Descriptors that a command needs if it only reads the store.
    package static let toRead = 24
    /// Descriptors that a transfer needs at least: its directory, its part file, a connection, and one for short use.
    package static let perTransfer = 4
    /// With fewer available, connections are closed after each answer: idle ones to many servers would use up the
    /// rest.
    private static let enoughForIdle = 512

    /// - Parameters:
    ///   - limit: how many the process may have open at once.
    ///   - open: how many are open before the engine opens its own.
    package init(limit: Int, open: Int) {
        spare = max(0, limit - open - Self.reserve)
        isEnoughToRead = limit - open >= Self.toRead
    }

    /// A budget that limits nothing.
    package static let ample = DescriptorBudget(limit: .max, open: 0)

    /// Whether there are enough for one transfer.
    package var isEnough: Bool { spare >= Self.perTransfer }

    /// Maximum number of transfers that run at once, including those that only wait for the disk. A third of the
    /// descriptors is left for further connections.
    package var mostTransfers: Int { max(1, spare / (Self.perTransfer + Self.perTransfer / 2)) }

    /// Maximum number of open connections at which a transfer may still open a further one.
    package var mostConnections: Int { max(1, spare - (Self.perTransfer - 1) * mostTransfers) }

    /// Whether connections may stay open after an answer for the next request.
    package var keepsIdleConnections: Bool { spare >= Self.enoughForIdle }
}
