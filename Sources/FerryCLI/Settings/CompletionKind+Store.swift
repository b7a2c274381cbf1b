import ArgumentParser

/// What a shell offers as the value of an option, besides files and directories.
extension CompletionKind {
    /// The IDs of transfers.
    static var transfers: CompletionKind { .shellCommand("ferry complete ids 2>/dev/null") }

    /// The names of queues.
    static var queues: CompletionKind { .shellCommand("ferry complete queues 2>/dev/null") }

    /// The names of pools.
    static var pools: CompletionKind { .shellCommand("ferry complete pools 2>/dev/null") }
}
