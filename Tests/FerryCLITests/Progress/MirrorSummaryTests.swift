import FerryFrontend
import Testing

@testable import FerryCLI

@Suite("The summary of a mirror")
struct MirrorSummaryTests {
    @Test("it says why files were not downloaded, and counts each of them once")
    func reasons() {
        for (failed, cancelled, unfinished, blocked, expected) in [
            (2, 0, 0, 0, "2 not downloaded (2 failed)"),
            (1, 1, 0, 0, "2 not downloaded (1 failed, 1 cancelled)"),
            (0, 0, 2, 0, "2 not downloaded (2 unfinished)"),
            (0, 0, 0, 1, "2 not downloaded (2 without a directory)"),
            // The third one failed because something has its place, and is counted as not replaced.
            (3, 0, 0, 0, "2 not downloaded (2 failed)"),
            (0, 0, 0, 0, "2 not downloaded"),
        ] {
            var tally = MirrorTally()
            (tally.unfinished, tally.blocked) = (2, blocked)
            var downloads = MirrorReport.Downloads()
            (downloads.failed, downloads.cancelled, downloads.unfinished) = (failed, cancelled, unfinished)
            #expect(MirrorReport.notDownloaded(tally, downloads) == expected)
        }
    }

    @Test("without such files it has no word about them")
    func none() {
        var downloads = MirrorReport.Downloads()
        downloads.failed = 1
        #expect(MirrorReport.notDownloaded(MirrorTally(), downloads) == nil)
    }
}
