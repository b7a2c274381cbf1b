import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("A transfer that waits for a disk to be writable")
struct ReadOnlyDiskTests {
    @Test(arguments: [(TransferFailure.Code.storageFault, Int64(1 << 30)), (.cannotCreate, 0)])
    func saysWhatToDo(code: TransferFailure.Code, received: Int64) throws {
        var transfer = try Sample.transfer(state: .waiting(.diskMount), received: received, length: 4 << 30)
        transfer.latestFailure = TransferFailure(code, "Cannot write: the file system is read-only.")
        var ledger = RunLedger(order: [transfer.id], tellingInterval: .seconds(5))
        let messages = ledger.take(Sample.update(transfer), at: Sample.now)
            .flatMap { $0.messages(live: true, at: Sample.now) }
        guard case .failure(let failure)? = messages.first, messages.count == 1 else {
            Issue.record("\(messages)")
            return
        }
        let hint = try #require(failure.hint)
        #expect(failure.message == "image.iso: Cannot write: the file system is read-only.")
        #expect(hint.hasPrefix("Make its file system writable. Then `ferry run` or `ferry resume 3` "))
        #expect(hint.hasSuffix("`ferry cancel 3` and choose another directory.") == (received == 0))
        #expect(ledger.exitStatus == .unfinished)
        #expect(transfer.stateText(at: Sample.now) == "waiting for its disk to be writable")
    }
}
