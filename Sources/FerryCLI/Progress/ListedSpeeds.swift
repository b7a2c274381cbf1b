import Ferry
import FerryFrontend

/// The speeds of the transfers that `ferry list` shows as running, from a few looks at the progress that their processes
/// record.
struct ListedSpeeds: Sendable {
    /// Maximum looks. With the pauses between them they take 1.2 seconds: in that time a process records its progress at
    /// least twice (`EngineConfiguration.recordInterval`).
    static let mostLooks = 13
    /// Pause between two looks.
    static let pause: Duration = .milliseconds(100)
    /// Maximum transfers to look at, because a look reads each of them.
    static let mostFollowed = 100

    /// The received bytes at the first look.
    private var first: [TransferID: Int64] = [:]
    private var speeds: [TransferID: FollowedSpeed] = [:]

    /// Notes running transfers as they are at a moment.
    mutating func note(_ running: [Transfer], at now: Instant) {
        for transfer in running {
            let received = transfer.recordedProgress.received
            guard let earlier = first[transfer.id] else {
                first[transfer.id] = received
                continue
            }
            // The first figure may have been recorded long ago, so the measurement begins with the first change.
            guard speeds[transfer.id] != nil || received != earlier else { continue }
            speeds[transfer.id, default: FollowedSpeed()].sample(received, isRunning: true, at: now)
        }
    }

    /// Whether the speed of each of these transfers is known.
    func covers(_ running: [Transfer]) -> Bool {
        running.allSatisfy { speeds[$0.id]?.bytesPerSecond != nil }
    }

    /// The recorded progress of a transfer, with its speed if it runs and the speed is known.
    func progress(of transfer: Transfer) -> TransferProgress {
        var progress = transfer.recordedProgress
        if transfer.state == .active { progress.bytesPerSecond = speeds[transfer.id]?.bytesPerSecond }
        return progress
    }

    /// Measures the speeds of running transfers. Takes no time if no transfer runs.
    ///
    /// - Parameters:
    ///   - running: reads the running transfers, up to ``mostFollowed``.
    ///   - clock: the time by which speeds are measured.
    ///   - wait: pauses between two looks.
    static func measured(
        _ running: () async throws -> [Transfer],
        clock: () -> Instant = { SystemTime.steady },
        wait: (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async throws -> ListedSpeeds {
        var speeds = ListedSpeeds()
        for look in 1...mostLooks {
            let transfers = try await running()
            speeds.note(transfers, at: clock())
            if look == mostLooks || speeds.covers(transfers) { break }
            try await wait(pause)
        }
        return speeds
    }
}
