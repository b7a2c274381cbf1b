import ArgumentParser
import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct TransferTableTests {
    @Test func linesFitTheTerminalAndStandBelowTheirHeadings() throws {
        let transfer = try Sample.transfer(
            name: "a-rather-long-name-of-an-image.iso",
            received: 1 << 30,
            length: 4 << 30
        )
        let table = TransferTable(columns: 60)
        #expect(table.header == "  ID  STATE            DONE        SIZE  NAME")
        #expect(
            table.line(transfer, transfer.recordedProgress)
                == "   3  active            25%     4.0 GiB  a-rather-…image.iso"
        )
        for columns in 1...120 {
            let line = TransferTable(columns: columns).line(transfer, transfer.recordedProgress)
            #expect(DisplayWidth.of(line) <= columns)
        }
    }

    @Test func aNarrowTerminalHasRoomForTheName() throws {
        let transfer = try Sample.transfer(received: 1 << 30, length: 4 << 30)
        let table = TransferTable(columns: 40)
        #expect(table.header == "  ID  STATE      NAME")
        #expect(table.line(transfer, transfer.recordedProgress) == "   3  active     image.iso")
    }

    @Test func aQueueThatIsPausedIsSaidToBe() throws {
        var transfer = try Sample.transfer(state: .queued)
        var table = TransferTable(columns: nil)
        table.pausedQueues = ["imgs", "default"]
        #expect(table.line(transfer, transfer.recordedProgress).hasSuffix("image.iso  [default, paused]"))
        transfer.queue = "imgs"
        #expect(table.line(transfer, transfer.recordedProgress).hasSuffix("image.iso  [imgs, paused]"))
        transfer.state = .active
        #expect(table.line(transfer, transfer.recordedProgress).hasSuffix("image.iso  [imgs]"))
    }

    @Test(arguments: [
        (["list"], "ferry list --after 7"),
        (["list", "--all", "--limit", "2"], "ferry list --all --limit 2 --after 7"),
        (["list", "--state", "failed", "--after", "3"], "ferry list --state failed --after 7"),
        (
            ["list", "--state", "FAILED", "--queue", "q", "--state", "Queued"],
            "ferry list --state failed --state queued --queue q --after 7"
        ),
    ])
    func theNextPageIsOfTheSameList(_ words: [String], _ expected: String) throws {
        let list = try #require(try FerryCommand.parseAsRoot(words) as? ListCommand)
        #expect(list.nextPage(after: TransferID(rawValue: 7)) == expected)
    }

    @Test(arguments: [
        ["--state", "done"], ["--state", ""], ["--queue", "a b"], ["--all", "--state", "failed"],
    ])
    func aListThatMeansNothingIsRefused(_ words: [String]) {
        #expect(throws: (any Error).self) { try FerryCommand.parseAsRoot(["list"] + words) }
    }

    @Test func nothingIsCutWhereThereIsNoTerminal() throws {
        let transfer = try Sample.transfer(name: String(repeating: "x", count: 200))
        #expect(
            TransferTable(columns: nil).line(transfer, transfer.recordedProgress).hasSuffix(
                transfer.displayName
            )
        )
    }

    @Test func aProgramMayAllowAnyNumberOfRetries() throws {
        var options = DownloadOptions()
        options.retries = .max
        let transfer = try Sample.transfer(state: .waiting(.retry(at: Sample.now)), options: options)
        let portrait = TransferPortrait(
            transfer: transfer,
            progress: transfer.recordedProgress,
            attempts: [],
            process: nil
        )
        #expect(portrait.lines(at: Sample.now).contains { $0.hasSuffix("1 of \(Int.max)") })
        #expect(transfer.waitingText(at: Sample.now)?.hasSuffix("(attempt 2 of \(Int.max))") == true)
    }

    @Test func theQuestionCountsWhatIsLeft() throws {
        let one = try Sample.transfer(id: 1, received: 1 << 30, length: 4 << 30)
        let other = try Sample.transfer(id: 2)
        #expect(Incomplete([one]).question == "Resume 1 unfinished transfer (3.0 GiB left)? [Y/n]")
        #expect(
            Incomplete([one, other]).question
                == "Resume 2 unfinished transfers (at least 3.0 GiB left)? [Y/n]"
        )
        #expect(Incomplete([other]).question == "Resume 1 unfinished transfer? [Y/n]")
    }
}
