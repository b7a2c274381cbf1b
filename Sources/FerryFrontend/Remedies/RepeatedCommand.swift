/// The command whose line is repeated to ask for a download again.
package enum RepeatedCommand: String, Hashable, Sendable {
    case getting = "get"
    case mirroring = "mirror"
    case adopting = "adopt"
}
