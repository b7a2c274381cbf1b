import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// The status that is told of a download.
@Suite("The status of a download")
struct DownloadStatusTests {
    /// A download that has some bytes, and this status.
    private static func begun(_ status: Int?) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: DividedDownload.length)
        progress.segments.advance(0, writtenTo: 8 << 20)
        progress.name = .fallback
        progress.part = PartFileClaim(
            name: FileName.fallback.partName,
            identity: DownloadScenario.identity,
            boot: DownloadScenario.boot
        )
        progress.validator = Validator([.eTag: "\"v1\""], receivedAt: .epoch)
        progress.status = status
        return progress
    }

    @Test(
        "connections beside the first one do not change it, whether they are used or refused",
        arguments: [206, 503]
    )
    func besides(status: Int) throws {
        var download = try DividedDownload()
        #expect(download.machine.progress.status == 200)
        download.asksForMore()
        try #require(download.open == [1, 2])
        download.answers(2, status)
        #expect(download.machine.progress.status == 200)
    }

    @Test("a command that resumes tells the part")
    func resuming() throws {
        let later = try DividedDownload(from: Self.begun(nil))
        #expect(later.machine.progress.status == 206)
    }

    @Test("a retry keeps what the command was told", arguments: [200, 206])
    func retrying(former: Int) throws {
        let retry = try DividedDownload(from: Self.begun(former))
        #expect(retry.machine.progress.status == former)
    }

    @Test("a retry after a refusal tells its own answer")
    func refusedBefore() throws {
        let retry = try DividedDownload(from: Self.begun(503))
        #expect(retry.machine.progress.status == 206)
    }

    @Test("if the file has changed, the new whole counts")
    func changed() throws {
        let download = try DividedDownload(
            tag: "\"v2\"",
            from: Self.begun(206),
            sendsParts: false
        )
        #expect(download.machine.progress.status == 200)
    }

    @Test("only a command that queues it anew forgets it")
    func queued() throws {
        let now = Instant.epoch
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://objects.example/f"),
            destination: .file(directory: "/d", name: .fallback)
        )
        for condition in [WaitCondition.network, .diskSpace(needed: 1), .diskMount] {
            var transfer = Transfer(id: TransferID(rawValue: 1), adding: NewTransfer(specification), at: now)
            transfer.downloadProgress = Self.begun(200)
            transfer.state = .waiting(condition)
            let isQueued = transfer.endWait(for: condition, at: now)
            #expect(isQueued && transfer.downloadProgress.status == 200)
            try transfer.requeue(holder: nil, token: 1, at: now)
            var expected = Self.begun(200)
            expected.status = nil
            #expect(transfer.downloadProgress == expected)
        }
    }
}
