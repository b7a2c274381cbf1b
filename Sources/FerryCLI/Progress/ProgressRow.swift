import Ferry

/// One row of the progress region: a name, followed by figures or a text.
struct ProgressRow: Hashable, Sendable {
    /// The name; safe for a terminal.
    var name: String
    /// The content beside the name.
    var content: Content

    /// The content beside a name.
    enum Content: Hashable, Sendable {
        /// Figures in columns, with a bar if there is room.
        case figures(Figures)
        /// A text.
        case text(String)
    }

    /// The figures of a running transfer; unknown ones are `nil`.
    struct Figures: Hashable, Sendable {
        /// The received share, from 0 to 1.
        var fraction: Double?
        /// "34%".
        var percent: String?
        /// "1.2 GiB/4.0 GiB".
        var amount: String
        /// "12.3 MiB/s".
        var speed: String?
        /// "3m20s".
        var timeLeft: String?
        /// "8 connections".
        var connections: String?

        /// - Parameter stalled: how long nothing has arrived, if that is to be said.
        init(_ progress: TransferProgress, stalled: Duration? = nil) {
            fraction = progress.fraction
            percent = progress.percentText
            let received = ByteCount(progress.received).formatted
            connections = progress.connectionsText
            amount = progress.total.map { "\(received)/\(ByteCount($0).formatted)" } ?? received
            if let stalled {
                speed = "stalled \(stalled.components.seconds) s"
            } else {
                speed = progress.speedText
                timeLeft = progress.timeLeft.map { TimeLeft($0).description }
            }
        }
    }
}

extension ProgressRow {
    /// The row of a transfer at `now`.
    ///
    /// - Parameter stalled: how long nothing has arrived, if that is to be said.
    init(_ transfer: Transfer, progress: TransferProgress, stalled: Duration? = nil, at now: Instant) {
        name = transfer.displayName
        switch transfer.state {
        case .active where progress.received == 0 && progress.total == nil:
            content = .text(transfer.wording.silence)
        case .active where transfer.wording.isFinishing:
            content = .text("finishing")
        case .active where progress.total == progress.received && progress.received > 0:
            content = .text(transfer.wording.whole(ByteCount(progress.received).formatted))
        case .active:
            content = .figures(Figures(progress, stalled: stalled))
        case .paused:
            content = .text("paused at \(progress.amountText)")
        case .queued:
            content = .text(progress.received > 0 ? "queued at \(progress.amountText)" : "queued")
        case .waiting, .completed, .failed, .cancelled:
            content = .text(transfer.stateText(at: now))
        }
    }
}
