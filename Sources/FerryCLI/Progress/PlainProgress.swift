import Ferry
import FerryFrontend

/// Progress lines for outputs that cannot be redrawn: at the start, at intervals, and at the end.
enum PlainProgress {
    /// Interval between two lines about a transfer.
    static let interval: Duration = .seconds(5)

    /// "NAME: 34%, 1.2 GiB of 4.0 GiB, 12.3 MiB/s, 3m20s left, 8 connections"; unknown parts are left out.
    static func line(_ transfer: Transfer, _ progress: TransferProgress) -> String {
        var parts: [String] = []
        if let percent = progress.percentText { parts.append(percent) }
        parts.append(progress.amountText)
        if let speed = progress.speedText { parts.append(speed) }
        if let timeLeft = progress.timeLeft { parts.append("\(TimeLeft(timeLeft)) left") }
        if let connections = progress.connectionsText { parts.append(connections) }
        return "\(transfer.displayName): \(parts.joined(separator: ", "))"
    }

    /// The line for a transfer that resumes with bytes.
    static func continuing(_ transfer: Transfer) -> String {
        "Resuming \(transfer.displayName): \(transfer.amountText) kept."
    }

    /// The line for a transfer that starts.
    static func starting(_ transfer: Transfer) -> String {
        "\(transfer.wording.beginning) (transfer \(transfer.id))."
    }

    /// The line for a completed transfer.
    static func completed(_ transfer: Transfer, took: Duration?) -> String {
        let length = ByteCount(transfer.wording.completedBytes).formatted
        // A shorter time says nothing, not even about the speed.
        let time = took.flatMap { $0 < .milliseconds(100) ? nil : " in \(Self.time($0))" } ?? ""
        return transfer.wording.completed(length + time)
    }

    /// "0.3 s", or "3m20s" from ten seconds on.
    private static func time(_ duration: Duration) -> String {
        let tenths = max(0, duration.wholeMilliseconds) / 100
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) s" : TimeLeft(duration).description
    }
}
