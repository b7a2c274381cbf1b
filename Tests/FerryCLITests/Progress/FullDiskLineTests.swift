import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("A transfer that waits for disk space")
struct FullDiskLineTests {
    @Test(
        "its line names the bytes that must be free once",
        arguments: [
            (
                "/data/image.iso.part needs 3.0 GiB; 50.0 MiB are free on its file system.",
                "Free some space. Then `ferry run` or `ferry resume 3` resumes; a running service does so by itself."
            ),
            (
                "Cannot write /data/image.iso.part: the disk is full.",
                "3.0 GiB must be free. Then `ferry run` or `ferry resume 3` resumes; a running service does so by itself."
            ),
        ]
    )
    func namesTheBytesOnce(message: String, hint: String) throws {
        var transfer = try Sample.transfer(state: .waiting(.diskSpace(needed: 3 << 30)), length: 4 << 30)
        transfer.latestFailure = TransferFailure(.diskFull, message)
        let news = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        let messages = news.messages(live: true, at: Sample.now)
        guard case .failure(let failure)? = messages.first, messages.count == 1 else {
            Issue.record("\(messages)")
            return
        }
        #expect(failure.message == "image.iso: \(message)")
        #expect(failure.hint == hint)
    }
}
