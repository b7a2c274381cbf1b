/// What became of a request with an unknown outcome (``TransferFailure/Code/outcomeUnknown``), as a person or an application has
/// found out.
public enum RequestOutcome: String, Hashable, Sendable, CaseIterable {
    /// It has arrived and taken effect.
    case arrived
    /// It has not arrived, so that it may be sent again.
    case notArrived
}
