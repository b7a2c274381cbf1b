import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("A transfer that gave way to a newer one")
struct GivenWayTests {
    /// No one asked for its end, so `--quiet` does not leave it out. One that was cancelled on request is a notice.
    @Test("is told as a failure", arguments: [false, true])
    func isAFailure(live: Bool) throws {
        var transfer = try Sample.transfer(state: .queued)
        transfer.giveWay(to: TransferID(rawValue: 7), at: Sample.now)
        let announcement = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        #expect(announcement.mayFail)
        let messages = announcement.messages(live: live, at: Sample.now)
        let failures: [CommandFailure] = messages.compactMap {
            if case .failure(let failure) = $0 { failure } else { nil }
        }
        let failure = try #require(failures.first)
        #expect(messages.count == 1 && failure.status == .other)
        #expect(failure.message.contains("cancelled: it gave way to transfer 7"), "\(failure.message)")
    }
}
