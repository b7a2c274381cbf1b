import Ferry

/// `ferry list` for people: one line a transfer, in columns that fit the terminal.
struct TransferTable: Hashable, Sendable {
    /// The columns of the terminal; `nil` when the lines go elsewhere and are not to be cut.
    var columns: Int?
    /// The width of the numbers.
    var numberWidth = 4
    /// The queues of which nothing may start.
    var pausedQueues: Set<String> = []

    /// The line above the others.
    var header: String { line("ID", "STATE", "DONE", "SIZE", "NAME") }

    /// The line of a transfer.
    func line(_ transfer: Transfer, _ progress: TransferProgress) -> String {
        let size = progress.total.map { ByteCount($0).formatted }
        return line(
            "\(transfer.id)",
            transfer.state.name,
            progress.percentText ?? ByteCount(progress.received).formatted,
            size ?? "-",
            transfer.displayName,
            reason: aside(transfer)
        )
    }

    /// The queue, where one was named or where it is why nothing runs, and why it does not run.
    private func aside(_ transfer: Transfer) -> String? {
        let holdsBack = transfer.state == .queued && pausedQueues.contains(transfer.queue)
        let isNamed = transfer.queue != NewTransfer.defaultQueue || holdsBack
        let paused = holdsBack ? ", paused" : ""
        let queue = isNamed ? "[\(TerminalText.safe(transfer.queue))\(paused)]" : nil
        let parts = [queue, transfer.reasonText].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// Below this width a reason says nothing and is left out.
    private static let narrowestReason = 16
    /// Below this width of a name the figures are left out.
    private static let leastName = 8

    private func line(
        _ id: String,
        _ state: String,
        _ done: String,
        _ size: String,
        _ name: String,
        reason: String? = nil
    ) -> String {
        let figures =
            TerminalText.rightAligned(id, to: numberWidth) + "  " + TerminalText.padded(state, to: 9) + "  "
            + TerminalText.rightAligned(done, to: 10) + "  " + TerminalText.rightAligned(size, to: 10) + "  "
        guard let columns else { return figures + name + (reason.map { "  \($0)" } ?? "") }
        if columns < DisplayWidth.of(figures) + Self.leastName {
            // A number and a name are what one needs to go on.
            let figures =
                TerminalText.rightAligned(id, to: numberWidth) + "  " + TerminalText.padded(state, to: 9)
                + "  "
            let room = max(Self.leastName, columns - DisplayWidth.of(figures))
            return TerminalText.truncatedAtEnd(
                figures + TerminalText.truncatedInMiddle(name, to: room),
                to: max(1, columns)
            )
        }
        let room = max(8, columns - DisplayWidth.of(figures))
        let rest = room - DisplayWidth.of(name) - 2
        if let reason, rest >= Self.narrowestReason {
            return TerminalText.truncatedAtEnd("\(figures)\(name)  \(reason)", to: columns)
        }
        return TerminalText.truncatedAtEnd(
            figures + TerminalText.truncatedInMiddle(name, to: room),
            to: max(1, columns)
        )
    }
}
