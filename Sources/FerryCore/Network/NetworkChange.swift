/// Why routes must be checked again.
public enum NetworkChange: Hashable, Sendable {
    /// Links, addresses or routes of this machine may have changed.
    case routes
    /// The machine was suspended and runs again. Every connection counts as dead, even if no route changed.
    case woke
}
