import Ferry

/// The progress region as lines of text: the transfers that run, as many as there is room for, and a total when
/// there is more than one. Pure, so that every size of terminal can be tested.
struct ProgressBoard: Hashable, Sendable {
    /// The rows, in the order in which they are to be seen; the running ones first.
    var rows: [ProgressRow]
    /// How many more there are that have no row of their own.
    var others = 0
    /// The total; `nil` when there is only one transfer.
    var total: ProgressRow?

    /// The lines for a terminal of this size.
    ///
    /// The last column stays free: a terminal that has written into it is in a state of which no two agree.
    func lines(columns: Int, rows limit: Int) -> [String] {
        let width = max(1, columns - 1)
        let extra = total == nil ? 0 : 1
        // The row below the region belongs to the shell's prompt or the message that comes next.
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
