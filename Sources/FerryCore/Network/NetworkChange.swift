/// Why routes are to be looked at again.
public enum NetworkChange: Hashable, Sendable {
    /// Links, addresses or routes of this machine may have changed.
    case routes
    /// The machine has been suspended and goes on: whoever was at the other end of a connection has given it up, though
    /// no route need have changed.
    case woke
}
