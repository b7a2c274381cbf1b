extension Transfer {
    /// Whether its secrets were dropped because it never runs again.
    package var hasDroppedSecrets: Bool {
        switch state {
        case .completed, .cancelled: true
        case .queued, .active, .waiting, .paused, .failed: false
        }
    }
}
