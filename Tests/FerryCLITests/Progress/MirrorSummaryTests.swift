import Ferry
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

    @Test("with --quiet each pass names the first ten files that are not replaced, and counts all")
    func quiet() async throws {
        let pieces = try OutputPieces()
        defer { pieces.close() }
        let errors = Terminal(descriptor: pieces.writer)
        let console = Console(Appearance(quiet: true), output: errors, errors: errors)
        let report = MirrorReport(console, source: "https://example.org/", isDryRun: false)
        for _ in 1...2 {
            report.begin()
            for number in 10..<22 { report.tell(.conflict(path: "\(number).txt", reason: "It was changed.")) }
            var tally = MirrorTally()
            tally.conflicts = 12
            report.conclude(tally, MirrorReport.Downloads(), isComplete: true, status: .fileExists)
            await console.finish()
            let lines = pieces.read().joined().split(separator: "\n")
            let named = (10..<20).map { "ferry: \($0).txt is not replaced: It was changed." }
            #expect(lines.prefix(10).map { String($0) } == named)
            #expect(lines.dropFirst(10).first?.contains("12 not replaced") == true)
        }
    }

    @Test("a dry run says what is to be removed", arguments: [true, false])
    func removal(isDryRun: Bool) async throws {
        let pieces = try OutputPieces()
        defer { pieces.close() }
        let errors = Terminal(descriptor: pieces.writer)
        let console = Console(Appearance(), output: errors, errors: errors)
        let report = MirrorReport(console, source: "https://example.org/", isDryRun: isDryRun)
        var tally = MirrorTally()
        tally.deleted = 1
        report.conclude(tally, MirrorReport.Downloads(), isComplete: true, status: .done)
        await console.finish()
        let expected =
            isDryRun
            ? "Would mirror https://example.org/: 0 new, 0 changed, 0 gone, 0 unchanged, 1 to be removed."
            : "Mirrored https://example.org/: 0 new, 0 changed, 0 gone, 0 unchanged, 1 removed."
        let told = pieces.read().joined()
        #expect(told == "\(expected)\n")
    }

    @Test("with --quiet it names what was left out")
    func quietlyLeftOut() async throws {
        var tally = MirrorTally()
        tally.refused = 1
        let lines = try await quietLines(tally, status: .badResponse) {
            $0.tell(.refused(name: "a%00b", in: "the source", reason: "It names no file."))
        }
        #expect(lines.first == "ferry: a%00b in the source is left out: It names no file.")
        #expect(lines.dropFirst().first?.contains("1 left out.") == true)
        #expect(lines.last?.contains("--exclude") == true)
    }

    @Test("with --quiet it says that --delete removed nothing only if something is to be removed")
    func quietlyWithheld() async throws {
        for isAnyGone in [true, false] {
            let lines = try await quietLines(MirrorTally(), status: .done) {
                $0.tell(.withheld(reason: "The source lists no file at all, so nothing is removed."))
                if isAnyGone { $0.tell(.gone(path: "old.txt", isPlaced: true)) }
            }
            let expected = [
                "ferry: The source lists no file at all, so nothing is removed.",
                "       No longer at the source, kept here: old.txt.",
            ]
            #expect(lines == (isAnyGone ? expected : []))
        }
    }

    /// The lines of a pass with `--quiet`.
    private func quietLines(
        _ tally: MirrorTally,
        status: FerryFrontend.ExitStatus,
        _ tell: (MirrorReport) -> Void
    ) async throws -> [String] {
        let pieces = try OutputPieces()
        defer { pieces.close() }
        let errors = Terminal(descriptor: pieces.writer)
        let console = Console(Appearance(quiet: true), output: errors, errors: errors)
        let report = MirrorReport(console, source: "https://example.org/", isDryRun: false)
        tell(report)
        report.conclude(tally, MirrorReport.Downloads(), isComplete: true, status: status)
        await console.finish()
        return pieces.read().joined().split(separator: "\n").map { String($0) }
    }

    @Test("it names up to three files that the source no longer has, and --delete unless it was withheld")
    func gone() {
        let step = "Repeat the `ferry mirror` line with --delete to remove"
        for (count, isWithheld, expected) in [
            (1, false, "1. \(step) it. Files that you changed stay."),
            (3, false, "1, 2, 3. \(step) them. Files that you changed stay."),
            (5, true, "1, 2, 3 and 2 more."),
        ] {
            var files = MirrorReport.GoneFiles()
            #expect(files.line == nil)
            files.withheld = isWithheld ? "The source lists no file at all." : nil
            for number in 1...count { files.add("\(number)") }
            #expect(files.line == "No longer at the source, kept here: \(expected)")
        }
    }

    @Test("it names up to three files that are not replaced, and what to do about them")
    func conflicts() {
        let step = "or repeat the `ferry mirror` line with --overwrite."
        for (told, all, expected) in [
            (1, 1, "1 stays as it is. Move it away, \(step)"),
            (3, 3, "1, 2, 3 stay as they are. Move them away, \(step)"),
            (5, 5, "1, 2, 3 and 2 more stay as they are. Move them away, \(step)"),
            // Another one was told by its download, or by a command that was killed.
            (1, 2, "1 and 1 more stay as they are. Move them away, \(step)"),
            (0, 1, "The files that are not replaced stay as they are. Move them away, \(step)"),
        ] {
            var files = MirrorReport.NamedFiles()
            for number in 0..<told { files.add("\(number + 1)") }
            #expect(files.step(ofAll: all) == expected)
        }
        #expect(MirrorReport.NamedFiles().step(ofAll: 0) == nil)
    }

    @Test("a dry run lists the files that are gone, and does not say how to repeat it")
    func goneInDryRun() async throws {
        let pieces = try OutputPieces()
        defer { pieces.close() }
        let output = Terminal(descriptor: pieces.writer)
        let console = Console(Appearance(), output: output, errors: output)
        let report = MirrorReport(console, source: "https://example.org/", isDryRun: true)
        report.tell(.gone(path: "old.txt", isPlaced: true))
        report.conclude(MirrorTally(), MirrorReport.Downloads(), isComplete: true, status: .done)
        await console.finish()
        let text = pieces.read().joined()
        #expect(text.contains("gone\told.txt") && !text.contains("--delete"), "\(text)")
    }

    @Test("the reason of a wait is a line, and is told after a stop until the listing goes on")
    func waiting() async throws {
        let pieces = try OutputPieces()
        defer { pieces.close() }
        let errors = Terminal(descriptor: pieces.writer)
        let console = Console(Appearance(), output: errors, errors: errors)
        let report = MirrorReport(console, source: "https://example.org/", isDryRun: false)
        let failure = TransferFailure(.connectionRefused, "example.org refuses the connection.")
        let wait = RequestWait(after: failure, for: .seconds(1), attempt: 2, of: 5)
        report.begin()
        report.tell(.waiting(wait))
        report.stopListing()
        report.tell(.progress(files: 1, directories: 1))
        report.stopListing()
        await console.finish()
        let reason = "example.org refuses the connection"
        let lines = pieces.read().joined().split(separator: "\n").map { String($0) }
        #expect(
            lines == [
                "Listing https://example.org/: waiting 1 s to try again: \(reason) (attempt 2 of 5)",
                "Stopped while the source was listed: \(reason). Repeat the command to resume.",
                "Stopped while the source was listed. Repeat the command to resume.",
            ]
        )
    }

    @Test("each pass names its own files, without those that were never placed here")
    func goneInEachPass() async throws {
        let pieces = try OutputPieces()
        defer { pieces.close() }
        let errors = Terminal(descriptor: pieces.writer)
        let console = Console(Appearance(), output: errors, errors: errors)
        let report = MirrorReport(console, source: "https://example.org/", isDryRun: false)
        for name in ["first", "second"] {
            report.begin()
            report.tell(.gone(path: name, isPlaced: true))
            report.tell(.gone(path: "never.txt", isPlaced: false))
            report.conclude(MirrorTally(), MirrorReport.Downloads(), isComplete: true, status: .done)
            await console.finish()
            let line = pieces.read().joined().split(separator: "\n").last
            #expect(line?.hasPrefix("No longer at the source, kept here: \(name). Repeat") == true)
        }
    }
}
