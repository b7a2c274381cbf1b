import FerryTesting
import Testing

@testable import FerryCore

@Suite("A download whose URL expires soon")
struct NearExpiryTests {
    private func expiring(
        after duration: Duration,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) throws -> DividedDownload {
        var download = try DividedDownload(change)
        download.hand(.readdressed(expiry: download.now.advanced(by: duration)))
        return download
    }

    private func shortenings(_ download: DividedDownload) -> Int {
        download.log.count { if case .shorten = $0 { true } else { false } }
    }

    @Test("it is divided as long as the expiry is far")
    func farAway() throws {
        var download = try expiring(after: .seconds(600))
        download.grows(to: 2)
        #expect(download.writing.count == 2 && shortenings(download) == 1)
    }

    @Test("it is not divided when a further request could come too late", arguments: [-5, 1, 30, 60])
    func tooLate(seconds: Int) throws {
        var download = try expiring(after: .seconds(seconds))
        for _ in 0..<20 { download.passes(.milliseconds(100)) }
        #expect(download.open == [1] && shortenings(download) == 0)
    }

    @Test("near the expiry no tail is given away, and each free rest is requested to its end")
    func takesWhatIsFree() throws {
        var download = try expiring(after: .seconds(600))
        download.grows(to: 2)
        download.passes(.milliseconds(200))
        let given = shortenings(download)
        download.hand(.readdressed(expiry: download.now.advanced(by: .seconds(20))))
        // The rest behind the piece of the second connection is free.
        download.breaks(2)
        for _ in 0..<30 where download.unanswered.isEmpty { download.passes(.milliseconds(100)) }
        #expect(shortenings(download) == given && !download.unanswered.isEmpty)
        for number in download.unanswered {
            let request = try #require(download.asked[DividedDownload.id(number)])
            let segment = try #require(download.machine.progress.segments.segment(containing: request.from))
            #expect(request.upTo ?? DividedDownload.length == segment.range.upperBound)
        }
        #expect(!download.writing.isEmpty)
    }

    @Test("a fresh URL lets it be divided again")
    func readdressed() throws {
        var download = try expiring(after: .seconds(10))
        for _ in 0..<5 { download.passes(.milliseconds(100)) }
        #expect(download.open == [1])
        download.hand(.readdressed(expiry: nil))
        download.hand(.sampled([:]))
        download.grows(to: 2)
        #expect(download.writing.count == 2)
    }

    @Test("a 403 on a further connection never ends the one that brings bytes")
    func refusedBeside() throws {
        var download = try DividedDownload()
        download.asksForMore()
        #expect(download.open == [1, 2])
        download.answers(2, 403, tag: nil)
        #expect(download.outcome == nil && download.open.contains(1) && download.writing == [1])
        for _ in 0..<200 { download.passes(.milliseconds(100)) }
        #expect(download.machine.progress.segments.received == DividedDownload.length)
    }
}
