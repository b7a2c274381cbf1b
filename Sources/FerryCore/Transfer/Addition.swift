/// The result of adding one specification.
public enum Addition: Hashable, Sendable {
    /// It is a new transfer.
    case added(Transfer)
    /// A failed transfer with the same identity was queued again.
    case revived(Transfer)
    /// An unfinished transfer with the same identity already exists. It is queued for the caller, unless another
    /// owner has it. An engine also returns this for a completed download whose file is still in its place, and for a
    /// completed upload that did the same where no server can be asked.
    case attached(Transfer)

    /// The transfer in question.
    public var transfer: Transfer {
        switch self {
        case .added(let transfer), .revived(let transfer), .attached(let transfer): transfer
        }
    }
}
