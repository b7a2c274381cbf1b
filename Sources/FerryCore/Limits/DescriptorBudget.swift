/// How many descriptors an engine may spend on transfers and their connections.
///
/// A process that has none left does not only fail to open files: libraries below Ferry end it. So what an engine
/// begins is bounded by what there is, and some are kept in reserve.
package struct DescriptorBudget: Hashable, Sendable {
    /// How many are there for transfers.
    package let spare: Int
    /// Whether there are enough for a command that only looks.
    package let isEnoughToLook: Bool

    /// What an engine needs besides: its store and the store's log, event loops, timers, signals, watching the
    /// network, looking up names.
    package static let reserve = 40
    /// What a command needs that only looks at the store.
    package static let toLook = 24
    /// What a transfer needs at least: its directory, its part file, a connection, and one for a moment.
    package static let perTransfer = 4
    /// With fewer to spare, connections are closed after each answer: idle ones to many servers would use up the rest.
    private static let enoughForIdle = 512

    /// - Parameters:
    ///   - limit: how many the process may have open at once.
    ///   - open: how many it has open before the engine opens its own.
    package init(limit: Int, open: Int) {
        spare = max(0, limit - open - Self.reserve)
        isEnoughToLook = limit - open >= Self.toLook
    }

    /// So many that nothing is bounded by them.
    package static let ample = DescriptorBudget(limit: .max, open: 0)

    /// Whether there are enough for one transfer.
    package var isEnough: Bool { spare >= Self.perTransfer }

    /// How many transfers may run at once, those included that only wait for the disk. A third of the descriptors is
    /// left to further connections.
    package var mostTransfers: Int { max(1, spare / (Self.perTransfer + Self.perTransfer / 2)) }

    /// How many connections may be open at once before a transfer may open a further one.
    package var mostConnections: Int { max(1, spare - (Self.perTransfer - 1) * mostTransfers) }

    /// Whether connections may stay open after an answer, for the next request.
    package var keepsIdleConnections: Bool { spare >= Self.enoughForIdle }
}
