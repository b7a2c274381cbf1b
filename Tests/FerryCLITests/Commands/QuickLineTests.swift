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

    /// What the parser reads; `nil` for a line that it refuses, and for one of another command.
    private func parsed(_ words: [String]) -> QuickLine? {
        do {
            switch try FerryCommand.parseAsRoot(try Invocation.arranged(words)) {
            case let get as GetCommand: return .get(get.input)
            default: return nil
            }
        } catch {
            return nil
        }
    }

    /// What is typed most, and what differs from it in one point.
    private static let pieces: [[String]] = [
        [url], ["example.org/b"], ["https://example.org/{a,b}?c=d"], ["ftp://h/ä b"], ["help"],
        ["-q"], ["--quiet"], ["--json"], ["-o", "name"], ["--output", "."], ["-d", "~/x"], ["--dir", "/x"],
        ["-i", "list"], ["--input", "list"], ["-j", "3"], ["--jobs", "+3"], ["-x", "16"],
        ["--connections", "007"], ["--data-dir", "/data"], ["--cacert", "/c.pem"], ["--checksum", "md5=0"],
    ]
    private static let oddities: [[String]] = [
        ["-o"], ["-o", "-"], ["-o", "-q"], ["-o", ""], ["-o=name"], ["-oname"], ["--output=name"],
        ["-d", "--"], ["-i", url], ["-j", "0"], ["-j", "1001"], ["-j", "-1"], ["-j", "many"], ["-j3"],
        ["-x", "1.5"],
        ["-x16"], ["-qq"], ["-s"], ["-v"], ["--"], ["-"], [""], ["5"], ["1M"], [#"{"a":1}"#], ["--help"],
        ["--no-clobber"], ["--overwrite"], ["-N"], ["-I"], ["-c"], ["-u", "me"], ["--config", "/c"],
    ]

    private func line(_ random: inout SeededRandom) -> [String] {
        var words = ["get"]
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let isOdd = Int.random(in: 0..<10, using: &random) == 0
            words += (isOdd ? Self.oddities : Self.pieces).randomElement(using: &random) ?? []
        }
        return words
    }

    @Test("what is read is what the parser reads", arguments: 0..<4 as Range<UInt64>)
    func agrees(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var count = 0
        for _ in 0..<100 {
            let words = line(&random)
            guard let line = QuickLine.read(words) else { continue }
            count += 1
            #expect(parsed(words) == line, "seed \(seed): \(words)")
        }
        #expect(count > 20, "seed \(seed)")
    }

    @Test("every plain word is read, and every other is left to the parser")
    func divides() {
        for piece in Self.pieces {
            for words in [["get"] + piece + [Self.url], ["get", Self.url] + piece] {
                let line = QuickLine.read(words)
                #expect(line != nil && line == parsed(words), "\(words)")
            }
        }
        for oddity in Self.oddities {
            #expect(QuickLine.read(["get", Self.url] + oddity) == nil, "\(oddity)")
        }
        for line in ["", "-q get URL", "GET URL", "URL", "run", "help get", "--version"] {
            #expect(QuickLine.read(line.split(separator: " ").map(String.init)) == nil, "\(line)")
        }
    }

    @Test(
        "an option that is given twice is left to the parser",
        arguments: pieces.filter { $0[0].hasPrefix("-") }
    )
    func leavesRepetitions(_ piece: [String]) {
        #expect(QuickLine.read(["get", Self.url] + piece + piece) == nil)
    }

    @Test("a thousand URLs are read in their order")
    func readsMany() {
        let urls = (0..<1_000).map { "https://h/\($0)" }
        let words = ["get", "-d", "x"] + urls
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
