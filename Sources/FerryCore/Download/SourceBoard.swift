/// What one attempt has found out about the sources of a download.
struct SourceBoard: Hashable, Sendable {
    /// Why a source is not asked again in this attempt.
    var unavailable: [SourceID: Problem] = [:]
    /// How many connections a source serves at once, where it has refused one more.
    var limits: [SourceID: Int] = [:]
    /// How fast a connection to a source was when that was last known, in bytes a second.
    var speeds: [SourceID: Double] = [:]

    /// Follows the mirrors that a server named to their new numbers.
    mutating func renumber(_ numbers: [SourceID: SourceID]) {
        unavailable = unavailable.renumbered(numbers)
        limits = limits.renumbered(numbers)
        speeds = speeds.renumbered(numbers)
    }

    /// What an attempt ends with when no source is left: something that may pass, if there is such a thing.
    var mildest: Problem? {
        let problems = unavailable.sorted { $0.key < $1.key }.map(\.value)
        return problems.first { $0.disposition != .permanent } ?? problems.first
    }
}
