import ArgumentParser
import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Time windows on a command line, in a list, and in what is told of a transfer.
@Suite struct WindowArgumentTests {
    private let night = "mon-fri 22:00-06:00"

    private func plan(_ words: [String]) throws -> [TimeWindow] {
        let command = try AddCommand.parse(words)
        return try DownloadPlan(command.input.download, environment: Sample.environment).transfers
            .map(\.specification.options.window)
    }

    @Test func whatIsAddedOrFetchedHasTheWindowOfTheCommand() throws {
        let window = try TimeWindow(parsing: night)
        #expect(try plan(["http://h/a", "http://h/b", "--window", night]) == [window, window])
        #expect(try plan(["http://h/a"]) == [.always])
        let get = try GetCommand.parse(["http://h/a", "--window", "off"]).input.download
        let options = try DownloadPlan(get, environment: Sample.environment).transfers[0].specification
            .options
        #expect(options == DownloadOptions())
    }

    @Test func aLineOfAListHasItsOwn() throws {
        let list = try ListFile(
            parsing: "http://h/a\n window=\(night)\nhttp://h/b\n window=off\nhttp://h/c\n"
        )
        #expect(try list.entries.map(\.window) == [TimeWindow(parsing: night), .always, nil])
        let error = #expect(throws: ListFile.ParseError.self) {
            try ListFile(parsing: "http://h/a\n window=night\n")
        }
        #expect(error?.line == 2 && error?.reason == .invalidWindow(.malformed))
    }

    @Test func anEditChangesTheWindowAloneOrTakesItAway() throws {
        let edit = try EditCommand.parse(["1", "--window", night]).change()
        #expect(try edit.window == TimeWindow(parsing: night) && edit.retries == nil && edit.options == nil)
        #expect(try EditCommand.parse(["1", "--window", "off"]).change().window == .always)
        #expect(try EditCommand.parse(["1", "--retries", "1"]).change().window == nil)
    }

    @Test(arguments: ["night", "22-06", "sat", "22:00-22:00", ""])
    func whatIsNoWindowEndsWith64(_ text: String) throws {
        let argument = try WindowArgument.parse(["--window", text])
        do {
            _ = try argument.window()
            Issue.record("\(text) was taken for a window")
        } catch {
            #expect(error.status.rawValue == 64)
            #expect(error.message.hasPrefix("--window: "), "\(error.message)")
        }
    }

    @Test func whatWaitsForItsWindowSaysUntilWhen() throws {
        var options = DownloadOptions()
        options.window = try TimeWindow(parsing: night)
        let opens = Sample.now.advanced(by: .seconds(7200))
        let transfer = try Sample.transfer(state: .waiting(.window(opens: opens)), options: options)
        let until = SystemTime.minute(opens)
        #expect(transfer.stateText(at: Sample.now) == "waiting 2h00m for its time window, until \(until)")
        let line = TransferTable().lines(transfer, transfer.recordedProgress)[0]
        #expect(line.hasSuffix("image.iso  its time window opens \(until)"), "\(line)")
        let portrait = TransferPortrait(transfer)
        let lines = portrait.lines(at: Sample.now)
        #expect(lines.contains("  Window        \(night)"), "\(lines)")
        #expect(
            lines.contains("  Next          `ferry edit 3 --window off` lets it run at any time."),
            "\(lines)"
        )
        let narrow = portrait.lines(at: Sample.now, columns: 60)
        #expect(
            narrow.contains(
                "  Next          `ferry edit 3 --window off` lets it run at\n                any time."
            ),
            "\(narrow)"
        )
        #expect(EditCommand.outcome(of: transfer) == "changed. It waits for its time window until \(until).")
        let announcement = Announcement(transfer, transfer.recordedProgress, .added)
        #expect(
            announcement.messages(live: false, at: Sample.now)
                == [.notice("image.iso: waiting 2h00m for its time window, until \(until)")]
        )
        let json = announcement.json(owners: OwnerDirectory()).text
        #expect(json.contains(#""window":"mon-fri 22:00-06:00""#), "\(json)")
        let timestamp = SystemTime.timestamp(opens)
        #expect(json.contains(#""waitingFor":{"condition":"window","until":"\#(timestamp)"}"#), "\(json)")
    }
}
