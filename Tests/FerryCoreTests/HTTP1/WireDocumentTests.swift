import Foundation
import Testing

/// `docs/WIRE.md` and the samples say the same.
@Suite("The page about answers")
struct WireDocumentTests {
    /// The first cells of the table under a heading.
    private func rows(under heading: String) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/WIRE.md"), encoding: .utf8)
        let section = try #require(
            text.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") }
        )
        let lines = section.split(separator: "\n").filter { $0.hasPrefix("| ") }
        return lines.dropFirst().compactMap { line in
            line.split(separator: "|").first?.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test("has a row for each sample, and none without one")
    func rowsAreSamples() throws {
        #expect(try rows(under: "Accepted") == LenientAnswerTests.samples.map(\.name))
        #expect(try rows(under: "Refused") == RefusedAnswerTests.samples.map(\.name))
    }
}
