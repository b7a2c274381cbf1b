/// The work ended while the test still waited for something to happen in it.
package struct EndedTooEarly: Error {}

/// Runs `steps` beside `work`, and returns the work's result.
///
/// The steps wait for events of the work, and the last step lets the work end. If the work ends earlier, no
/// more events come. The steps are then cancelled, so that the test fails instead of hanging. So every wait of the
/// steps must end when its task is cancelled, and the steps must release everything that they hold back in a `defer`.
///
/// - Throws: the first error of the work or the steps; ``EndedTooEarly`` when the work succeeded and the steps still
///   waited.
package func perform<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value,
    meanwhile steps: @escaping @Sendable () async throws -> Void
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            do {
                try await steps()
                return nil
            } catch is CancellationError {
                throw EndedTooEarly()
            }
        }
        var result: Value?
        // The first error leaves the group, which cancels the other task and waits for it.
        while let ended = try await group.next() {
            guard let ended else { continue }
            result = ended
            group.cancelAll()
        }
        try Task.checkCancellation()
        guard let result else { throw EndedTooEarly() }
        return result
    }
}
