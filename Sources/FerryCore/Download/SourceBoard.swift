/// What one attempt has found out about the sources of a download.
struct SourceBoard: Hashable, Sendable {
    /// Why a source is not asked again in this attempt.
    var unavailable: [SourceID: Problem] = [:]
    /// The most connections to ask a source for, after it refused or broke one more.
    var limits: [SourceID: Limit] = [:]
    /// Number of connections to a source that broke in a row before their first byte while others brought bytes.
    var refusals: [SourceID: Int] = [:]
    /// The last known speed of a connection to each source, in bytes a second.
    var speeds: [SourceID: Double] = [:]
    /// What is known of each server, by this attempt and before it.
    var servers: [Origin: ServerTraits] = [:]
    /// The servers whose remembered traits were looked up, or are being looked up.
    var lookups: [Origin: Lookup] = [:]

    /// Whether the look-up of a server is not answered yet.
    var isLookingUp: Bool { lookups.values.contains(.underway) }

    /// The problem with which the attempt ends when no source is left: one that may pass, if any can.
    var mildest: Problem? {
        let problems = unavailable.sorted { $0.key < $1.key }.map(\.value)
        return problems.first { $0.disposition != .permanent } ?? problems.first
    }

    /// The most connections to a source, until a moment.
    struct Limit: Hashable, Sendable {
        /// The number; 0 if the source is of no use beside others.
        var count: Int
        /// When it ends.
        var until: Instant

        /// Whether the limit still holds. One that would outlast every limit was set while the clock was wrong.
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
