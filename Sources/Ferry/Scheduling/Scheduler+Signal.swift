extension Scheduler {
    /// The reasons for the loop to look.
    struct Signal: OptionSet, Sendable {
        let rawValue: Int
        /// Something in the store may have changed.
        static let storeChanged = Signal(rawValue: 1 << 0)
        /// An attempt has ended.
        static let attemptEnded = Signal(rawValue: 1 << 1)
        /// A wait may have ended.
        static let timer = Signal(rawValue: 1 << 2)
        /// An observer was added or has room.
        static let observed = Signal(rawValue: 1 << 3)
        /// A caller asks whether the loop makes rounds.
        static let pulse = Signal(rawValue: 1 << 4)
        /// The application went to the background, or returned.
        static let application = Signal(rawValue: 1 << 5)
    }
}
