import Ferry
import FerryFrontend

/// The transfers whose time windows a run of the queue waits for.
struct AwaitedWindows: Hashable, Sendable {
    /// Maximum transfers that are read; a queue may hold a million.
    static let mostRead = 1_000

    /// The transfer whose window opens first.
    private let first: Transfer
    private let opens: Instant
    /// Number of transfers that wait; beyond ``mostRead`` they are not counted.
    private let count: Int

    /// Finds them among waiting transfers; `nil` if none waits for its window.
    init?(_ waiting: [Transfer]) {
        let windows = waiting.compactMap { transfer -> (transfer: Transfer, opens: Instant)? in
            guard case .waiting(.window(let opens)) = transfer.state else { return nil }
            return (transfer, opens)
        }
        guard let next = windows.min(by: { $0.opens < $1.opens }) else { return nil }
        (first, opens, count) = (next.transfer, next.opens, windows.count)
    }

    /// Says what the run waits for, and until when.
    func text(at now: Instant) -> String {
        guard count > 1 else { return "\(first.displayName): \(first.stateText(at: now))" }
        let number = count < Self.mostRead ? "\(count)" : "\(count) or more"
        return
            "\(number) transfers wait for their time windows. The first one opens at \(SystemTime.minute(opens)), for "
            + "\(first.displayName)."
    }
}
