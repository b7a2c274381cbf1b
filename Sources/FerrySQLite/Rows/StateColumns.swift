import FerryCore

/// The columns that hold a state.
struct StateColumns {
    /// The condition of a waiting transfer.
    var condition: WaitCondition.Name?
    /// When the wait ends by itself, in milliseconds.
    var wakeAt: Int64?
    /// The bytes that must be free for `diskSpace`.
    var needed: Int64?
    /// Why a failed transfer failed.
    var failure: TransferFailure?
    /// Whether a claim may take it in this state. Later claims put waiting transfers in line when their time comes.
    var runnable = false

    /// Creates the columns of a state.
    init(_ state: TransferState) {
        switch state {
        case .queued:
            runnable = true
        case .waiting(let waiting):
            condition = waiting.name
            wakeAt = waiting.wakeTime?.milliseconds
            if case .diskSpace(let bytes) = waiting { needed = bytes }
        case .failed(let reason):
            failure = reason
        case .active, .paused, .completed, .cancelled:
            break
        }
    }
}
