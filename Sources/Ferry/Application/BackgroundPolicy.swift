/// What an engine does while its application is in the background.
public enum BackgroundPolicy: Hashable, Sendable {
    /// Running transfers are checkpointed and let go, and none is begun.
    case stop
    /// Running transfers go on to their end, and none is begun.
    case finishActive
    /// Everything goes on.
    case goOn
}
