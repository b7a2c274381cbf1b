import Testing

/// Waits for conditions, within a bound. The time that a wait takes never decides a test.
enum Deadline {
    /// The interval between two checks of a condition.
    private static let interval: Duration = .milliseconds(4)

    /// How long a test waits for anything: far longer than a machine needs that runs all tests at once.
    static let limit: Duration = .seconds(600) * Sanitizer.patience

    /// Waits until `condition` holds, and throws after ``limit``.
    static func wait(
        for what: String,
        said: () -> String = { "" },
        until condition: () async throws -> Bool
    ) async throws {
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
