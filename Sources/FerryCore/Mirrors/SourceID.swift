/// One of the URLs of a download, known by what it is and not by its place, so that what is known of a source stays with
/// it when others are given before it, after it or in its stead.
public enum SourceID: Hashable, Sendable {
    /// The download's own URL.
    case own
    /// A mirror, by ``HTTPURL/resource``: the same one, whoever named it, and however it is signed.
    case mirror(String)
    /// A mirror of which an older Ferry told the number alone: its place among those that were given, from 1 on, or
    /// among those that a server had named, from ``firstDiscovered`` on.
    case former(Int)

    /// The number that an older Ferry gave the first mirror that a server named.
    static let firstDiscovered = 1_000

    /// The mirror with that URL.
    public static func mirror(_ url: HTTPURL) -> SourceID { .mirror(url.resource) }
}

extension SourceID: Comparable {
    /// The download's own URL comes before all mirrors; those are in the order of their URLs.
    public static func < (lhs: SourceID, rhs: SourceID) -> Bool {
        switch (lhs, rhs) {
        case (.own, .own): false
        case (.own, _): true
        case (.mirror(let left), .mirror(let right)): left < right
        case (.mirror, .former): true
        case (.former(let left), .former(let right)): left < right
        case (.mirror, .own), (.former, .own), (.former, .mirror): false
        }
    }
}
