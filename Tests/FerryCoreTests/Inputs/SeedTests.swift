import FerryCore
import FerryTesting
import Foundation
import Testing

/// What must hold of every input holds of the seeds that fuzzing starts from, and of what little damage makes of them.
///
/// An input that fuzzing found to break something becomes a seed, once that is mended.
struct SeedTests {
    @Test(arguments: InputProperty.core.map(\.name))
    func everyReaderHoldsWhatItPromisesOfEverySeed(name: String) throws {
        try SeedFolder.check(try #require(InputProperty.core.first { $0.name == name }))
    }

    @Test func everyFolderOfSeedsBelongsToATarget() throws {
        let names = Set(InputProperty.core.map(\.name))
        let others: Set<String> = [
            "content-decoder", "stored-progress", "stored-failure", "stored-options",
            "stored-request",
            "recorded-answer", "json", "store-document", "upload-answer", "sealed-header", "sealed-keys",
            "sealed-armor",
        ]
        #expect(try Set(SeedFolder.names) == names.union(others))
    }

    @Test func aBrokenPromiseIsNoticed() {
        let property = InputProperty("none") { input in
            try InputProperty.require(input.bytes.count < 3, "an input is short")
        }
        #expect(throws: Never.self) { try property.check([1, 2]) }
        #expect(throws: InputProperty.Violation.self) { try property.check([1, 2, 3]) }
    }
}
