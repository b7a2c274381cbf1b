import Testing

/// Runs up to four tests of the marked suites at once. Each test starts its own servers and processes, and the machine
/// may have only two cores. Such a suite has no time limit, which would count the wait for a slot; its processes have.
struct LimitedParallelism: SuiteTrait, TestTrait, TestScoping {
    private static let slots = Semaphore(4)

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.slots.enter()
        do {
            try await function()
        } catch {
            await Self.slots.leave()
            throw error
        }
        await Self.slots.leave()
    }
}

extension Trait where Self == LimitedParallelism {
    /// Runs only a few tests at once; see ``LimitedParallelism``.
    static var limitedParallelism: Self { LimitedParallelism() }
}

/// A counting semaphore that suspends its callers instead of blocking threads. It serves them in order of arrival.
actor Semaphore {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
