import Ferry
import Testing

@testable import FerryFrontend

/// Which files of a source are mirrored.
@Suite struct PathFilterTests {
    private func takes(_ path: String, _ included: [String], _ excluded: [String] = []) throws -> Bool {
        try PathFilter(including: included, excluding: excluded).takes(path)
    }

    @Test(arguments: [
        ("a.iso", "*.iso", true), ("sub/a.iso", "*.iso", true), ("a.iso.txt", "*.iso", false),
        ("sub/a.txt", "sub", true), ("sub/a.txt", "sub/", true), ("x/sub/a.txt", "sub", true),
        ("x/sub/a.txt", "/sub", false), ("sub/a.txt", "/sub", true), ("x/sub/a.txt", "x/sub", true),
        ("x/sub/a.txt", "sub/a.txt", false), ("x/sub/a.txt", "*/a.txt", true), ("a.txt", "*/a.txt", false),
        ("x/y/a.txt", "x/*", true), ("a1", "a[0-9]", true), ("ab", "a[0-9]", false), ("é.txt", "?.txt", true),
        ("sub", "sub/", true), ("substance", "sub", false), ("x/y", "X/y", false),
    ])
    func patternsAreComparedWithNamesOrPaths(path: String, pattern: String, isTaken: Bool) throws {
        #expect(try takes(path, [pattern]) == isTaken)
        #expect(try takes(path, [], [pattern]) != isTaken)
        #expect(try PathFilter(excluding: [pattern]).enters(path) != isTaken)
    }

    @Test func anyOfSeveralIncludesAndExclusionHasPrecedence() throws {
        #expect(try takes("a.iso", ["*.txt", "*.iso"]))
        #expect(try !takes("a.iso", ["*.iso"], ["a*"]))
        #expect(try !takes("old/a.iso", ["*.iso"], ["old"]))
        #expect(try takes("anything", []))
        #expect(try PathFilter(including: ["*.iso"]).enters("any directory"))
    }

    @Test(arguments: ["", "/", "//"]) func aPatternThatMatchesNothingIsRefused(text: String) {
        #expect(throws: CommandFailure.self) { try PathFilter(including: [text]) }
        #expect(throws: CommandFailure.self) { try PathFilter(excluding: [text]) }
    }

    @Test func differentFiltersHaveDifferentTexts() throws {
        let texts = try [
            PathFilter(), PathFilter(including: ["a"]), PathFilter(excluding: ["a"]),
            PathFilter(including: ["/a"]), PathFilter(including: ["a", "b"]),
            PathFilter(including: ["b", "a"]),
        ].map(\.text)
        #expect(Set(texts).count == texts.count)
    }
}
