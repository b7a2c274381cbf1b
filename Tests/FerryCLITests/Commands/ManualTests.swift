import ArgumentParser
import Ferry
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What the tool can do is in its manual, and what the manual names the tool can do.
@Suite struct ManualTests {
    private var root: URL {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url
    }

    private func manual() throws -> String {
        let page = try String(contentsOf: root.appendingPathComponent("docs/man/ferry.1"), encoding: .utf8)
        // groff writes a hyphen that is to be copied as \-.
        return page.replacingOccurrences(of: "\\-", with: "-")
    }

    /// Every name of every option of every command, from the parser itself.
    private func optionNames() throws -> [String: Set<String>] {
        let subcommands = try #require(try DumpedHelp.tool.get().subcommands)
        var result: [String: Set<String>] = [:]
        for command in subcommands where command.shouldDisplay != false {
            let arguments = ([command] + (command.subcommands ?? [])).flatMap { $0.arguments ?? [] }
            let names = arguments.flatMap { $0.names ?? [] }.map(\.name)
            result[command.commandName] = Set(names.map { $0.count == 1 ? "-\($0)" : "--\($0)" })
        }
        return result
    }

    @Test func everyCommandAndOptionIsInTheManPage() throws {
        let page = try manual()
        let options = try optionNames()
        #expect(options.count >= FerryCommand.commands.count)
        // Many commands share an option.
        let missing = Set(options.values.joined()).filter { name in
            let pattern = "(?<![-a-z])\(NSRegularExpression.escapedPattern(for: name))(?![-a-z])"
            return page.range(of: pattern, options: .regularExpression) == nil
        }
        for (command, names) in options {
            #expect(page.contains("ferry \(command)") || page.contains(".B \(command)"), "\(command)")
            #expect(names.isDisjoint(with: missing), "\(command): \(names.intersection(missing))")
        }
    }

    @Test func theManPageNamesNoOptionThatThereIsNot() throws {
        let known = try optionNames().values.reduce(into: Set(["--generate-completion-script"])) {
            $0.formUnion($1)
        }
        let page = try manual()
        let expression = try NSRegularExpression(pattern: "(?<![-a-z=])--[a-z][-a-z0-9]+")
        let matches = expression.matches(in: page, range: NSRange(page.startIndex..., in: page))
        #expect(matches.count > 30)
        for match in matches {
            let range = try #require(Range(match.range, in: page))
            #expect(known.contains(String(page[range])), "\(page[range])")
        }
    }

    /// docs/COMING-FROM.md: what the options of other tools are here. It also counts those that are not supported yet.
    @Test func thePageForUsersOfOtherToolsNamesOnlyWhatThereIs() throws {
        let known = try optionNames().values.reduce(into: Set(["--generate-completion-script"])) {
            $0.formUnion($1)
        }
        let page = try String(contentsOf: root.appendingPathComponent("docs/COMING-FROM.md"), encoding: .utf8)
        let option = try NSRegularExpression(pattern: "(?<=`)--[a-z0-9][-a-z0-9.]*")
        func options(in text: Substring) -> [String] {
            let text = String(text)
            return option.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
                Range($0.range, in: text).map { String(text[$0]) }
            }
        }
        var (rows, unsupported, counted) = (0, 0, 0)
        for line in page.split(separator: "\n") {
            if let count = line.firstMatch(of: /options, (\d+) not supported yet/) {
                counted += Int(count.1) ?? 0
            }
            let cells = line.split(separator: " | ")
            guard line.hasPrefix("| `"), cells.count == 2 else { continue }
            rows += 1
            // `--no-x` beside `--x` is the same option.
            let names = options(in: cells[0])
            let count = names.count { !($0.hasPrefix("--no-") && names.contains("--" + $0.dropFirst(5))) }
            if cells[1].contains("not supported yet") { unsupported += max(1, count) }
            // An answer may name the option of the row, to say that it is refused.
            for name in options(in: cells[1]) where !cells[0].contains("`\(name)`") {
                #expect(known.contains(name), "\(line)")
            }
        }
        #expect(rows > 400 && unsupported > 0 && unsupported == counted)
    }

    /// A person types the options of the other tool first, and reads the page later.
    @Test func everyOptionOnThePageForUsersOfOtherToolsIsAcceptedOrAnswered() throws {
        let page = try String(contentsOf: root.appendingPathComponent("docs/COMING-FROM.md"), encoding: .utf8)
        let names = OptionNames(of: GetCommand.self)
        let accepted = names.valued.union(names.flags)
        var count = 0
        for line in page.split(separator: "\n") where line.hasPrefix("| `-") {
            let cells = line.split(separator: " | ")
            // The page begins with options that have another meaning, in three columns.
            guard cells.count == 2 else { continue }
            for option in cells[0].matches(of: /`(-[^` ]+)`/).map({ String($0.1) }) {
                count += 1
                let words = ["get", option, "https://example.org/a"]
                #expect(
                    accepted.contains(option) || ForeignOption.advice(on: option, in: words) != nil,
                    "\(option)"
                )
            }
        }
        #expect(count > 700, "both forms of many options")
    }

    @Test func everyPolicyForAChangeIsExplained() throws {
        let help = FerryCommand.helpMessage(for: GetCommand.self, columns: 200)
        let page = try manual()
        for policy in ChangePolicy.allCases {
            // A name alone explains nothing: a clause follows it.
            let inHelp = "\(policy.rawValue)( \\([a-z ]+\\))?:\\s+[a-z]+,?\\s+[a-z]+"
            let inPage = "\\.B \(policy.rawValue)\n\\([a-z]+"
            #expect(help.range(of: inHelp, options: .regularExpression) != nil, "\(policy): \(help)")
            #expect(page.range(of: inPage, options: .regularExpression) != nil, "\(policy)")
        }
    }

    @Test func theHelpSaysHowLongRetriesTake() {
        let help = FerryCommand.helpMessage(for: GetCommand.self, columns: 200)
        #expect(help.contains("default 19, which takes about half an hour); 0 fails at once."), "\(help)")
    }

    /// A line that is broken cannot be copied.
    @Test func theExamplesOfTheHelpFitANarrowTerminal() {
        let lines = FerryCommand.helpMessage(for: FerryCommand.self, columns: 200).split(separator: "\n")
        let examples = lines.filter { $0.hasPrefix("  ferry ") }
        #expect(examples.count > 5)
        for example in examples { #expect(example.count < 60, "\(example)") }
    }

    @Test func everyExitStatusIsInTheManPage() throws {
        let page = try manual()
        for status in ExitStatus.allCases { #expect(page.contains(".B \(status.rawValue)\n"), "\(status)") }
    }

    @Test func everyMemberOfATransferIsDocumented() throws {
        let page = try String(contentsOf: root.appendingPathComponent("docs/JSON.md"), encoding: .utf8)
        let transfer = try Sample.transfer()
        let members = TransferRecord.full(transfer, transfer.recordedProgress, owners: OwnerDirectory()).map(
            \.name
        )
        #expect(Set(members).count == members.count)
        for name in members + [
            "event", "note", "bytesPerSecond", "secondsLeft", "history", "error", "exitStatus",
        ] {
            #expect(page.contains("`\(name)`"), "\(name)")
        }
    }
}
