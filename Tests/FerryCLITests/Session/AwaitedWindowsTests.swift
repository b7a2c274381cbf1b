import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("What a run of the queue says of the time windows that it waits for")
struct AwaitedWindowsTests {
    private func transfer(_ name: String, opensIn hours: Int) throws -> Transfer {
        let opens = Sample.now.advanced(by: .seconds(hours * 3600))
        return try Sample.transfer(name: name, state: .waiting(.window(opens: opens)))
    }

    @Test func nothingIsSaidWithoutAWindow() throws {
        #expect(AwaitedWindows([]) == nil)
        #expect(AwaitedWindows([try Sample.transfer(state: .waiting(.network))]) == nil)
    }

    @Test func oneTransferIsToldWithItsTime() throws {
        let text = AwaitedWindows([try transfer("a", opensIn: 2)])?.text(at: Sample.now)
        let until = SystemTime.minute(Sample.now.advanced(by: .seconds(7200)))
        #expect(text == "a: waiting 2h00m for its time window, until \(until)")
    }

    @Test func severalAreCountedAndTheFirstToOpenIsNamed() throws {
        let three = try [("a", 3), ("b", 1), ("c", 2)].map { try transfer($0.0, opensIn: $0.1) }
        let opens = SystemTime.minute(Sample.now.advanced(by: .seconds(3600)))
        let rest = "transfers wait for their time windows. The first one opens at \(opens), for b."
        #expect(AwaitedWindows(three)?.text(at: Sample.now) == "3 \(rest)")
        let many = three + Array(repeating: three[0], count: AwaitedWindows.mostRead - 3)
        #expect(AwaitedWindows(many)?.text(at: Sample.now) == "1000 or more \(rest)")
    }
}
