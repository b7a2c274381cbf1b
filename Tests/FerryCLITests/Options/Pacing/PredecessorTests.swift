import ArgumentParser
import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What `ferry edit --after` takes.
@Suite struct PredecessorTests {
    @Test func idsReplaceTheTransfersNamedBefore() throws {
        let edit = try EditCommand.parse(["1", "--after", "3", "--after", "7"]).change()
        #expect(edit.after?.map { "\($0)" } == ["3", "7"])
    }

    @Test func noneRemovesThem() throws {
        #expect(try EditCommand.parse(["1", "--after", "none"]).change().after == [])
        // Without the option, they stay.
        #expect(try EditCommand.parse(["1", "--priority", "2"]).change().after == nil)
    }

    @Test(arguments: [
        ["none", "3"], ["3", "none"], ["none", "none"], ["None"], ["x"], [""], ["-1"], ["0"],
    ])
    func otherTextsAreRefused(values: [String]) {
        let words = ["1"] + values.flatMap { ["--after", $0] }
        #expect(throws: (any Error).self) { try EditCommand.parse(words) }
    }
}
