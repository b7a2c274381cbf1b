import Testing

@testable import FerryCLI

@Suite("The line for many paused transfers")
struct PauseSummaryTests {
    private static let next = "`ferry resume --all` resumes all unfinished transfers."

    @Test(
        "counts those that are paused, and those that other processes were asked to pause",
        arguments: [
            (2000, 0, "Transfers: 2000 paused. \(next)"), (0, 11, "Transfers: 11 being paused. \(next)"),
            (1995, 5, "Transfers: 1995 paused, 5 being paused. \(next)"), (0, 0, nil),
        ] as [(Int, Int, String?)]
    )
    func counts(paused: Int, asked: Int, line: String?) {
        #expect(PauseInput.summary(paused: paused, asked: asked) == line)
    }
}
