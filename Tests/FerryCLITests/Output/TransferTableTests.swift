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
            table.lines(transfer, transfer.recordedProgress)[0]
                == "   3  active            25%     4.0 GiB  a-rather-…image.iso"
        )
        for columns in 1...120 {
            let line = TransferTable(columns: columns).lines(transfer, transfer.recordedProgress)[0]
            #expect(DisplayWidth.of(line) <= columns)
        }
    }

    @Test func aNarrowTerminalHasRoomForTheName() throws {
        let transfer = try Sample.transfer(received: 1 << 30, length: 4 << 30)
        let table = TransferTable(columns: 40)
        #expect(table.header == "  ID  STATE      NAME")
        #expect(table.lines(transfer, transfer.recordedProgress)[0] == "   3  active     /data/image.iso")
    }

    @Test func aFileIsShownWithItsPath() throws {
        let transfer = try Sample.transfer()
        for (directory, home, expected) in [
            ("/data", nil, "image.iso"), ("/", nil, "/data/image.iso"), ("/da", "/", "/data/image.iso"),
            ("/home/me", "/data", "~/image.iso"), ("/data", "/data", "image.iso"),
        ] as [(String, String?, String)] {
            let table = TransferTable(columns: nil, workingDirectory: directory, home: home)
            #expect(table.lines(transfer, transfer.recordedProgress)[0].hasSuffix("  \(expected)"))
        }
        let request = try Sample.put(sent: 1, of: 2)
        #expect(
            TransferTable(columns: nil).lines(request, request.recordedProgress)[0].hasSuffix(
                "  \(request.displayName)"
            )
        )
    }

    @Test func aNameThatIsNotKnownYetIsSupposedFromTheURL() throws {
        let transfer = try Sample.transfer(name: nil, state: .queued)
        let table = TransferTable(columns: nil)
        #expect(table.lines(transfer, transfer.recordedProgress)[0].hasSuffix("  /data/image.iso"))
    }

    @Test func aReasonThatDoesNotFitGetsItsOwnLine() throws {
        let failure = TransferFailure(.notFound, "The server has no such file.")
        let transfer = try Sample.transfer(state: .failed(failure))
        func lines(_ columns: Int?) -> [String] {
            TransferTable(columns: columns).lines(transfer, transfer.recordedProgress)
        }
        #expect(lines(60).count == 2 && lines(60)[1] == "      The server has no such file.")
        #expect(lines(40).count == 2)
        for wide in [lines(100), lines(nil)] {
            #expect(wide.count == 1 && wide[0].hasSuffix("image.iso  The server has no such file."))
        }
        for columns in 1...120 {
            #expect(lines(columns).allSatisfy { DisplayWidth.of($0) <= columns })
            #expect(lines(columns).joined().contains("The se") || columns < 20)
        }
        let running = try Sample.transfer()
        #expect(TransferTable(columns: 30).lines(running, running.recordedProgress).count == 1)
    }

    @Test func aQueueThatIsPausedIsSaidToBe() throws {
        var transfer = try Sample.transfer(state: .queued)
        var table = TransferTable(columns: nil)
        table.pausedQueues = ["imgs", "default"]
        #expect(table.lines(transfer, transfer.recordedProgress)[0].hasSuffix("image.iso  [default, paused]"))
        transfer.queue = "imgs"
        #expect(table.lines(transfer, transfer.recordedProgress)[0].hasSuffix("image.iso  [imgs, paused]"))
        transfer.state = .active
        #expect(table.lines(transfer, transfer.recordedProgress)[0].hasSuffix("image.iso  [imgs]"))
    }

    @Test func aQueuedTransferWhoseProcessDiedIsSaidToBeInterrupted() throws {
        let table = TransferTable(columns: nil)
        for (deaths, diedAt, state, isSaid) in [
            (1, 0, .queued, true), (0, 0, .queued, false), (1, 0, .active, false), (1, 0, .paused, false),
            // Its latest attempt had made progress, or a later one has.
            (0, 2, .queued, true), (0, 1, .queued, false), (0, 2, .active, false),
        ] as [(Int, Int64, TransferState, Bool)] {
            var transfer = try Sample.transfer(state: state, received: 2, length: 4)
            (transfer.ledger.deaths, transfer.ledger.receivedAtDeath) = (deaths, diedAt)
            let line = table.lines(transfer, transfer.recordedProgress)[0]
            #expect(line.hasSuffix("image.iso  interrupted: its process died") == isSaid, "\(line)")
            let shown = TransferPortrait(transfer).lines(at: Sample.now) { "\($0.milliseconds)" }
            let isShown = shown.contains { $0.hasSuffix("queued; interrupted: its process died") }
            #expect(isShown == isSaid, "\(shown)")
        }
    }

    @Test(arguments: [
        (["list"], "ferry list --after 7"),
        (["list", "--all", "--limit", "2"], "ferry list --all --limit 2 --before 7"),
        (["list", "--all", "--limit", "2", "--before", "9"], "ferry list --all --limit 2 --before 7"),
        (["list", "--all", "--after", "0"], "ferry list --all --after 7"),
        (["list", "--before", "9"], "ferry list --before 7"),
        (["list", "--all", "--state", "paused"], "ferry list --all --state paused --before 7"),
        (["list", "--state", "failed", "--after", "3"], "ferry list --state failed --after 7"),
        (["list", "--state", "failed", "--limit", "2"], "ferry list --state failed --limit 2 --before 7"),
        (
            ["list", "--state", "FAILED", "--queue", "q", "--state", "Queued"],
            "ferry list --state failed --state queued --queue q --after 7"
        ),
    ])
    func theNextPageIsOfTheSameList(_ words: [String], _ expected: String) throws {
        let list = try #require(try FerryCommand.parseAsRoot(words) as? ListCommand)
        #expect(list.listing.nextPage(after: TransferID(rawValue: 7)) == expected)
    }

    @Test(arguments: [["list"], ["list", "--limit", "2"], ["list", "--queue", "q", "--limit", "2"]])
    func failuresComeLastWithALimitToo(_ words: [String]) throws {
        let list = try #require(try FerryCommand.parseAsRoot(words) as? ListCommand)
        let expected = [
            TransferListing.Part(
                states: [.queued, .active, .waiting, .paused],
                order: .oldestFirst(after: nil)
            ),
            TransferListing.Part(states: [.failed], order: .newestFirst(before: nil)),
        ]
        #expect(list.listing.parts == expected)
    }

    @Test(arguments: [
        ["--all"], ["--state", "failed"], ["--after", "0"], ["--before", "9"], ["--json"],
    ])
    func otherListsHaveOneOrder(_ words: [String]) throws {
        let list = try #require(try FerryCommand.parseAsRoot(["list"] + words) as? ListCommand)
        #expect(list.listing.parts.count == 1)
    }

    @Test func theRestOfALimitedListIsNamed() throws {
        let list = try #require(
            try FerryCommand.parseAsRoot(["list", "--queue", "q", "--limit", "2"]) as? ListCommand
        )
        let queued = try Sample.transfer(id: 7, state: .queued)
        let failed = try Sample.transfer(id: 5, state: .failed(TransferFailure(.notFound, "")))
        func rest(_ last: Transfer, _ next: Transfer, hasFailures: Bool = true) -> String {
            list.listing.rest(after: last, beginningWith: next, hasFailures: hasFailures)
        }
        let page = "ferry list --queue q --limit 2 --after 7"
        #expect(rest(queued, queued, hasFailures: false) == page)
        #expect(rest(queued, queued) == "ferry list --queue q")
        #expect(rest(queued, failed) == "ferry list --state failed --queue q")
        #expect(rest(failed, failed) == "ferry list --state failed --queue q --limit 2 --before 5")
    }

    @Test(arguments: [
        ["--state", "done"], ["--state", ""], ["--queue", "a b"],
        ["--after", "1", "--before", "9"], ["--after", "-1"], ["--after", "x"], ["--before", "0"],
    ])
    func aListThatMeansNothingIsRefused(_ words: [String]) {
        #expect(throws: (any Error).self) { try FerryCommand.parseAsRoot(["list"] + words) }
    }

    @Test(
        "--state chooses the states, also beside --all",
        arguments: [
            (["list", "--all", "--state", "cancelled"], [.cancelled]),
            (["list", "--state", "failed"], [.failed]),
            (["list", "--all"], nil), (["list"], [.queued, .active, .waiting, .paused, .failed]),
        ] as [([String], Set<TransferState.Name>?)]
    )
    func states(_ words: [String], _ expected: Set<TransferState.Name>?) throws {
        let list = try #require(try FerryCommand.parseAsRoot(words) as? ListCommand)
        #expect(list.listing.listed.map { Set($0) } == expected)
    }

    @Test(
        arguments: [
            (["list"], .oldestFirst(after: nil)), (["list", "--all"], .newestFirst(before: nil)),
            (["list", "--all", "--before", "3"], .newestFirst(before: TransferID(rawValue: 3))),
            (["list", "--before", "3"], .newestFirst(before: TransferID(rawValue: 3))),
            (["list", "--all", "--after", "3"], .oldestFirst(after: TransferID(rawValue: 3))),
            (["list", "--state", "completed"], .newestFirst(before: nil)),
            (["list", "--state", "failed", "--limit", "2"], .newestFirst(before: nil)),
            (["list", "--state", "failed", "--state", "cancelled"], .newestFirst(before: nil)),
            (["list", "--state", "failed", "--after", "0"], .oldestFirst(after: TransferID(rawValue: 0))),
            (["list", "--state", "failed", "--state", "paused"], .oldestFirst(after: nil)),
            (["list", "--state", "queued"], .oldestFirst(after: nil)),
            (["list", "--limit", "2"], .oldestFirst(after: nil)),
        ] as [([String], ListOrder)]
    )
    func theNewestComesFirstInTheListOfAllAndOfWhatHasEnded(_ words: [String], _ expected: ListOrder) throws {
        let list = try #require(try FerryCommand.parseAsRoot(words) as? ListCommand)
        #expect(list.listing.order == expected)
    }

    @Test func aRunningTransferHasItsSpeedAndTheTimeLeft() throws {
        let transfer = try Sample.transfer(received: 1 << 30, length: 4 << 30)
        var progress = transfer.recordedProgress
        let table = TransferTable(columns: nil)
        #expect(table.lines(transfer, progress)[0].hasSuffix("  /data/image.iso"))
        progress.bytesPerSecond = Double(1 << 20)
        #expect(table.lines(transfer, progress)[0].hasSuffix("  /data/image.iso  1.0 MiB/s, 51m12s left"))
        progress.total = nil
        #expect(table.lines(transfer, progress)[0].hasSuffix("  /data/image.iso  1.0 MiB/s"))
        progress.total = progress.received
        #expect(table.lines(transfer, progress)[0].hasSuffix("  /data/image.iso"))
    }

    @Test func nothingIsCutWhereThereIsNoTerminal() throws {
        let transfer = try Sample.transfer(name: String(repeating: "x", count: 200))
        #expect(
            TransferTable(columns: nil).lines(transfer, transfer.recordedProgress)[0].hasSuffix(
                transfer.displayName
            )
        )
    }

    @Test func aProgramMayAllowAnyNumberOfRetries() throws {
        var options = DownloadOptions()
        options.retries = .max
        let transfer = try Sample.transfer(state: .waiting(.retry(at: Sample.now)), options: options)
        let portrait = TransferPortrait(transfer)
        #expect(portrait.lines(at: Sample.now).contains { $0.hasSuffix("1 of \(Int.max)") })
        #expect(transfer.waitingText(at: Sample.now)?.hasSuffix("(attempt 2 of \(Int.max))") == true)
    }

    @Test(arguments: [true, false])
    func aWaitingTransferWithoutAProcessSaysSo(_ hasRunner: Bool) throws {
        let transfer = try Sample.transfer(state: .waiting(.retry(at: Sample.now)))
        var portrait = TransferPortrait(transfer)
        portrait.hasRunner = hasRunner
        let lines = portrait.lines(at: Sample.now)
        #expect(transfer.needsRunner)
        #expect(lines[1].hasSuffix("; no process runs it") != hasRunner, "\(lines)")
        let next = "`ferry run` or `ferry resume \(transfer.id)` runs it."
        #expect(lines.contains { $0.hasSuffix(next) } != hasRunner, "\(lines)")
    }
}
