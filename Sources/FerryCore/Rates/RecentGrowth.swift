/// How much an amount grew over the last one to two spans of time.
struct RecentGrowth: Hashable, Sendable {
    /// The amount at a moment.
    private struct Mark: Hashable {
        var amount: Int128
        var moment: Duration
    }

    private let span: Duration
    /// Where the time begins over which growth is measured.
    private var start: Mark?
    /// Where it will begin when that is too long ago.
    private var next: Mark?

    init(over span: Duration) {
        self.span = span
    }

    /// Takes a sample.
    ///
    /// - Returns: the growth, and the time that it took. Both are zero for the first sample, and after the clock was set back.
    mutating func sample(_ amount: Int128, at moment: Duration) -> (amount: Int128, time: Duration) {
        let mark = Mark(amount: amount, moment: moment)
        guard let first = start, let second = next, second.moment <= moment else {
            (start, next) = (mark, mark)
            return (0, .zero)
        }
        if moment - second.moment >= span { (start, next) = (second, mark) }
        return (amount - first.amount, moment - first.moment)
    }
}
