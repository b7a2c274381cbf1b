import ArgumentParser
import Testing

@testable import FerryCLI

@Suite("The options of a command, and those that it does not have")
struct OptionNamesTests {
    @Test func theNamesAreThoseOfTheParser() throws {
        let tool = try DumpedHelp.tool.get()
        try compare(FerryCommand.commands, try #require(tool.subcommands))
        let get = OptionNames(of: GetCommand.self)
        #expect(
            get.valued.count > 30 && get.valued.isSuperset(of: ["--max-filesize", "--retry-on", "-C"])
        )
        #expect(get.flags.count > 10 && get.flags.isSuperset(of: ["--overwrite", "--remote-time"]))
    }

    private func compare(_ commands: [any ParsableCommand.Type], _ dumped: [DumpedHelp.Command]) throws {
        for command in commands {
            let name = try #require(command.configuration.commandName)
            let known = try #require(dumped.first { $0.commandName == name })
            let found = OptionNames(of: command)
            for argument in known.arguments ?? [] {
                let takesValue = argument.kind == "option"
                for spelling in argument.names ?? [] {
                    let option = (spelling.kind == "long" ? "--" : "-") + spelling.name
                    #expect(found.valued.contains(option) == takesValue, "\(name) \(option)")
                    #expect(found.flags.contains(option) != takesValue, "\(name) \(option)")
                }
            }
            try compare(command.configuration.subcommands, known.subcommands ?? [])
        }
    }

    @Test(
        arguments: [
            (["--bogus"], "--bogus"), (["1", "--bogus=2"], "--bogus"), (["-q", "-Z", "1"], "-Z"),
            (["--priority", "-1", "--bogus"], "--bogus"), (["--priority", "--bogus"], nil),
            (["--", "--bogus"], nil), (["-q", "--retries=3", "1"], nil), (["-1", "-vv", "-"], nil), ([], nil),
        ] as [([String], String?)]
    )
    func anUnknownOptionIsFoundBesideValues(_ words: [String], _ unknown: String?) {
        #expect(OptionNames(of: EditCommand.self).unknown(in: words) == unknown)
    }

    /// The parser says of these lines that something is missing, or that the option's value is no ID.
    @Test(arguments: [
        (["edit", "--bogus"], "Unknown option '--bogus'."),
        (["edit", "1", "--bogus"], "Unknown option '--bogus'."),
        (["edit", "--retires", "3", "1"], "Unknown option '--retires'. Did you mean '--retries'?"),
        (["-q", "show", "--bogus"], "Unknown option '--bogus'."),
        (["queue", "set", "--bogus"], "Unknown option '--bogus'."),
        (["queue", "set", "--slot", "3"], "Unknown option '--slot'. Did you mean '--slots'?"),
        (["pause", "--everything"], "Unknown option '--everything'."),
        (["pause", "--tga", "x"], "Unknown option '--tga'. Did you mean '--tag'?"),
        (["pause", "1", "x", "--tga=x"], "Unknown option '--tga'. Did you mean '--tag'?"),
        (["resume", "--job", "four"], "Unknown option '--job'. Did you mean '--jobs'?"),
        (["cancel", "--qeue", "films"], "Unknown option '--qeue'. Did you mean '--queue'?"),
        (["edit", "--retires", "many", "1"], "Unknown option '--retires'. Did you mean '--retries'?"),
        (["resolve", "--tries", "many"], "--tries: --retries COUNT sets the number of retries."),
        (["resolve", "1", "--tries", "3"], "--tries: --retries COUNT sets the number of retries."),
    ])
    func itIsToldBeforeAnyOtherMistake(_ words: [String], _ expected: String) throws {
        let error = #expect(throws: (any Error).self) {
            try FerryCommand.parseAsRoot(try Invocation.arranged(words))
        }
        let text = Invocation.explained(try #require(error.map { FerryCommand.fullMessage(for: $0) }), words)
        #expect(Invocation.mistake(text).hasPrefix("ferry: \(expected)"), "\(text)")
        let isAdvice = !expected.hasPrefix("Unknown")
        #expect(isAdvice || text.contains("\nUsage: ferry "), "\(text)")
    }

    @Test func aLineWithoutACommandIsNotSearched() {
        let text = "Error: There is no command 'eidt'; did you mean `ferry edit`?"
        #expect(Invocation.explained(text, ["eidt", "--bogus", "list"]) == text)
    }
}
