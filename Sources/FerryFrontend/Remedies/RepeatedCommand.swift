/// The command whose line is repeated to ask for a download again.
package enum RepeatedCommand: String, Hashable, Sendable {
    case getting = "get"
    case gettingToAdopt = "get --adopt"
    case mirroring = "mirror"
    case adopting = "adopt"

    /// Whether it takes over files that other tools left.
    package var adopts: Bool { self == .adopting || self == .gettingToAdopt }
}
