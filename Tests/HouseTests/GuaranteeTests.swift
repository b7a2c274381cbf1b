import Foundation
import Testing

/// The document names the tests that prove each invariant, and these tests exist.
@Suite("Guarantees")
struct GuaranteeTests {
    static let invariants = (1...10).map { "I\($0)" }

    /// The text about each invariant: from the line that names it first as a heading, list item or row of a table, to the
    /// next such line.
    static func sections(of document: SourceFile) -> [String: String] {
        var sections: [String: String] = [:]
        var current: String?
        for line in document.lines {
            let opening = line.drop { "#*-| ".contains($0) }
            if line.first.map({ "#*-|".contains($0) }) == true {
                let word = String(opening.prefix { $0.isLetter || $0.isNumber })
                if invariants.contains(word) {
                    current = word
                } else if line.hasPrefix("#") {
                    current = nil
                }
            }
            if let current { sections[current, default: ""] += line + "\n" }
        }
        return sections
    }

    /// The words in backticks that look like the name of a test function.
    static func names(in text: String) -> [String] {
        let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
        return pieces.enumerated().compactMap { index, piece in
            guard index % 2 == 1 else { return nil }
            let name = piece.hasSuffix("()") ? piece.dropLast(2) : piece
            let isName = name.first?.isLowercase == true && name.allSatisfy { $0.isLetter || $0.isNumber }
            return isName && name.contains { $0.isUppercase } ? String(name) : nil
        }
    }

    static let testFunctions: Set<String> = {
        let holders = House.tests + House.sources.filter { $0.target == "FerryTesting" }
        return Set(
            holders.flatMap(\.code).compactMap { _, line in
                let words = line.split { " (<".contains($0) }.map(String.init)
                return words.firstIndex(of: "func").flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
            }
        )
    }()

    @Test("every invariant names a test that exists, or says that there is none yet")
    func invariantsAreProved() throws {
        let document = try #require(
            SourceFile(path: "docs/GUARANTEES.md"),
            "docs/GUARANTEES.md is missing"
        )
        let sections = Self.sections(of: document)
        for invariant in Self.invariants {
            let section = try #require(
                sections[invariant],
                "docs/GUARANTEES.md does not speak of \(invariant)"
            )
            let names = Self.names(in: section)
            let known = names.filter { Self.testFunctions.contains($0) }
            #expect(
                !known.isEmpty || section.lowercased().contains("not yet"),
                "\(invariant) names no test function that exists, nor says 'not yet'"
            )
        }
    }

    @Test("every test that the guarantees name exists")
    func namedTestsExist() throws {
        let document = try #require(
            SourceFile(path: "docs/GUARANTEES.md"),
            "docs/GUARANTEES.md is missing"
        )
        let unknown = Self.sections(of: document).values.flatMap(Self.names).filter { name in
            // A name may also be one of the code that the sentence explains.
            !Self.testFunctions.contains(name) && !House.sources.contains { $0.has(name) }
        }
        #expect(unknown.isEmpty, "\(Set(unknown).sorted().joined(separator: "\n"))")
    }
}
