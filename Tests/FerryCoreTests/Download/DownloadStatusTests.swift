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

    @Test(
        "a command that resumes tells the part; a retry keeps what the command was told",
        arguments: [200, 206]
    )
    func resuming(former: Int) throws {
        let later = try DividedDownload(from: Self.begun(former))
        #expect(later.machine.progress.status == 206)
        let retry = try DividedDownload(from: Self.begun(former), isRetry: true)
        #expect(retry.machine.progress.status == former)
    }

    @Test("a retry after a refusal tells its own answer")
    func refusedBefore() throws {
        let retry = try DividedDownload(from: Self.begun(503), isRetry: true)
        #expect(retry.machine.progress.status == 206)
    }

    @Test("if the file has changed, the new whole counts")
    func changed() throws {
        let download = try DividedDownload(
            tag: "\"v2\"",
            from: Self.begun(206),
            isRetry: true,
            sendsParts: false
        )
        #expect(download.machine.progress.status == 200)
    }

    @Test("a command without an answer tells none")
    func unanswered() throws {
        let machine = try DownloadMachine.begun(from: Self.begun(200))
        #expect(machine.progress.status == nil)
    }
}
