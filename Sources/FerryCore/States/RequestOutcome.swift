/// What became of a request of which Ferry does not know whether it arrived
/// (``TransferFailure/Code/outcomeUnknown``), as someone has found out.
public enum RequestOutcome: String, Hashable, Sendable, CaseIterable {
    /// It has arrived and taken effect.
    case arrived
    /// It has not arrived, so that it may be sent again.
    case notArrived
}
