import Ferry
import FerryFrontend

/// The progress region as lines of text: the running transfers, as many as fit, and a total if there is more than one.
/// Pure, so that every terminal size can be tested.
struct ProgressBoard: Hashable, Sendable {
    /// The rows in display order; running transfers first.
    var rows: [ProgressRow]
    /// Number of further transfers without a row.
    var others = 0
    /// The total; `nil` when there is only one transfer.
    var total: ProgressRow?

    /// The lines for a terminal of this size.
    ///
    /// The last column stays free, because terminals differ in their behaviour after writing to it. The two before it are for
    /// the `^C` with which a terminal shows Ctrl-C: on the next row, it would not be erased with the region.
    func lines(columns: Int, rows limit: Int) -> [String] {
        let width = max(1, columns - 3)
        let extra = total == nil ? 0 : 1
        // The row below the region is for the shell's prompt or the next message.
        let room = max(1, limit - 1 - extra)
        var shown = rows
        var hidden = others
        if shown.count + (hidden > 0 ? 1 : 0) > room {
            let kept = max(0, room - 1)
            hidden += shown.count - kept
            shown = Array(shown.prefix(kept))
        }
        let layout = ProgressLayout(shown + (total.map { [$0] } ?? []), total: total, width: width)
        var lines = shown.map { layout.line($0, width: width) }
        if hidden > 0 { lines.append(TerminalText.truncatedAtEnd("and \(hidden) more", to: width)) }
        if let total { lines.append(layout.line(total, width: width)) }
        return lines
    }
}
