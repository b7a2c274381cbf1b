import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// A line that is read without the parser means what the parser would read.
@Suite("Quick lines")
struct QuickLineTests {
    private static let url = "https://example.org/a.iso"

    /// A command that is read, and its plain words.
    struct Command: Sendable {
        var words: [String]
        var pieces: [[String]]
    }

    private static let ofAll = [["-q"], ["--quiet"], ["--json"], ["--data-dir", "/data"]]

    private static let ofDownloads =
        ofAll + [
            [url], ["example.org/b"], ["https://example.org/{a,b}?c=d"], ["ftp://h/ä b"], ["help"],
            ["-o", "name"], ["--output", "."], ["-d", "~/x"], ["--dir", "/x"], ["-i", "list"],
            ["--input", "list"], ["-x", "16"], ["--connections", "007"], ["--cacert", "/c.pem"],
            ["--checksum", "md5=0"], ["--retries", "0"], ["--retry", "007"],
        ]

    static let commands = [
        Command(words: ["get", url], pieces: ofDownloads + [["-j", "3"], ["--jobs", "+3"]]),
        Command(words: ["add", url], pieces: ofDownloads),
        Command(words: ["list"], pieces: ofAll + [["-a"], ["--all"], ["--limit", "2"]]),
        Command(words: ["pause", "5"], pieces: ofAll + [["12"], ["007"], ["+3"]]),
    ]

    /// What each command leaves to the parser.
    private static let oddities = [
        ["-o"], ["-o", "-"], ["-o", "-q"], ["-o", ""], ["-o=name"], ["-oname"], ["--output=name"],
        ["-d", "--"], ["-i", url], ["-j", "0"], ["-j", "1001"], ["-j", "-1"], ["-j", "many"], ["-j3"],
        ["-x", "1.5"], ["-x16"], ["--retries", "-1"], ["--retries", "x"], ["--retries=3"], ["-qq"], ["-s"],
        ["-v"], ["--"], ["-"], [""], ["1M"],
        [#"{"a":1}"#], ["--help"], ["--version"], ["--no-clobber"], ["-N"], ["-I"], ["-c"], ["-u", "me"],
        ["--data-dir=/data"], ["--config", "/c"], ["--limit", "0"], ["--limit", "x"], ["--queue", "q"],
    ]

    /// What the parser reads; `nil` for a line that it refuses, and for one of another command.
    private func parsed(_ words: [String]) -> QuickLine? {
        do {
            switch try FerryCommand.parseAsRoot(try Invocation.arranged(words)) {
            case let get as GetCommand: return .get(get.input)
            case let add as AddCommand: return .add(add.input)
            case let list as ListCommand: return .list(list.listing)
            case let pause as PauseCommand:
                return .pause(PauseInput(selection: pause.numbers.selection, global: pause.global.input))
            default: return nil
            }
        } catch {
            return nil
        }
    }

    @Test("plain words are read as the parser reads them, and all others are left to it", arguments: commands)
    func divides(_ command: Command) {
        for piece in command.pieces {
            let words = command.words + piece
            let line = QuickLine.read(words)
            #expect(line != nil && line == parsed(words), "\(words)")
        }
        let oddities = Self.oddities + (command.words[0] == "pause" ? [] : [["5"]])
        for oddity in oddities {
            #expect(QuickLine.read(command.words + oddity) == nil, "\(oddity)")
        }
        for piece in command.pieces where piece[0].hasPrefix("-") {
            #expect(QuickLine.read(command.words + piece + piece) == nil, "\(piece) twice")
        }
    }

    @Test("any line that is read is what the parser reads", arguments: 0..<4 as Range<UInt64>)
    func agrees(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var count = 0
        // A debug build of the parser takes long for a line, and short ones are drawn often.
        var compared: Set<[String]> = []
        for _ in 0..<100 {
            let command = Self.commands[Int.random(in: Self.commands.indices, using: &random)]
            var words = [command.words[0]]
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let isOdd = Int.random(in: 0..<12, using: &random) == 0
                words += (isOdd ? Self.oddities : command.pieces).randomElement(using: &random) ?? []
            }
            guard let line = QuickLine.read(words) else { continue }
            count += 1
            guard compared.insert(words).inserted else { continue }
            #expect(parsed(words) == line, "seed \(seed): \(words)")
        }
        #expect(count > 20, "seed \(seed)")
    }

    @Test(
        "other commands, and options before the command, are left to the parser",
        arguments: ["", "-q get URL", "GET URL", "URL", "run", "list 1", "help get", "--version"]
    )
    func leaves(_ line: String) {
        #expect(QuickLine.read(line.split(separator: " ").map(String.init)) == nil)
    }

    @Test("a thousand URLs are read in their order")
    func readsMany() {
        let words = ["get", "-d", "x"] + (0..<1_000).map { "https://h/\($0)" }
        let line = QuickLine.read(words)
        #expect(line != nil && line == parsed(words))
    }

    @Test("the first line of the README is read")
    func readsTheREADME() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let first = try #require(page.split(separator: "\n").first { $0.hasPrefix("$ ferry ") })
        let words = first.split(separator: " ").dropFirst(2).map(String.init)
        #expect(QuickLine.read(words) != nil, "\(first)")
    }
}
