import FerryTesting

/// Time that passes while an engine works.
extension Bench {
    /// Lets time pass, timer by timer, until `isOver`. The end may come without another timer.
    func advance(until isOver: () async throws -> Bool) async throws {
        while try await !isOver() {
            try Task.checkCancellation()
            if clock.seeTimer() {
                _ = clock.advanceToNextTimer()
            } else {
                await Task.yield()
            }
        }
    }

    /// Lets time pass, one timer after another, while `body` runs.
    func advancing<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                while let timer = await self.clock.nextTimer() { self.clock.advance(by: timer) }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }
}
