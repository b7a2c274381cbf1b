import Testing

/// Lets only so many tests of the marked suites run at once: each starts servers and processes of its own, and the
/// machine may have two cores.
struct Berths: SuiteTrait, TestTrait, TestScoping {
    private static let harbour = Semaphore(4)

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.harbour.enter()
        do {
            try await function()
        } catch {
            await Self.harbour.leave()
            throw error
        }
        await Self.harbour.leave()
    }
}

extension Trait where Self == Berths {
    /// Few at once.
    static var berths: Self { Berths() }
}

/// A counting semaphore that suspends instead of blocking; first come, first served.
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
