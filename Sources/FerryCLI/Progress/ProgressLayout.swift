import FerryFrontend

/// Lays rows out in a given number of columns, with the figures of all rows aligned.
///
/// If the width is too small, the numbers of connections are dropped first, then the bar, the amount, the time left and the
/// speed. The percent stays, and names are shortened in the middle.
struct ProgressLayout: Hashable, Sendable {
    private var name = 0
    private var bar = 0
    private var columns: [Column] = []

    private struct Column: Hashable, Sendable {
        var field: Field
        var width: Int
    }

    /// A column of figures.
    private enum Field: Hashable, Sendable, CaseIterable {
        case percent, amount, speed, timeLeft, connections

        func text(_ figures: ProgressRow.Figures) -> String {
            switch self {
            case .percent: figures.percent ?? ""
            case .amount: figures.amount
            case .speed: figures.speed ?? ""
            case .timeLeft: figures.timeLeft ?? ""
            case .connections: figures.connections ?? ""
            }
        }

        /// Minimum width of the column, so that it does not jump with every digit.
        var usualWidth: Int {
            switch self {
            case .percent: 4
            case .amount, .connections: 0
            case .speed: 11
            case .timeLeft: 6
            }
        }
    }

    /// Columns to drop, in this order, when the width is too small.
    private static let dispensable: [Field] = [.amount, .timeLeft, .speed]
    /// Minimum width of a name while figures can still be dropped.
    private static let leastName = 12
    private static let leastBar = 10
    private static let mostBar = 40
    /// Minimum width of a bar beside the numbers of connections.
    private static let wideBar = 20
    private static let gap = 2

    /// Finds the layout for these rows.
    ///
    /// - Parameter total: the total's row, whose name counts failures and must not be shortened for a figure.
    init(_ rows: [ProgressRow], total: ProgressRow? = nil, width: Int) {
        let figures = rows.compactMap { row in
            if case .figures(let figures) = row.content { figures } else { nil }
        }
        let longest = rows.reduce(0) { max($0, DisplayWidth.of($1.name)) }
        columns = Field.allCases.map { field in
            let widest = figures.reduce(field.usualWidth) { max($0, DisplayWidth.of(field.text($1))) }
            return Column(field: field, width: widest)
        }
        let connections = columns.removeLast()
        if figures.isEmpty { columns = [] }
        let wanted = max(min(longest, Self.leastName), total.map { DisplayWidth.of($0.name) } ?? 0)
        // If no percent is known, the amount is the figure that stays.
        let hasPercent = figures.contains { $0.percent != nil }
        if !hasPercent { columns.removeAll { $0.field == .percent } }
        for field in Self.dispensable where width - figureWidth < wanted && (hasPercent || field != .amount) {
            columns.removeAll { $0.field == field }
        }
        name = min(longest, max(0, width - figureWidth))
        var rest = width - name - figureWidth - Self.gap
        guard !figures.isEmpty, hasPercent, rest >= Self.leastBar else { return }
        let remaining = rest - connections.width - Self.gap
        if connections.width > 0, remaining >= Self.wideBar {
            columns.append(connections)
            rest = remaining
        }
        bar = min(rest, Self.mostBar)
    }

    private var figureWidth: Int { columns.reduce(0) { $0 + $1.width + Self.gap } }

    /// One row as a line of at most `width` columns.
    func line(_ row: ProgressRow, width: Int) -> String {
        switch row.content {
        case .text(let text):
            let room = max(0, min(name, width))
            let shown = TerminalText.padded(TerminalText.truncatedInMiddle(row.name, to: room), to: room)
            return TerminalText.truncatedAtEnd(shown + "  " + text, to: width)
        case .figures(let figures):
            var line = TerminalText.padded(TerminalText.truncatedInMiddle(row.name, to: name), to: name)
            for column in columns {
                line += "  " + TerminalText.rightAligned(column.field.text(figures), to: column.width)
                if column.field == .percent, bar > 0 { line += "  " + Self.bar(figures.fraction, width: bar) }
            }
            return TerminalText.truncatedAtEnd(line, to: width)
        }
    }

    /// `[====>    ]`, or blanks if the share is unknown.
    static func bar(_ fraction: Double?, width: Int) -> String {
        guard let fraction, width > 2 else { return String(repeating: " ", count: width) }
        let inside = width - 2
        let filled = Int((min(1, max(0, fraction)) * Double(inside)).rounded(.down))
        let head = filled < inside && filled > 0 ? ">" : ""
        let body = String(repeating: "=", count: max(0, filled - head.count)) + head
        return "[" + TerminalText.padded(body, to: inside) + "]"
    }
}
