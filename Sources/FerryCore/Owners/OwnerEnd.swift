/// How an owner came to its end, and what that says of what it was running.
public enum OwnerEnd: Hashable, Sendable, CaseIterable {
    /// It left by itself.
    case left
    /// Its process died: one of the transfers that it was running may have killed it.
    case died
    /// The machine was started anew, which no transfer is to blame for.
    case rebooted
}
