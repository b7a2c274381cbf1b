import Testing

/// Waits for conditions, within a bound. The time that a wait takes never decides a test.
enum Deadline {
    /// The interval between two checks of a condition.
    private static let interval: Duration = .milliseconds(4)

    /// Waits until `condition` holds, and throws after `limit`. The limit is far longer than any machine needs, and longer
    /// still under a sanitizer.
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

    /// Returns `true` after `limit`, or `false` if the task is cancelled before.
    static func passes(after limit: Duration) async -> Bool {
        do {
            try await Task.sleep(for: limit)
            return true
        } catch {
            return false
        }
    }
}
