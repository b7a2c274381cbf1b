import ArgumentParser
import Testing

@testable import FerryCLI

@Suite struct InvocationTests {
    @Test func globalOptionsMayStandInFront() throws {
        let words = ["--json", "--data-dir", "/x", "-q", "list", "--all"]
        #expect(try Invocation.arranged(words) == ["list", "--json", "--data-dir", "/x", "-q", "--all"])
        #expect(try Invocation.arranged(["--data-dir=/x", "list"]) == ["list", "--data-dir=/x"])
        #expect(try Invocation.arranged(["--help"]) == ["--help"])
        #expect(try Invocation.arranged([]) == [])
    }

    @Test(arguments: [
        ("https://example.org/a?token=x", "`ferry get https://example.org/a?token=…`"),
        ("example.org/a", "`ferry get https://example.org/a`"), ("gte", "`ferry get`"),
        ("lst", "`ferry list`"),
        ("florp", "`ferry help` lists them"),
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

    @Test(arguments: [
        ["pause"], ["pause", "x"], ["pause", "0"], ["pause", "1", "--all"], ["cancel"], ["show"],
        ["edit", "1"],
        ["edit", "--priority", "1"], ["list", "--state", "sleeping"], ["list", "--state", "queued", "--all"],
        ["list", "--limit", "0"], ["resume", "--detach"], ["resume", "--all", "1"], ["retry"], ["remove"],
        ["add", "-j", "3", "https://example.org/a"], ["edit", "1", "--user", "a:b", "--bearer", "c"],
        ["prune", "--keep", "-1"], ["prune", "--older-than", "30"], ["prune", "--older-than", "-1d"],
        ["prune", "1"],
    ])
    func wrongArgumentsEndWith64(_ words: [String]) {
        let error = #expect(throws: (any Error).self) { try FerryCommand.parseAsRoot(words) }
        #expect(error.map { FerryCommand.exitCode(for: $0).rawValue } == 64)
    }

    @Test(arguments: [
        ["pause", "1", "2", "--json"], ["pause", "--all", "-q"],
        ["cancel", "3", "--keep-part", "--data-dir", "/x"],
        ["list", "--state", "failed", "--limit", "5", "--after", "9", "--no-color"], ["resume"],
        ["resume", "1", "-d", "-j", "2"], ["retry", "--all"],
        ["edit", "1", "--url", "https://example.org/b"],
        ["watch", "1", "-v"], ["doctor", "--json"], ["run", "-j", "9"], ["show", "1"], ["remove", "--all"],
        ["prune"], ["prune", "--older-than", "30d", "--keep", "0", "--json"],
    ])
    func rightArgumentsAreTaken(_ words: [String]) throws {
        _ = try FerryCommand.parseAsRoot(words)
    }

    /// A number below zero is no option: what is told is the range, not that a value is missing.
    @Test(arguments: [
        (["get", "--retries", "-1", "https://example.org/a"], "--retries must be from 0 to 1000000"),
        (["get", "--max-redirects", "-2", "https://example.org/a"], "--max-redirects must be from 0 to"),
        (["get", "--timeout", "-3", "https://example.org/a"], "--timeout must be a number of seconds"),
        (["get", "--connect-timeout", "-3", "https://example.org/a"], "--connect-timeout must be"),
        (["edit", "1", "--retries", "-1"], "--retries must be from 0 to 1000000"),
        (["run", "-j", "-1"], "--jobs must be from 1 to 1000"),
        (["list", "--limit", "-1"], "--limit must be at least 1"),
    ])
    func aNumberBelowZeroIsToldTheRange(_ words: [String], _ expected: String) {
        let error = #expect(throws: (any Error).self) {
            switch try FerryCommand.parseAsRoot(words) {
            case let get as GetCommand: _ = try DownloadPlan(get.download, environment: Sample.environment)
            case let edit as EditCommand: _ = try edit.change()
            default: break
            }
        }
        let text = (error as? CommandFailure)?.message ?? error.map { FerryCommand.fullMessage(for: $0) }
        #expect(text?.contains(expected) == true, "\(text ?? "")")
    }

    /// Without `/proc`, Swift finds no arguments, not even the program's own name.
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
}
