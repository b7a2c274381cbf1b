extension Scheduler {
    /// Why the loop is to look again.
    struct Signal: OptionSet, Sendable {
        let rawValue: Int
        /// Something in the store may have changed.
        static let storeChanged = Signal(rawValue: 1 << 0)
        /// An attempt has ended.
        static let attemptEnded = Signal(rawValue: 1 << 1)
        /// A wait may have ended.
        static let timer = Signal(rawValue: 1 << 2)
        /// Somebody began to observe.
        static let observed = Signal(rawValue: 1 << 3)
        /// Dead owners are to be looked for.
        static let rescue = Signal(rawValue: 1 << 4)
        /// The engine is to stop.
        static let stop = Signal(rawValue: 1 << 5)
        /// The limit of the rate may be another.
        static let rate = Signal(rawValue: 1 << 6)
        /// Somebody asks whether the loop goes round.
        static let pulse = Signal(rawValue: 1 << 7)
        /// The application went to the background, or came back.
        static let application = Signal(rawValue: 1 << 8)
        /// The time window of a running transfer may close, or may be another one.
        static let window = Signal(rawValue: 1 << 9)
    }
}
