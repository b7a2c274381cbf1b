/// One of the URLs of a download, identified by its content and not by its place. What is known of a source stays
/// with it when others are added or removed around it.
package enum SourceID: Hashable, Sendable {
    /// The download's own URL.
    case own
    /// A mirror, by ``HTTPURL/resource``: it stays the same mirror however it was found or signed.
    case mirror(String)
    /// A mirror that an older Ferry stored only as a number: its place among the user's mirrors, from 1 on, or among
    /// discovered mirrors, from ``firstDiscovered`` on.
    case former(Int)
    /// Another tool, whose unfinished file was taken over. It cannot be asked.
    case otherTool

    /// The number that an older Ferry gave the first discovered mirror.
    static let firstDiscovered = 1_000

    /// The mirror with this URL.
    package static func mirror(_ url: HTTPURL) -> SourceID { .mirror(url.resource) }
}

extension SourceID: Comparable {
    /// The download's own URL comes before all mirrors, which are ordered by their URLs.
    package static func < (lhs: SourceID, rhs: SourceID) -> Bool {
        switch (lhs, rhs) {
        case (.own, .own): false
        case (.own, _): true
        case (.mirror(let left), .mirror(let right)): left < right
        case (.mirror, .former): true
        case (.former(let left), .former(let right)): left < right
        case (.otherTool, _): false
        case (_, .otherTool): true
        case (.mirror, .own), (.former, .own), (.former, .mirror): false
        }
    }
}
