import FerryCore
import FerryTesting
import Logging
import Synchronization
import Testing

@testable import Ferry

@Suite("A fresh URL ahead of the expiry", .timeLimit(.minutes(10)))
struct URLRenewalTests {
    private let clock = ManualClock(now: Instant(timestamp: "2026-01-01T00:00:00Z")!)

    private static func url(_ signature: String, expires seconds: Int) throws -> HTTPURL {
        try HTTPURL(
            parsing:
                "https://b.example/k?X-Amz-Date=20260101T000000Z&X-Amz-Expires=\(seconds)&X-Amz-Signature=\(signature)"
        )
    }

    private func renewal(
        _ refresh: @escaping @Sendable (HTTPURL) throws -> HTTPURL
    ) -> URLRenewal {
        URLRenewal(
            refresh: { _, old in try refresh(old) },
            transfer: TransferID(rawValue: 1),
            clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    @Test("the application is asked two minutes before, and not earlier")
    func ahead() async throws {
        let (old, fresh) = (try Self.url("a", expires: 600), try HTTPURL(parsing: "https://b.example/k"))
        let asked = Mutex<[Duration]>([])
        let used = UsedURLs()
        let renewal = renewal { [clock] _ in
            asked.withLock { $0.append(clock.elapsed) }
            return fresh
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await renewal.run(from: old) { url in used.add(url) } }
            while clock.elapsed < .seconds(480), let rest = await clock.nextTimer() {
                clock.advance(by: rest)
            }
            await group.waitForAll()
        }
        #expect(asked.withLock { $0 } == [.seconds(480)] && used.all == [fresh])
    }

    @Test("an answer that lasts no longer is not used, and it is not asked again")
    func useless() async throws {
        let old = try Self.url("a", expires: 60)
        let answers = [old, try Self.url("b", expires: 60), try Self.url("b", expires: 30)]
        for answer in answers {
            let count = Mutex(0)
            let renewal = renewal { _ in
                count.withLock { $0 += 1 }
                return answer
            }
            await renewal.run(from: old) { _ in Issue.record("a useless URL was used") }
            #expect(count.withLock { $0 } == 1)
        }
        struct Refused: Error {}
        let refusing = renewal { _ in throw Refused() }
        await refusing.run(from: old) { _ in Issue.record("no URL was given") }
    }

    @Test("whether a URL has expired is read from its query")
    func hasExpired() throws {
        let renewal = renewal { $0 }
        #expect(renewal.hasExpired(try Self.url("a", expires: 0)))
        #expect(!renewal.hasExpired(try Self.url("a", expires: 1)))
        #expect(!renewal.hasExpired(try HTTPURL(parsing: "https://b.example/k")))
    }
}

/// The URLs that a test's renewal was told to use.
private final class UsedURLs: Sendable {
    private let urls = Mutex<[HTTPURL]>([])

    var all: [HTTPURL] { urls.withLock { $0 } }

    func add(_ url: HTTPURL) { urls.withLock { $0.append(url) } }
}
