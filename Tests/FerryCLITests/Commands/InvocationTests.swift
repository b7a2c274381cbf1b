import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct InvocationTests {
    @Test func globalOptionsMayStandInFront() throws {
        let words = ["--json", "--data-dir", "/x", "-q", "list", "--all"]
        #expect(try Invocation.arranged(words) == ["list", "--json", "--data-dir", "/x", "-q", "--all"])
        #expect(try Invocation.arranged(["--data-dir=/x", "list"]) == ["list", "--data-dir=/x"])
        #expect(try Invocation.arranged(["-vv", "-sv", "list"]) == ["list", "-vv", "-sv"])
        #expect(try Invocation.arranged(["--help"]) == ["--help"])
        #expect(try Invocation.arranged([]) == [])
    }

    @Test(arguments: [
        ("https://example.org/a?token=x", "`ferry get URL`"),
        ("example.org/a", "`ferry get https://example.org/a`"), ("example.org/a?token=x", "`ferry get URL`"),
        ("https://example.org/a?page=2&lang=en", "`ferry get 'https://example.org/a?page=2&lang=en'`"),
        ("https://me:pw@example.org/a", "`ferry get URL`"), ("gte", "`ferry get`"),
        ("lst", "`ferry list`"),
        ("florp", "`ferry help` lists them"), ("rm", "`ferry remove`"), ("status", "`ferry list`"),
        ("download", "`ferry get`"), ("upload", "`ferry put`"), ("head", "`ferry get -I`"),
        ("unpause", "`ferry resume`"), ("tell", "`ferry show`"),
        ("completion", "`ferry --generate-completion-script SHELL`"),
    ])
    func aFirstWordThatIsNoCommandIsExplained(_ word: String, _ expected: String) {
        do {
            _ = try Invocation.arranged([word])
            Issue.record("\(word) was taken for a command")
        } catch {
            #expect("\(error)".contains(expected))
            #expect(FerryCommand.exitCode(for: error).rawValue == 64)
        }
    }

    @Test func helpForWhatIsNoCommandIsAMistake() throws {
        #expect(throws: (any Error).self) { try Invocation.arranged(["help", "nosuch"]) }
        #expect(try Invocation.arranged(["help", "get"]) == ["help", "get"])
        #expect(try Invocation.arranged(["help", "queue", "set"]) == ["help", "queue", "set"])
    }

    @Test func aValueMayBeAttachedToAShortOption() throws {
        let words = [
            "get", "-x4", "-j1", "-o-", "-d/tmp/a=b", "-HName: a=b", "-i", "-q", "-x=5", "--", "-x6",
        ]
        let arranged = try Invocation.arranged(words)
        #expect(
            arranged == [
                "get", "-x=4", "-j=1", "-o=-", "-d=/tmp/a=b", "-H=Name: a=b", "-i", "-q", "-x=5", "--", "-x6",
            ]
        )
        let line = ["get", "-x4", "-j1", "-ofoo", "-d/tmp/a=b", "-HName: a=b", "https://example.org/a"]
        let get = try #require(
            try FerryCommand.parseAsRoot(try Invocation.arranged(line)) as? GetCommand
        )
        #expect(get.download.connections.most == 4 && get.jobs.jobs == 1)
        #expect(get.download.output == "foo" && get.download.directory == "/tmp/a=b")
        #expect(get.request.header == ["Name: a=b"])
        // Flags may stand before it, but a word of letters is no value.
        let joined = ["get", "-so-", "-sSLx4", "-sOw=%{url}", "-sqofoo", "-s4", "-np", "--", "-so-"]
        #expect(
            try Invocation.arranged(joined) == [
                "get", "-s", "-o=-", "-sSL", "-x=4", "-sO", "-w=%{url}", "-sqofoo", "-s4", "-np", "--",
                "-so-",
            ]
        )
        // There it is a flag.
        #expect(try Invocation.arranged(["resume", "-d", "1"]) == ["resume", "-d", "1"])
    }

    /// The table knows every short option, and whether it takes a value.
    @Test func theShortOptionsAreThoseOfTheParser() throws {
        for command in try #require(try DumpedHelp.tool.get().subcommands) {
            let name = command.commandName
            // This one is the parser's own.
            guard name != "help" else { continue }
            let arguments = ([command] + (command.subcommands ?? [])).flatMap { $0.arguments ?? [] }
            func letters(of kind: String) -> Set<Character> {
                let names = arguments.filter { $0.kind == kind }.flatMap { $0.names ?? [] }
                return Set(names.filter { $0.kind == "short" }.compactMap { $0.name.first })
            }
            #expect(letters(of: "option") == Set(ShortOption.valued(of: name)), "\(name)")
            // The parser adds -h to every command.
            #expect(letters(of: "flag").subtracting("h") == Set(ShortOption.flags(of: name)), "\(name)")
        }
    }

    @Test(arguments: [
        (["send", "-LO", "GET", "https://example.org/a"], "-O: -o FILE saves the response"),
        (["get", "--socks5", "p:1", "https://example.org/a"], "--proxy names it"),
        (["get", "--bind-address=::1", "https://example.org/a"], "--interface"),
        (["get", "--no-check-certificate", "https://example.org/a"], "--insecure"),
        (["add", "--input-file=list.txt"], "-i LIST"),
        (["get", "-P", "/tmp", "https://example.org/a"], "-d DIRECTORY"),
        (["get", "-X", "POST", "https://example.org/a"], "ferry send POST URL"),
        (["get", "--data", "a", "https://example.org/a"], "ferry send METHOD URL --data"),
        (["send", "-X", "POST", "https://example.org/a"], "ferry send POST URL"),
        (["send", "-i", "list", "-j", "4"], "`ferry run -j COUNT`"),
        (["send", "POST", "https://example.org/a", "--json", "{}"], "--data-json"),
        (["send", "POST", "https://example.org/a", "--json={}"], "--data-json"),
        (["seal", "-r", "age1x", "--to", "age1x", "a"], "-r: --to RECIPIENT"),
        (["seal", "-R", "a", "--to", "age1x", "b"], "-R: --to-file FILE"),
        (["open", "-d", "a.age"], "`ferry open` decrypts"),
        (["seal", "-p", "--to", "age1x", "a"], "-p: --passphrase"),
    ])
    func whatTakesThePlaceOfAnotherToolsOptionIsTold(_ words: [String], _ expected: String) throws {
        let error = #expect(throws: (any Error).self) {
            try FerryCommand.parseAsRoot(try Invocation.arranged(words))
        }
        let text = try #require(error.map { FerryCommand.fullMessage(for: $0) })
        #expect(Invocation.explained(text, words).contains(expected), "\(text)")
    }

    @Test func whatToDoWithAFileThatExistsIsSaidOnce() throws {
        let words = ["get", "--auto-rename", "--overwrite", "https://example.org/a"]
        let error = #expect(throws: (any Error).self) { try FerryCommand.parseAsRoot(words) }
        let text = try #require(error.map { FerryCommand.fullMessage(for: $0) })
        #expect(Invocation.explained(text, words) == "--overwrite and --auto-rename cannot be used together.")
    }

    @Test(arguments: [
        ("--qeue", "--queue", true), ("--uesr", "--user", true), ("--usxx", "--user", false),
        ("--retires", "--retries", true), ("--foo", "--form", false),
        ("--v", "-v", false), ("-v", "-4", false), ("--tee", "--tag", false),
    ])
    func onlyASimilarOptionIsSuggested(typed: String, meant: String, isSimilar: Bool) {
        let text = "Error: Unknown option '\(typed)'. Did you mean '\(meant)'?"
        let usage = "\nUsage: ferry get"
        let shown = Invocation.explained(text + usage, ["get", typed])
        #expect(shown == (isSimilar ? text : "Error: Unknown option '\(typed)'.") + usage)
    }

    @Test(arguments: ["show", "pause", "edit", "watch"])
    func whatIsNoIDIsToldWhatAnIDLooksLike(_ command: String) throws {
        let words = [command, "abc"]
        let error = #expect(throws: (any Error).self) { try FerryCommand.parseAsRoot(words) }
        let text = Invocation.explained(try #require(error.map { FerryCommand.fullMessage(for: $0) }), words)
        let lines = text.split(separator: "\n")
        let expected = "'abc' is no ID of a transfer. An ID is a number, such as 7; `ferry list` shows them."
        #expect(lines.first == "Error: \(expected)")
        #expect(lines.dropFirst().first?.hasPrefix("Usage: ferry \(command) ") == true, "\(text)")
        #expect(Invocation.failure(text).message == expected)
    }

    @Test(arguments: [
        (["list", "4"], "Error: `ferry list` takes no ID; `ferry show 4` shows all details."),
        (
            ["-q", "list", "--all", "4", "7"],
            "Error: `ferry list` takes no ID; `ferry show 4 7` shows all details."
        ),
        (["list", "4", "x"], "Error: 2 unexpected arguments: '4', 'x'"),
        (["list", "x"], "Error: Unexpected argument 'x'"),
        (["list", "-4"], "Error: Unknown option '-4'"), (["run", "4"], "Error: Unexpected argument '4'"),
    ])
    func anIDBehindListIsToldToBeShown(_ words: [String], _ expected: String) throws {
        let error = #expect(throws: (any Error).self) {
            try FerryCommand.parseAsRoot(try Invocation.arranged(words))
        }
        let text = Invocation.explained(try #require(error.map { FerryCommand.fullMessage(for: $0) }), words)
        #expect(text.hasPrefix(expected), "\(text)")
    }

    @Test(arguments: [
        (["cache", "create", "a"], "'ferry cache create'. `ferry get --cache POOL URL` creates a pool"),
        (["cache", "rm", "a"], "'ferry cache rm'. `ferry cache clear POOL` removes"),
        (["cache", "tirm", "a"], "'ferry cache tirm'. Did you mean 'trim'?"),
        (["queue", "create"], "'ferry queue create'. `ferry add --queue NAME URL` creates a queue"),
        (["queue", "create", "a"], "'ferry queue create'. `ferry add --queue NAME URL` creates a queue"),
        (["uploads", "remove"], "'ferry uploads remove'."),
        (["-q", "queue", "florp"], "'ferry queue florp'."),
        (["queue", "https://u:geheim@h/"], "'ferry queue https://"),
    ])
    func whatIsNoCommandBehindAnotherIsTold(_ words: [String], _ expected: String) throws {
        let error = #expect(throws: (any Error).self) {
            try FerryCommand.parseAsRoot(try Invocation.arranged(words))
        }
        let text = Invocation.explained(try #require(error.map { FerryCommand.fullMessage(for: $0) }), words)
        #expect(text.hasPrefix("Error: There is no command \(expected)"), "\(text)")
        #expect(!text.contains("geheim"))
        let failure = Invocation.failure(text)
        #expect(failure.hint?.hasPrefix("See 'ferry ") == true && !failure.message.contains("Usage"))
    }

    @Test func anyOtherMistakeIsLeftAsItIs() {
        #expect(
            Invocation.explained("Error: Unknown option '--florp'", ["get", "--florp"])
                == "Error: Unknown option '--florp'"
        )
        #expect(
            Invocation.explained("Error: Missing value for '-o'", ["get", "-c", "-o"])
                == "Error: Missing value for '-o'"
        )
        #expect(
            Invocation.explained("Error: Unknown option '--florp'", ["get", "--florp", "--", "-c"])
                == "Error: Unknown option '--florp'"
        )
    }

    @Test(arguments: [
        ["pause"], ["pause", "x"], ["pause", "0"], ["pause", "1", "--all"], ["cancel"], ["show"],
        ["edit", "1"],
        ["edit", "--priority", "1"], ["list", "--state", "sleeping"],
        ["list", "--limit", "0"], ["resume", "--detach"], ["resume", "--all", "1"], ["retry"], ["remove"],
        ["add", "-j", "3", "https://example.org/a"], ["edit", "1", "--user", "a:b", "--bearer", "c"],
        ["prune", "--keep", "-1"], ["prune", "--older-than", "30"], ["prune", "--older-than", "-1d"],
        ["prune", "1"], ["remove", "--state", "queued"], ["remove", "--state", "failed", "1"],
        ["remove", "--all", "--state", "failed"], ["remove", "--all", "1"],
        ["seal"], ["seal", "a"], ["seal", "a", "--passphrase", "--to", "age1x"],
        ["seal", "a", "b", "--to", "age1x", "-o", "c"],
        ["seal", "a", "b", "--to", "age1x", "--thumbnail", "c"], ["seal", "-", "--to-file", "-"],
        ["open", "a"], ["open", ".age"], ["open", "-", "-i", "-"], ["cat", "-", "-i", "-"],
        ["cat", "a", "--section", "header"], ["cat", "a", "--section", "data", "--range", "0-1"],
    ])
    func wrongArgumentsEndWith64(_ words: [String]) {
        let error = #expect(throws: (any Error).self) { try FerryCommand.parseAsRoot(words) }
        #expect(error.map { FerryCommand.exitCode(for: $0).rawValue } == 64)
    }

    @Test(arguments: [
        ["pause", "1", "2", "--json"], ["pause", "--all", "-q"],
        ["cancel", "3", "--keep-part", "--data-dir", "/x"],
        ["list", "--state", "failed", "--limit", "5", "--after", "9", "--no-color"], ["resume"],
        ["list", "--all", "--before", "9"], ["list", "--all", "--state", "cancelled"],
        ["resume", "1", "-d", "-j", "2"], ["retry", "--all"],
        ["edit", "1", "--url", "https://example.org/b"],
        ["watch", "1", "-v"], ["doctor", "--json"], ["run", "-j", "9"], ["show", "1"], ["remove", "--all"],
        ["prune"], ["prune", "--older-than", "30d", "--keep", "0", "--json"],
        ["seal", "a", "b", "--to", "age1x", "--to-file", "c"], ["seal", "-", "--passphrase"],
        ["open", "a.age", "-i", "b", "-i", "c"], ["open", "a", "-o", "-"], ["open", "-"],
        ["cat", "a", "--range", "-5"], ["cat", "a", "--section", "metadata"],
    ])
    func rightArgumentsAreTaken(_ words: [String]) throws {
        _ = try FerryCommand.parseAsRoot(words)
    }

    @Test(
        arguments: [
            (["remove", "--all"], [.completed, .cancelled]), (["remove", "--state", "failed"], [.failed]),
            (["remove", "--state", "failed", "--state", "completed"], [.completed, .failed]),
            (["remove", "1"], []),
        ] as [([String], [TransferState.Name])]
    )
    func whatIsFailedIsForgottenOnlyWhenItIsNamed(_ words: [String], _ states: [TransferState.Name]) throws {
        let remove = try #require(try FerryCommand.parseAsRoot(words) as? RemoveCommand)
        #expect(remove.wanted == states)
    }

    @Test(
        arguments: [
            (["prune"], .standard), (["prune", "--keep", "5"], Retention(age: nil, count: 5)),
            (["prune", "--older-than", "2d"], Retention(age: .seconds(2 * 86_400), count: nil)),
            (
                ["prune", "--older-than", "90d"],
                Retention(
                    age: .seconds(90 * 86_400),
                    count: nil,
                    emptyFailureAge: .seconds(90 * 86_400)
                )
            ),
        ] as [([String], Retention)]
    )
    func nothingIsPrunedThatEndedLaterThanWasSaid(_ words: [String], _ expected: Retention) throws {
        let prune = try #require(try FerryCommand.parseAsRoot(words) as? PruneCommand)
        #expect(try prune.retention() == expected)
    }

    @Test(
        arguments: [
            ([], 2, "Removed 2 transfers."), (["--keep", "5"], 1, "Removed 1 transfer."),
            ([], 0, "ended more than 30 days ago. --older-than AGE sets another age."),
            (["--older-than", "12h"], 0, "ended more than 12h ago."),
            (["--keep", "5"], 0, "are beyond the latest 5."),
            (
                ["--older-than", "12h", "--keep", "5"], 0,
                "ended more than 12h ago or are beyond the latest 5."
            ),
        ] as [([String], Int, String)]
    )
    func ifNothingIsPrunedTheRuleIsSaid(_ options: [String], _ count: Int, _ end: String) throws {
        let prune = try #require(try FerryCommand.parseAsRoot(["prune"] + options) as? PruneCommand)
        let start = "Removed 0 transfers. Completed and cancelled ones are removed if they "
        #expect(prune.text(count) == (count == 0 ? start : "") + end)
        #expect(Retention.standard.age == .seconds(30 * 86_400), "the help and the text name it")
    }

    @Test(arguments: [
        (["list", "--state", "sleeping"], "queued, active, waiting, paused, completed, failed, cancelled."),
        (["remove", "--state", "queued"], "completed, cancelled, failed."),
    ])
    func aWrongStateIsToldTheWords(_ words: [String], _ expected: String) throws {
        let error = try #require(#expect(throws: (any Error).self) { try FerryCommand.parseAsRoot(words) })
        let text = FerryCommand.fullMessage(for: error)
        #expect(text.contains("--state must be one of \(expected)"), "\(text)")
    }

    /// A number below zero is no option: what is told is the range, not that a value is missing.
    @Test(arguments: [
        (["get", "--retries", "-1", "https://example.org/a"], "--retries must be from 0 to 1000000"),
        (["get", "--max-redirects", "-2", "https://example.org/a"], "--max-redirects must be from 0 to"),
        (["get", "--max-redirs", "-2", "https://example.org/a"], "--max-redirects must be from 0 to"),
        (["get", "--timeout", "-3", "https://example.org/a"], "--timeout must be a number of seconds"),
        (["get", "--connect-timeout", "-3", "https://example.org/a"], "--connect-timeout must be"),
        (["edit", "1", "--retries", "-1"], "--retries must be from 0 to 1000000"),
        (["run", "-j", "-1"], "--jobs must be from 1 to 1000"),
        (["list", "--limit", "-1"], "--limit must be at least 1"),
    ])
    func aNumberBelowZeroIsToldTheRange(_ words: [String], _ expected: String) {
        let error = #expect(throws: (any Error).self) {
            switch try FerryCommand.parseAsRoot(words) {
            case let get as GetCommand:
                _ = try DownloadPlan(get.input.download, environment: Sample.environment)
            case let edit as EditCommand: _ = try edit.change()
            default: break
            }
        }
        let text = (error as? CommandFailure)?.message ?? error.map { FerryCommand.fullMessage(for: $0) }
        #expect(text?.contains(expected) == true, "\(text ?? "")")
    }

    /// Without `/proc`, Swift finds no arguments, not even the program's own name.
    @Test func wordsAndVariablesThatAreNotUTF8AreRefusedAndNotQuoted() throws {
        let (good, bad) = (Array("-o".utf8), [UInt8(ascii: "n"), 0xFF])
        try Invocation.checkEncoding([good, good], variables: [("HOME", good), ("OTHER", bad)])
        let word = #expect(throws: CommandFailure.self) {
            try Invocation.checkEncoding([good, good, bad], variables: [])
        }
        #expect(word?.status == .usage && word?.message == "Argument 2 is not UTF-8; nothing was done.")
        for name in ["HOME", "FERRY_DATA_DIR", "XDG_STATE_HOME", "https_proxy", "NO_PROXY"] {
            let variable = #expect(throws: CommandFailure.self) {
                try Invocation.checkEncoding([good], variables: [(name, bad)])
            }
            #expect(variable?.status == .usage && variable?.message.contains(name) == true)
        }
    }

    @Test(
        "help lists the options of the command itself first",
        arguments: ["send", "put", "get", "run", "list"]
    )
    func ownOptionsFirst(_ command: String) throws {
        let type = try #require(
            FerryCommand.commands.first { $0.configuration.commandName == command }
        )
        let help = FerryCommand.helpMessage(for: type)
        let arranged = Invocation.withOwnOptionsFirst(help)
        let groups = arranged.split(separator: "\n").filter {
            $0.hasSuffix("OPTIONS:") && $0 == $0.uppercased()
        }
        #expect(groups.first == "OPTIONS:" && groups.last == "GLOBAL OPTIONS:", "\(groups)")
        #expect(arranged.split(separator: "\n").sorted() == help.split(separator: "\n").sorted())
    }

    @Test func aHelpWithoutGroupsStays() {
        for text in [
            "", "OPTIONS:\n  -h", "QUEUE OPTIONS:\n  -a", "A\n\nOPTIONS:\n  -h\n\nSUBCOMMANDS:\n  b",
        ] {
            #expect(Invocation.withOwnOptionsFirst(text) == text)
        }
    }

    @Test func withoutArgumentsNothingIsDone() throws {
        let failure = #expect(throws: CommandFailure.self) { try Invocation.check([]) }
        #expect(failure?.status == .cannotOpen && failure?.hint?.contains("mount -t proc") == true)
        try Invocation.check(["ferry"])
    }

    @Test func theVersionIsToldBehindEveryCommand() {
        for command in FerryCommand.commands {
            let name = command.configuration.commandName ?? ""
            let error = #expect(throws: (any Error).self) {
                try FerryCommand.parseAsRoot([name, "--version"])
            }
            #expect(error.map { FerryCommand.fullMessage(for: $0) } == FerryCommand.configuration.version)
        }
    }

    @Test func aShortSecretGarblesNoOtherWord() {
        let text = "Unknown option '--florp', not 'o'"
        let words = ["get", "--bearer", "o", "--florp"]
        #expect(Invocation.redacted(text, words) == "Unknown option '--florp', not '…'")
    }
}
