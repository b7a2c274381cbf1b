import FerryTesting
import Synchronization
import Testing

@testable import Ferry

/// One task at a time, in the order in which they come.
struct TurnstileTests {
    /// The tasks inside.
    private final class Tally: Sendable {
        let inside = Mutex((now: 0, most: 0, all: 0))
    }

    @Test(.timeLimit(.minutes(10))) func letsOneThroughAtATimeAndForgetsNone() async {
        let turnstile = Turnstile()
        let tally = Tally()
        await withDiscardingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    await turnstile.enter()
                    tally.inside.withLock { inside in
                        inside.now += 1
                        inside.most = max(inside.most, inside.now)
                        inside.all += 1
                    }
                    await Task.yield()
                    tally.inside.withLock { $0.now -= 1 }
                    turnstile.leave()
                }
            }
        }
        #expect(tally.inside.withLock { ($0.now, $0.most, $0.all) } == (0, 1, 100))
        // It is free again.
        await turnstile.enter()
        turnstile.leave()
    }
}
