import ArgumentParser
import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Queues on a command line.
@Suite struct QueueArgumentTests {
    @Test func aChangeOfAQueueIsWhatWasAskedFor() throws {
        let line = [
            "images", "--slots", "4", "--overflow", "cancel-oldest", "--per-host", "0", "--priority", "-2",
            "--limit-rate", "10K",
        ]
        var expected = QueueEdit()
        (expected.slots, expected.overflow, expected.perHost, expected.priority) = (4, .cancelOldest, 0, -2)
        expected.rateLimit = try RateLimit(bytesPerSecond: 10_240)
        let command = try QueueSetCommand.parse(line)
        #expect(try command.change() == expected && command.name.text == "images")
        for (word, meaning) in [
            ("wait", TransferQueue.Overflow.wait), ("cancel-oldest-also-waiting", .cancelOldestAlsoWaiting),
        ] {
            var bounded = QueueEdit()
            bounded.overflow = meaning
            #expect(try QueueSetCommand.parse(["q", "--overflow", word]).change() == bounded)
        }
        var strict = QueueEdit()
        (strict.order, strict.onFailure) = (.strict, .fail)
        let order = try QueueSetCommand.parse(["q", "--order", "strict", "--on-failure", "fail"])
        #expect(try order.change() == strict)
        var slots = QueueEdit()
        slots.slots = 0
        #expect(try QueueSetCommand.parse(["images", "--slots", "0"]).change() == slots)
    }

    @Test(arguments: [
        ["images"], ["--slots", "1"], ["a b", "--slots", "1"], ["q", "--slots", "-1"],
        ["q", "--per-host", "-1"],
        ["q", "--overflow", "drop"], ["q", "--order", "lifo"], ["q", "--on-failure", "stop"],
        ["q", "--slots", "x"],
    ])
    func whatMeansNothingIsRefused(_ line: [String]) {
        #expect(throws: (any Error).self) { try QueueSetCommand.parse(line) }
    }

    @Test func aRateThatIsNoneIsRefused() throws {
        let command = try QueueSetCommand.parse(["q", "--limit-rate", "fast"])
        #expect(throws: CommandFailure.self) { try command.change() }
    }

    @Test func globalOptionsMayStandBeforeBothWords() throws {
        let words = ["--json", "--data-dir", "/d", "queue", "set", "q", "--slots", "1"]
        let arranged = ["queue", "set", "--json", "--data-dir", "/d", "q", "--slots", "1"]
        #expect(try Invocation.arranged(words) == arranged)
        #expect(try Invocation.arranged(["--json", "queue"]) == ["queue", "--json"])
        #expect(try Invocation.arranged(["--json", "show", "list"]) == ["show", "--json", "list"])
        let command = try FerryCommand.parseAsRoot(["queue", "--json"])
        #expect((command as? QueueListCommand)?.global.json == true)
    }

    @Test func aDownloadStandsInTheQueueThatWasNamed() throws {
        let arguments = try AddCommand.parse(["--queue", "night", "http://h.example/f"]).download
        #expect(arguments.placement.queue?.text == "night")
        #expect(throws: (any Error).self) { try AddCommand.parse(["--queue", "a/b", "http://h.example/f"]) }
        #expect(try EditCommand.parse(["3", "--queue", "night"]).change().queue == "night")
    }

    @Test func theTableTellsWhatHoldsForEach() {
        var images = TransferQueue("images")
        (images.slots, images.overflow, images.isPaused) = (2, .cancelOldest, true)
        var events = TransferQueue("events")
        (events.slots, events.order) = (1, .strict)
        var pictures = TransferQueue("pictures")
        (pictures.slots, pictures.overflow) = (3, .cancelOldestAlsoWaiting)
        #expect(
            pictures.terms
                == "3 at once, 8 to a host; when full, the transfer added longest ago is cancelled, running or not"
        )
        let queues = [
            QueueSummary(TransferQueue("default"), running: 3, waiting: 40),
            QueueSummary(images, running: 0, waiting: 0),
            QueueSummary(events, running: 0, waiting: 9, heldBy: TransferID(rawValue: 7)),
            QueueSummary(pictures, running: 1, waiting: 0),
        ]
        let lines = QueueTable.lines(queues)
        #expect(
            lines == [
                "NAME       RUNNING   WAITING     SLOTS      HOST  PRIORITY  WHEN FULL",
                "default          3        40         -         -         0  wait",
                "images           0         0         2         8         0  cancel the oldest, paused",
                "events           0         9         1         8         0  wait, strict, held by transfer 7",
                "pictures         1         0         3         8         0  cancel the oldest, also waiting",
            ]
        )
        #expect(
            QueueTable.lines(queues, columns: 61) == [
                "NAME      RUNNING  WAITING  SLOTS  HOST  PRIORITY  WHEN FULL",
                "default         3       40      -     -         0  wait",
                "images          0        0      2     8         0  cancel\n    the oldest, paused",
                "events          0        9      1     8         0  wait,\n    strict, held by transfer 7",
                "pictures        1        0      3     8         0  cancel\n    the oldest, also waiting",
            ]
        )
        #expect(QueueTable.lines(queues, columns: 120) == lines)
    }
}
