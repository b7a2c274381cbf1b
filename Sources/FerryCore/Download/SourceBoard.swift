/// What one attempt has found out about the sources of a download.
struct SourceBoard: Hashable, Sendable {
    /// Why a source is not asked again in this attempt.
    var unavailable: [SourceID: Problem] = [:]
    /// How many connections a source is asked for at most, where it has refused or broken one more.
    var limits: [SourceID: Limit] = [:]
    /// How many connections to a source broke in a row before their first byte while others brought bytes.
    var refusals: [SourceID: Int] = [:]
    /// How fast a connection to a source was when that was last known, in bytes a second.
    var speeds: [SourceID: Double] = [:]
    /// What is known of each server, by this attempt and before it.
    var servers: [Origin: ServerTraits] = [:]
    /// The servers of which all that was remembered is known, or has been asked for.
    var lookups: [Origin: Lookup] = [:]

    /// Whether it was asked what is known of a server, and not answered yet.
    var isLookingUp: Bool { lookups.values.contains(.underway) }

    /// What an attempt ends with when no source is left: something that may pass, if there is such a thing.
    var mildest: Problem? {
        let problems = unavailable.sorted { $0.key < $1.key }.map(\.value)
        return problems.first { $0.disposition != .permanent } ?? problems.first
    }

    /// How many connections there are to be at most, until a moment.
    struct Limit: Hashable, Sendable {
        /// The number; none where a source is of no use beside others.
        var count: Int
        /// When it ends.
        var until: Instant

        /// Whether it still counts. One that would last longer than any does was made while the clock was wrong.
        func holds(at now: Instant) -> Bool {
            now < until && now.duration(to: until) <= ServerTraits.ConnectionLimit.lifetime
        }
    }

    /// Whether what is remembered of a server has been looked up.
    enum Lookup: Hashable, Sendable {
        /// It was ordered; exits to `done`.
        case underway
        /// It is known, or there is nothing to know.
        case done
    }
}
