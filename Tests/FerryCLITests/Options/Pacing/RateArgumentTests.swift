import ArgumentParser
import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct RateArgumentTests {
    @Test func aTransferOfItsOwnHasNoTimetable() throws {
        let add = try AddCommand.parse(["--limit-rate", "08:00,1M 19:00,off", "https://example.org/a"])
        let failure = #expect(throws: CommandFailure.self) { try add.rate.limit() }
        #expect(failure?.hint?.contains("`ferry run`") == true)
        let other = try AddCommand.parse(["--limit-rate", "fast", "https://example.org/a"])
        let wrong = #expect(throws: CommandFailure.self) { try other.rate.limit() }
        #expect(wrong != nil && wrong?.hint == nil)
    }

    @Test func aCommandIsLimitedAsAWholeAndByTheTimeOfDay() throws {
        for words in [["get", "http://h/"], ["run"], ["resume"], ["retry", "1"]] {
            let command = try FerryCommand.parseAsRoot(words + ["--limit-rate", "08:00,1M 19:00,off"])
            // Of its own, or among what each command that fetches takes.
            let group = Mirror(reflecting: command).children.first { ["_rate", "_fetch"].contains($0.label) }
            #expect("\(try #require(group).value)".contains("08:00,1M"), "\(words)")
        }
        let schedule = try RateArgument.schedule(RateArgument.parse(["--limit-rate", "1M"]).text)
        #expect(schedule == RateSchedule(try RateLimit(parsing: "1M")))
        #expect(try RateArgument.schedule(RateArgument.parse([]).text) == .off)
    }

    @Test(arguments: ["fast", "1023", "8192P", "08:00", "25:00,1M", ""])
    func whatIsNoRateEndsWith64(_ text: String) throws {
        let whole = try RateArgument.parse(["--limit-rate", text])
        #expect(throws: CommandFailure.self) { try RateArgument.schedule(whole.text) }
        let own = try OwnRateArgument.parse(["--limit-rate", text])
        do {
            _ = try own.limit()
            Issue.record("\(text) was taken for a rate")
        } catch {
            #expect(error.status.rawValue == 64)
            #expect(error.message.hasPrefix("--limit-rate: "), "\(error.message)")
        }
    }

    @Test func aTransferHasNoTimetableOfItsOwn() {
        #expect(throws: CommandFailure.self) {
            try OwnRateArgument.parse(["--limit-rate", "08:00,1M 19:00,off"]).limit()
        }
    }

    @Test func whatIsAddedIsLimitedByItself() throws {
        let command = try AddCommand.parse(["http://h/a", "http://h/b", "--limit-rate", "1M"])
        var plan = try DownloadPlan(command.input.download, environment: Sample.environment)
        plan.limitEach(to: try #require(try command.rate.limit()))
        let limits = try plan.transfers.map(\.specification.options.rateLimit.bytesPerSecond)
        #expect(limits == [1 << 20, 1 << 20])
    }

    /// A limit that is not named stays with a download that exists.
    @Test(arguments: [nil, "1M", "off"])
    func aDownloadThatExistsGetsTheLimitThatIsNamed(_ text: String?) throws {
        let options = text.map { ["--limit-rate", $0] } ?? []
        let command = try AddCommand.parse(["http://h/a"] + options)
        var plan = try DownloadPlan(command.input.download, environment: Sample.environment)
        let limit = try command.rate.limit()
        if let limit { plan.limitEach(to: limit) }
        #expect((limit != nil) == (text != nil))
        #expect(try plan.transfers.map(\.transfer.namedRateLimit) == [limit])
    }

    @Test(arguments: [nil, "22:00-06:00", "off"])
    func aDownloadThatExistsGetsTheWindowThatIsNamed(_ text: String?) throws {
        let options = text.map { ["--window", $0] } ?? []
        let command = try AddCommand.parse(["http://h/a"] + options)
        let plan = try DownloadPlan(command.input.download, environment: Sample.environment)
        let window = try WorkTerms.window(text)
        #expect(try plan.transfers.map(\.transfer.namedWindow) == [window])
    }

    /// A setting is meant for new downloads, and must not stop one that runs.
    @Test func aWindowOfTheSettingsIsNotMeantForADownloadThatExists() throws {
        var input = try AddCommand.parse(["http://h/a"]).input.download
        (input.placement.window, input.placement.hasUsualWindow) = ("22:00-06:00", true)
        let transfer = try #require(try DownloadPlan(input, environment: Sample.environment).transfers.first)
        #expect(transfer.transfer.namedWindow == nil && transfer.specification.options.window != .always)
    }

    @Test(
        arguments: [
            (
                ["--limit-rate", "1M"], 1,
                "--limit-rate 1M has no effect while process 10 runs transfer 1. `ferry edit 1 --limit-rate 1M` limits it there."
            ),
            (
                ["--limit-rate", "1M"], 2,
                "--limit-rate 1M has no effect while other processes run 2 of these transfers. "
                    + "`ferry edit ID --limit-rate 1M` limits one of them there."
            ),
            (
                ["--limit-rate", "off"], 1,
                "--limit-rate off does not lift the limits of process 10, which runs transfer 1. "
                    + "`ferry pause 1`, then this command again, runs it here."
            ),
            (
                ["--limit-rate", "08:00,1M"], 1,
                "--limit-rate 08:00,1M has no effect while process 10 runs transfer 1. "
                    + "`ferry pause 1`, then this command again, runs it here."
            ),
            (["--limit-rate", "1M"], 0, nil), ([], 1, nil),
        ] as [([String], Int32, String?)]
    )
    func aCommandSaysWhatItsLimitDoesNotChange(_ words: [String], _ count: Int32, _ text: String?) throws {
        let option = try RateArgument.parse(words).text
        let terms = try EngineTerms(JobsInput(), limitRate: option, Settings())
        let followed = (0..<count).map { (id: TransferID(rawValue: Int64($0) + 1), process: $0 + 10) }
        #expect(terms.typedRate?.warning(about: followed) == text)
    }

    @Test(
        arguments: [
            (2, "3M", " --limit-rate 3M", " -j 2 --limit-rate 3M"), (2, nil, "", " -j 2"),
            (nil, "3M", " --limit-rate 3M", " --limit-rate 3M"), (nil, nil, "", ""),
        ] as [(Int?, String?, String, String)]
    )
    func aLineThatResumesRepeatsTheTypedLimits(
        _ jobs: Int?,
        _ rate: String?,
        _ ofOne: String,
        _ ofMany: String
    ) throws {
        let terms = try EngineTerms(JobsInput(jobs: jobs), limitRate: rate, Settings())
        #expect(terms.repeated == RepeatedOptions(ofOne: ofOne, ofMany: ofMany))
    }

    @Test func anEditSaysWhichLimitStillCounts() throws {
        let running = try Sample.transfer(state: .active)
        #expect(EditCommand.outcome(of: running) == "changed.")
        let text = EditCommand.outcome(of: running, limitedIn: 10)
        #expect(text.contains("Process 10 obeys it at once.") && text.contains("`ferry pause \(running.id)`"))
        let queued = try Sample.transfer(state: .queued)
        #expect(EditCommand.outcome(of: queued, limitedIn: 10) == EditCommand.outcome(of: queued))
    }

    @Test func anEditChangesTheLimitAloneOrTakesItAway() throws {
        let edit = try EditCommand.parse(["1", "--limit-rate", "2M"]).change()
        #expect(edit.rateLimit?.bytesPerSecond == 2 << 20 && edit.retries == nil && edit.options == nil)
        #expect(try EditCommand.parse(["1", "--limit-rate", "off"]).change().rateLimit == .off)
        #expect(try EditCommand.parse(["1", "--retries", "1"]).change().rateLimit == nil)
    }
}
