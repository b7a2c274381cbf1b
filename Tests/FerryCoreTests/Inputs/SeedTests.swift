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
        let property = try #require(InputProperty.core.first { $0.name == name })
        let seeds = try SeedFolder(name).seeds
        try #require(seeds.count >= 3, "Fuzz/Corpus/\(name) has too few seeds")
        for seed in seeds {
            #expect(throws: Never.self, "Fuzz/Corpus/\(name)/\(seed.file)") { try property.check(seed.bytes) }
        }
        for round in 0..<UInt64(1_000) {
            var mutation = SeedMutation(seed: round)
            let (seed, other) = (seeds[Int(round) % seeds.count], seeds[Int(round / 7) % seeds.count])
            let input = mutation.damaged(seed.bytes, with: other.bytes)
            #expect(throws: Never.self, "round \(round): \(input)") { try property.check(input) }
        }
    }

    @Test func everyFolderOfSeedsBelongsToATarget() throws {
        let names = Set(InputProperty.core.map(\.name))
        let others: Set<String> = [
            "content-decoder", "stored-progress", "stored-failure", "stored-options",
            "recorded-answer",
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
