/// The estimated remaining time of a transfer, for display.
public struct TimeLeft: Hashable, Sendable {
    /// The time; `nil` when it is unknown.
    public let duration: Duration?

    /// Creates a time left.
    public init(_ duration: Duration?) {
        self.duration = duration
    }
}

extension TimeLeft: CustomStringConvertible {
    /// The two largest units, such as `2d03h`, `1h02m`, `3m20s` or `12s`; `--` when unknown.
    ///
    /// A part of a second counts as a whole one; more than 99 days is `>99d`.
    public var description: String {
        guard let duration else { return "--" }
        let (whole, fraction) = duration.components
        guard whole >= 0, fraction >= 0 else { return "0s" }
        guard whole < 100 * 86_400 - 1 else { return ">99d" }
        let seconds = whole + (fraction > 0 ? 1 : 0)
        switch seconds {
        case 86_400...: return "\(seconds / 86_400)d\(Self.padded(seconds / 3600 % 24))h"
        case 3600...: return "\(seconds / 3600)h\(Self.padded(seconds / 60 % 60))m"
        case 60...: return "\(seconds / 60)m\(Self.padded(seconds % 60))s"
        default: return "\(seconds)s"
        }
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
