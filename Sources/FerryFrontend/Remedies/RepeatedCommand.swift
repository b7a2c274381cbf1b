/// The command whose line is repeated to ask for a download again.
package enum RepeatedCommand: String, Hashable, Sendable {
    case getting = "get"
    /// With `-c` or `-C -`: the person takes the file that is there for an unfinished one.
    case continuing = "get -c"
    case gettingToAdopt = "get --adopt"
    case mirroring = "mirror"
    case adopting = "adopt"

    /// Whether it takes over files that other tools left.
    package var adopts: Bool { self == .adopting || self == .gettingToAdopt }
}
