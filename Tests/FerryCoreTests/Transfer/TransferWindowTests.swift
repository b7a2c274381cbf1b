import FerryCore
import FerryTesting
import Testing

/// What becomes of a transfer outside of its time window.
struct TransferWindowTests {
    /// Tuesday, 22:13:20 in UTC.
    private static let now = Instant(seconds: 1_700_000_000)
    private static let failure = TransferFailure(.connectionLost, "The connection broke.")

    private func transfer(_ window: String, in state: TransferState = .queued) throws -> Transfer {
        var options = DownloadOptions()
        options.window = try TimeWindow(parsing: window)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://example.org/a"),
            destination: .file(directory: "/d", name: nil),
            options: options
        )
        var transfer = Transfer(id: TransferID(rawValue: 1), adding: NewTransfer(specification), at: Self.now)
        transfer.state = state
        transfer.attempts = 3
        return transfer
    }

    private var opening: Instant { Self.now.advanced(by: .seconds(46 * 60 + 40)) }

    static let states: [(TransferState, Bool)] = [
        (.queued, true), (.waiting(.retry(at: now)), true), (.waiting(.window(opens: now)), true),
        (.waiting(.retry(at: now.advanced(by: .seconds(1)))), false), (.waiting(.network), false),
        (.waiting(.window(opens: now.advanced(by: .seconds(1)))), false), (.waiting(.dependency), false),
        (.waiting(.newURL), false), (.active, false), (.paused, false), (.completed, false),
        (.failed(failure), false), (.cancelled, false),
    ]

    @Test(arguments: states)
    func onlyWhatCouldRunWaitsForTheOpening(_ state: TransferState, _ waits: Bool) throws {
        var transfer = try transfer("23:00-23:30", in: state)
        #expect(transfer.heedWindow(at: Self.now, in: .utc) == waits)
        #expect(transfer.state == (waits ? .waiting(.window(opens: opening)) : state))
        #expect(transfer.attempts == 3, "no attempt counts")
        for open in ["22:00-23:00", "off"] {
            var other = try self.transfer(open, in: state)
            let isHeeded = other.heedWindow(at: Self.now, in: .utc)
            #expect(!isHeeded && other.state == state)
        }
    }

    @Test func anotherWindowIsLookedAtAnew() throws {
        var waiting = try transfer("23:00-23:30")
        waiting.heedWindow(at: Self.now, in: .utc)
        var edit = TransferEdit()
        edit.priority = 1
        try waiting.apply(edit, at: Self.now)
        #expect(waiting.state == .waiting(.window(opens: opening)), "nothing was said of its window")
        edit.window = .always
        try waiting.apply(edit, at: Self.now)
        #expect(waiting.state == .queued && waiting.specification.options.window == .always)
        var active = try transfer("off", in: .active)
        edit.window = try TimeWindow(parsing: "23:00-23:30")
        try active.apply(edit, at: Self.now)
        #expect(active.state == .active && active.wish == nil, "its owner notices when that closes")
    }

    @Test func aMomentThatNoWindowNamesIsNotWaitedFor() {
        let farthest = Self.now.advanced(by: WaitCondition.farthestOpening)
        #expect(!WaitCondition.window(opens: farthest).hasEnded(at: Self.now, noted: Self.now))
        let wrong = Instant(milliseconds: farthest.milliseconds + 1)
        #expect(WaitCondition.window(opens: wrong).hasEnded(at: Self.now, noted: Self.now))
    }
}
