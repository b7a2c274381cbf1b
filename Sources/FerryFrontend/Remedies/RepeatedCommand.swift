/// The command whose line is repeated to ask for a download again.
package enum RepeatedCommand: String, Hashable, Sendable {
    case get
    case mirror
    case adopt
}
