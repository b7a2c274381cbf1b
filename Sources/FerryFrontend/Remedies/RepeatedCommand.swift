/// The command whose line is repeated to ask for a download again.
package enum RepeatedCommand: Hashable, Sendable {
    case getting
    /// With `-c` or `-C -`: the person takes the file that is there for an unfinished one.
    case continuing
    case gettingToAdopt
    case mirroring
    case adopting
    /// The running command only runs or shows what another one has added.
    case adding

    /// Whether it takes over files that other tools left.
    package var adopts: Bool { self == .adopting || self == .gettingToAdopt }

    /// Its words after `ferry`.
    var words: String {
        switch self {
        case .getting, .continuing: "get"
        case .gettingToAdopt: "get --adopt"
        case .mirroring: "mirror"
        case .adopting: "adopt"
        case .adding: "add"
        }
    }

    /// What is repeated, as a person reads it.
    package var line: String {
        // The record of a transfer does not say which of them has added it.
        self == .adding ? "`ferry add` or `ferry get` line" : "`ferry \(words)` line"
    }
}
