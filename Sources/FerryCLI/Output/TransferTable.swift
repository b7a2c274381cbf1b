import Ferry
import FerryFrontend

/// `ferry list` for people: one line per transfer, in columns that fit the terminal, and a second one for a reason that
/// does not fit.
struct TransferTable: Hashable, Sendable {
    /// The columns of the terminal; `nil` if the output is not a terminal, and lines are not cut.
    var columns: Int?
    /// The width of the IDs.
    var numberWidth = 4
    /// The paused queues.
    var pausedQueues: Set<String> = []

    /// The directory that paths are relative to.
    var workingDirectory = "/"
    /// The directory that `~` stands for.
    var home: String?

    /// The header line.
    var header: String { lines("ID", "STATE", "DONE", "SIZE", "NAME")[0] }

    /// The lines of a transfer.
    func lines(_ transfer: Transfer, _ progress: TransferProgress) -> [String] {
        let size = progress.total.map { ByteCount($0).formatted }
        let path = transfer.wording.path.map {
            TerminalText.safe(FilePath.shown($0, from: workingDirectory, home: home))
        }
        return lines(
            "\(transfer.id)",
            transfer.state.name.rawValue,
            done(transfer, progress),
            size ?? "-",
            path ?? transfer.displayName,
            isPath: path != nil,
            reason: aside(transfer, progress)
        )
    }

    /// How much is done. A failed transfer that starts over has nothing of use.
    private func done(_ transfer: Transfer, _ progress: TransferProgress) -> String {
        if transfer.state.name == .failed, transfer.startsOver { return "-" }
        return progress.percentText ?? ByteCount(progress.received).formatted
    }

    /// The queue, if it is not the default or is paused and holds the transfer back; then the reason, or how fast it runs.
    private func aside(_ transfer: Transfer, _ progress: TransferProgress) -> String? {
        let holdsBack = transfer.state == .queued && pausedQueues.contains(transfer.queue)
        let isNamed = transfer.queue != NewTransfer.defaultQueue || holdsBack
        let paused = holdsBack ? ", paused" : ""
        let queue = isNamed ? "[\(TerminalText.safe(transfer.queue))\(paused)]" : nil
        let reason = transfer.interruptionText ?? transfer.reasonText ?? pace(progress)
        let parts = [queue, reason].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// "12.3 MiB/s, 3m20s left"; `nil` while the speed is unknown, and when all bytes are there.
    private func pace(_ progress: TransferProgress) -> String? {
        guard let speed = progress.speedText, progress.received != progress.total else { return nil }
        return progress.timeLeft.map { "\(speed), \(TimeLeft($0)) left" } ?? speed
    }

    /// Minimum width of a reason beside the name; with less room, the reason gets a separate line.
    private static let narrowestReason = 16
    /// Minimum width of a name; below it the figures are left out.
    private static let leastName = 8

    private func lines(
        _ id: String,
        _ state: String,
        _ done: String,
        _ size: String,
        _ name: String,
        isPath: Bool = false,
        reason: String? = nil
    ) -> [String] {
        let beginning =
            TerminalText.rightAligned(id, to: numberWidth) + "  " + TerminalText.padded(state, to: 9) + "  "
        let figures =
            beginning + TerminalText.rightAligned(done, to: 10) + "  "
            + TerminalText.rightAligned(size, to: 10) + "  "
        guard let columns else { return [figures + name + (reason.map { "  \($0)" } ?? "")] }
        // An ID and a name are enough for the next command.
        let isNarrow = columns < DisplayWidth.of(figures) + Self.leastName
        let shown = isNarrow ? beginning : figures
        let room = max(Self.leastName, columns - DisplayWidth.of(shown))
        let shortened =
            isPath
            ? TerminalText.truncatedPath(name, to: room) : TerminalText.truncatedInMiddle(name, to: room)
        var lines = [shown + shortened]
        if let reason, !isNarrow, room - DisplayWidth.of(name) - 2 >= Self.narrowestReason {
            lines = ["\(figures)\(name)  \(reason)"]
        } else if let reason {
            lines.append(String(repeating: " ", count: numberWidth + 2) + reason)
        }
        return lines.map { TerminalText.truncatedAtEnd($0, to: max(1, columns)) }
    }
}
