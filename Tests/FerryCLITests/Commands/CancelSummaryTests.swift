import Testing

@testable import FerryCLI

@Suite("The line for several cancelled transfers")
struct CancelSummaryTests {
    @Test(
        "counts those that are cancelled, and those that other processes were asked to cancel",
        arguments: [
            (12, 0, "Transfers: 12 cancelled. "), (0, 2, "Transfers: 2 being cancelled. "),
            (1995, 5, "Transfers: 1995 cancelled, 5 being cancelled. "),
        ]
    )
    func counts(cancelled: Int, asked: Int, beginning: String) {
        for keepsParts in [false, true] {
            let line = CancelCommand.summary(cancelled: cancelled, asked: asked, keepsParts: keepsParts)
            #expect(line?.hasPrefix(beginning) == true, "\(line ?? "")")
        }
    }

    @Test("says what is removed and how to start over, or what is kept and how to resume")
    func keeps() {
        let removed = CancelCommand.summary(cancelled: 2, asked: 0, keepsParts: false) ?? ""
        #expect(removed.contains("part files and unfinished uploads are removed"), "\(removed)")
        #expect(removed.contains("To start one over, repeat the command that added it."), "\(removed)")
        let kept = CancelCommand.summary(cancelled: 2, asked: 0, keepsParts: true) ?? ""
        #expect(kept.contains("Part files and unfinished uploads stay."), "\(kept)")
        #expect(kept.contains("`ferry get` with the same URL and destination resumes a file."), "\(kept)")
        #expect(CancelCommand.summary(cancelled: 0, asked: 0, keepsParts: false) == nil)
    }
}
