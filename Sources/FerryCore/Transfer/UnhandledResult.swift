/// The end of a transfer with a type, until a handler of that type has returned.
package struct UnhandledResult: Hashable, Sendable {
    /// The transfer.
    package let transfer: TransferID
    /// Its type.
    package let type: TransferType
    /// When the transfer ended. It is later than that of the end which this one replaced in the store, and so tells the two
    /// apart.
    package let ended: Instant
    /// The owner whose handler has it in hand; `nil` if no owner does.
    package var owner: OwnerID?
    /// Number of times that a handler has thrown.
    package var failures = 0
    /// When it is handed out at the earliest.
    package var due = Instant.epoch

    /// How far in the future ``due`` is believed: twice the longest wait between two calls. A moment further ahead was
    /// set while the clock was wrong.
    package static let farthest: Duration = .seconds(600)

    /// Creates the end of a transfer.
    package init(of transfer: TransferID, _ type: TransferType, ended: Instant) {
        self.transfer = transfer
        self.type = type
        self.ended = ended
    }

    /// Whether it can be handed out.
    package func isDue(at now: Instant) -> Bool {
        owner == nil && (due <= now || due > now.advanced(by: Self.farthest))
    }

    /// What became of it in the hands of a handler.
    package enum Fate: Hashable, Sendable {
        /// The handler has returned.
        case handled
        /// The handler has thrown, and is called again at this moment.
        case failed(retryAt: Instant)
        /// The handler was stopped, and the result is free at once.
        case released
    }
}

/// The end of a transfer that its owner gives to a handler.
package struct ResultInHand: Hashable, Sendable {
    /// The transfer as it has ended.
    package var transfer: Transfer
    /// What was recorded about its end.
    package var result: UnhandledResult

    /// Creates a result in hand.
    package init(transfer: Transfer, result: UnhandledResult) {
        self.transfer = transfer
        self.result = result
    }
}
