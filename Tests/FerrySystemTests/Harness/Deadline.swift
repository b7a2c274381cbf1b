import Testing

/// Bounded waiting: for a condition that is asked again and again, and never for a time that decides a verdict.
enum Deadline {
    /// Between two looks at a condition.
    private static let interval: Duration = .milliseconds(4)

    /// Waits until `condition` holds; throws when it does not within `limit`, which is far beyond what any
    /// machine needs. Under a sanitizer it is longer.
    static func wait(
        for what: String,
        within limit: Duration = .seconds(60),
        said: () -> String = { "" },
        until condition: () async throws -> Bool
    ) async throws {
        let limit = limit * Sanitizer.patience
        let end = ContinuousClock.now + limit
        while try await !condition() {
            guard ContinuousClock.now < end else { throw Overdue(what: what, after: limit, said: said()) }
            try await Task.sleep(for: interval)
        }
    }

    /// Returns `true` when `limit` has passed, `false` when the task was cancelled before.
    static func passes(after limit: Duration) async -> Bool {
        do {
            try await Task.sleep(for: limit)
            return true
        } catch {
            return false
        }
    }
}
