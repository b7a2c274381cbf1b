extension Transfer {
    /// Whether its secrets were dropped because it never runs again.
    package var hasDroppedSecrets: Bool { state.name.isOver }
}
