import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// The next attempt may come late, and the power may fail before it.
@Suite("The bytes of an attempt that fails")
struct EndingSyncTests {
    private static let broke = Problem.transient(.connectionLost, "It broke.")

    /// A download of which 400 bytes have arrived that no sync has confirmed.
    private static func receiving(_ fields: HTTPFields = [:]) throws -> DividedDownload {
        var download = try DividedDownload(fields: fields) { $0.connections = 1 }
        download.hand(.advanced([DividedDownload.id(1): 400]))
        try #require(download.machine.progress.segments.received == 400)
        return download
    }

    private static func syncs(_ download: DividedDownload) -> Int {
        download.log.count { $0 == .synchronize }
    }

    /// The progress that the attempt ends with.
    private static func kept(_ download: DividedDownload) -> DownloadProgress? {
        guard case .finish(_, let progress)? = download.log.last else { return nil }
        return progress
    }

    @Test(
        "they are synced once before the transfer waits, and the row says so",
        arguments: [
            broke, .transient(.serverOverloaded, "Later.", retryAfter: .seconds(60)),
            .condition(.network, .networkUnreachable, "No route."),
            .condition(.newURL, .urlExpired, "It has expired."),
        ] as [Problem]
    )
    func areSyncedBeforeTheTransferWaits(problem: Problem) throws {
        var download = try Self.receiving()
        download.ends(1, .failed(problem))
        #expect(download.log.last == .synchronize && download.outcome == nil)
        download.hand(.synchronized)
        #expect(download.outcome == .failed(problem) && Self.syncs(download) == 1)
        #expect(Self.kept(download)?.segments.durableBytes == 400)
    }

    @Test("the next attempt does not sync them again if it fails without a byte")
    func failsAgain() throws {
        var download = try Self.receiving()
        download.ends(1, .failed(Self.broke))
        download.hand(.synchronized)
        let progress = try #require(Self.kept(download))
        var again = try DividedDownload(from: progress) { $0.connections = 1 }
        again.ends(1, .failed(Self.broke))
        #expect(again.outcome == .failed(Self.broke) && Self.syncs(again) == 0)
        #expect(Self.kept(again)?.segments.durableBytes == 400)
    }

    @Test("if that sync fails they are fetched again, and the attempt ends with its own failure")
    func syncFails() throws {
        var download = try Self.receiving()
        download.ends(1, .failed(Self.broke))
        download.hand(.storageFailed(.synchronize, .transient(.storageFault, "The disk failed.")))
        #expect(download.outcome == .failed(Self.broke) && Self.syncs(download) == 1)
        #expect(Self.kept(download)?.segments.received == 0)
    }

    @Test("a cancel during that sync is obeyed")
    func isCancelled() throws {
        var download = try Self.receiving()
        download.ends(1, .failed(Self.broke))
        download.hand(.ask(.cancel(keepingPart: false)))
        download.hand(.synchronized)
        guard case .removePart? = download.log.last else {
            Issue.record("\(download.log)")
            return
        }
        download.hand(.partRemoved)
        #expect(download.outcome == .cancelled)
    }

    @Test(
        "they are not synced if the transfer does not wait, or after a failure of the disk",
        arguments: [
            .permanent(.forbidden, "No."), .transient(.storageFault, "The disk failed."),
            .condition(.diskSpace(needed: 1), .diskFull, "The disk is full."),
        ] as [Problem]
    )
    func areNotSyncedAfterAFailureOfTheDisk(problem: Problem) throws {
        var download = try Self.receiving()
        download.ends(1, .failed(problem))
        #expect(download.outcome == .failed(problem) && Self.syncs(download) == 0)
        #expect(Self.kept(download)?.segments.received == 400)
    }

    @Test("there is no sync without a byte, or for bytes that cannot be resumed")
    func nothingToKeep() throws {
        var empty = try DividedDownload(length: 1000)
        empty.ends(1, .failed(Self.broke))
        #expect(empty.outcome == .failed(Self.broke) && Self.syncs(empty) == 0)
        var encoded = try Self.receiving([.contentEncoding: "gzip"])
        encoded.ends(1, .failed(Self.broke))
        #expect(encoded.outcome == .failed(Self.broke) && Self.syncs(encoded) == 0)
    }
}
