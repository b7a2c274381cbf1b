import FerryTesting
import NIOCore

@testable import FerryIO

/// A clock for the judgement of servers, which stands still until a test moves it.
final class ManualStallClock: Sendable {
    private struct Check {
        var deadline: NIODeadline
        var loop: any EventLoop
        var run: @Sendable () -> Void
    }

    private struct State {
        var now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        var checks: [Int: Check] = [:]
        var latest = 0
    }

    private let state = Watched(State())

    /// What a transport measures with.
    var clock: StallClock {
        StallClock(
            now: { [state] in state.withLock { $0.now } },
            schedule: { [state] deadline, loop, run in
                let number = state.withLock { state in
                    state.latest += 1
                    state.checks[state.latest] = Check(deadline: deadline, loop: loop, run: run)
                    return state.latest
                }
                let placeholder = loop.scheduleTask(in: .hours(24)) {}
                placeholder.futureResult.whenFailure { _ in
                    state.withLock { _ = $0.checks.removeValue(forKey: number) }
                }
                return placeholder
            }
        )
    }

    /// How many timers were set.
    var timersSet: Int { state.withLock { $0.latest } }

    /// Waits until a server is watched that may be judged within a minute. Others may be watched for a request before.
    func waitForCheck() async throws {
        try await state.wait { state in
            state.checks.values.contains { $0.deadline <= state.now + .minutes(1) }
        }
    }

    /// Lets time pass, and returns when all checks that are due by then have judged their servers.
    ///
    /// - Returns: how many these were.
    func advance(by duration: Duration) async throws -> Int {
        let due = state.withLock { state in
            state.now = state.now + duration.timeAmount(orForever: .hours(24))
            let due = state.checks.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.checks[number] = nil }
            return Array(due.values)
        }
        for check in due { try await check.loop.submit(check.run).get() }
        return due.count
    }
}
