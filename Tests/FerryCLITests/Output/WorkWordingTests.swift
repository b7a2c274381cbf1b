import Ferry
import FerryCore
import Testing

@testable import FerryCLI

/// What the tool says of each kind of work.
@Suite("Wording of each kind of work")
struct WorkWordingTests {
    private func request(_ state: TransferState, answered: Bool = false) throws -> Transfer {
        let request = try RequestSpecification(
            url: HTTPURL(parsing: "https://api.example/orders")
        )
        var transfer = Transfer(id: TransferID(rawValue: 3), adding: NewTransfer(request), at: Sample.now)
        transfer.state = state
        var progress = RequestProgress()
        progress.sent = Sample.now
        if answered { progress.response = StoredResponse(status: 201, fields: [], body: [1, 2, 3]) }
        transfer.work.progress = .request(progress)
        return transfer
    }

    private func wish(of transfer: Transfer, keepingPart: Bool) -> String? {
        var transfer = transfer
        transfer.wish = .cancel(keepingPart: keepingPart)
        let portrait = TransferPortrait(
            transfer: transfer,
            progress: transfer.recordedProgress,
            attempts: [],
            process: nil
        )
        return portrait.lines(at: Sample.now).first { $0.hasPrefix("  Requested ") }
    }

    @Test func onlyADownloadHasAPartFileToRemove() throws {
        let download = try Sample.transfer()
        #expect(wish(of: download, keepingPart: false) == "  Requested     end, and remove the part file")
        #expect(wish(of: download, keepingPart: true) == "  Requested     end, and keep the part file")
        let request = try request(.active)
        #expect(wish(of: request, keepingPart: false) == "  Requested     end")
    }

    @Test func saysWhatACancelledOneLeft() throws {
        let download = try Sample.transfer(state: .cancelled, received: 5, length: 9)
        #expect(download.stateText(at: Sample.now) == "cancelled; its part file was kept")
        #expect(download.keptPartHint?.hasPrefix("Its part file is kept") == true)
        #expect(try Sample.transfer(state: .cancelled).stateText(at: Sample.now) == "cancelled")
        let request = try request(.cancelled)
        #expect(request.stateText(at: Sample.now) == "cancelled; it may have arrived")
        #expect(request.keptPartHint == nil)
    }

    @Test func tellsTheBeginningAndTheEnd() throws {
        let download = try Sample.transfer(state: .completed, received: 9, length: 9)
        #expect(
            PlainProgress.beginning(download) == "Downloading image.iso from https://example.org/image.iso"
        )
        let file = "Done: /data/image.iso (\(ByteCount(9).formatted))."
        #expect(PlainProgress.completed(download, took: nil) == file)
        let request = try request(.completed, answered: true)
        #expect(PlainProgress.beginning(request) == "Sending GET https://api.example/orders")
        let answer =
            "Done: GET https://api.example/orders was answered with 201 (\(ByteCount(3).formatted))."
        #expect(PlainProgress.completed(request, took: nil) == answer)
    }
}
