extension Transfer {
    /// Whether its secrets were dropped, as it is never run again.
    public var hasDroppedSecrets: Bool {
        switch state {
        case .completed, .cancelled: true
        case .queued, .active, .waiting, .paused, .failed: false
        }
    }
}
