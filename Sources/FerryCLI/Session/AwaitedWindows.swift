import Ferry
import FerryFrontend

/// The transfers whose time windows a run of the queue waits for, because it runs them too.
struct AwaitedWindows: Hashable, Sendable {
    /// Maximum transfers that are read; a queue may hold a million.
    static let mostRead = 1_000
    /// Minimum interval between two looks for them.
    private static let interval: Duration = .seconds(1)

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

    /// Waits until an engine has such transfers, and returns them; `nil` if the task is cancelled before.
    ///
    /// A transfer whose window has closed since it was added waits only when the engine looks for work.
    ///
    /// - Parameter isTold: whether a person knows of a transfer already. Such a transfer does not count.
    static func first(
        in engine: TransferEngine,
        except isTold: (TransferID) -> Bool
    ) async throws -> AwaitedWindows? {
        let window = WaitCondition.window(opens: .epoch).name
        // Before the first look, so that none is missed.
        var changes = engine.changes().makeAsyncIterator()
        while true {
            let waiting = try await engine.transfers(.waiting(window), limit: mostRead)
            if let awaited = AwaitedWindows(waiting.filter { !isTold($0.id) }) { return awaited }
            guard await changes.next() != nil else { return nil }
            do {
                try await Task.sleep(for: interval)
            } catch {
                // The run is over.
                return nil
            }
        }
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
