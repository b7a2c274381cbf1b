/// A request to the owner that is running a transfer.
///
/// A wish is written to the row; the owner notices and obeys. On a transfer that no owner runs it takes effect at
/// once.
package enum Wish: Hashable, Sendable, Codable {
    /// Checkpoint and stop; the bytes stay.
    case pause
    /// End it. The part file is removed unless `keepingPart` is set.
    case cancel(keepingPart: Bool)
    /// Checkpoint, and run again: with the edited settings, or when its queue is resumed.
    case reload

    /// Whether it is a cancellation.
    package var isCancel: Bool {
        if case .cancel = self { true } else { false }
    }

    /// Whether obeying it makes room for another transfer.
    package var makesRoom: Bool { self == .pause || isCancel }

    /// The stable name used in the store and in JSON.
    package var name: String {
        switch self {
        case .pause: "pause"
        case .cancel(keepingPart: false): "cancel"
        case .cancel(keepingPart: true): "cancelKeepingPart"
        case .reload: "reload"
        }
    }

    /// Parses a stable name.
    package init?(name: String) {
        switch name {
        case "pause": self = .pause
        case "cancel": self = .cancel(keepingPart: false)
        case "cancelKeepingPart": self = .cancel(keepingPart: true)
        case "reload": self = .reload
        default: return nil
        }
    }
}
