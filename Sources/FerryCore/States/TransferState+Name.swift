extension TransferState {
    /// The names of the states. The raw value is the word in the store, in JSON and on the command line.
    public enum Name: String, Hashable, Sendable, Codable, CaseIterable, CustomStringConvertible {
        /// ``TransferState/queued``
        case queued
        /// ``TransferState/active``
        case active
        /// ``TransferState/waiting(_:)``
        case waiting
        /// ``TransferState/paused``
        case paused
        /// ``TransferState/completed``
        case completed
        /// ``TransferState/failed(_:)``
        case failed
        /// ``TransferState/cancelled``
        case cancelled

        /// The word.
        public var description: String { rawValue }

        /// Whether nothing more happens to such a transfer unless a person asks for it.
        package var isFinal: Bool {
            switch self {
            case .completed, .failed, .cancelled: true
            case .queued, .active, .waiting, .paused: false
            }
        }

        /// Whether such a transfer is never run again, so that it keeps no secrets.
        package var isOver: Bool { isFinal && self != .failed }
    }

    /// Its name, without its associated values.
    public var name: Name {
        switch self {
        case .queued: .queued
        case .active: .active
        case .waiting: .waiting
        case .paused: .paused
        case .completed: .completed
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }
}
