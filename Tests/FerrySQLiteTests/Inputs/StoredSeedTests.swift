import FerryTesting
import Testing

/// What the store reads from its rows holds what it promises, for the seeds that fuzzing starts from and for what
/// little damage makes of them.
struct StoredSeedTests {
    @Test(arguments: InputProperty.stored.map(\.name))
    func everyStoredFormHoldsWhatItPromisesOfEverySeed(name: String) throws {
        let property = try #require(InputProperty.stored.first { $0.name == name })
        let seeds = try SeedFolder(name).seeds
        try #require(seeds.count >= 3, "Fuzz/Corpus/\(name) has too few seeds")
        for seed in seeds {
            #expect(throws: Never.self, "Fuzz/Corpus/\(name)/\(seed.file)") { try property.check(seed.bytes) }
        }
        for round in 0..<UInt64(300) {
            var mutation = SeedMutation(seed: round)
            let (seed, other) = (seeds[Int(round) % seeds.count], seeds[Int(round / 7) % seeds.count])
            let input = mutation.damaged(seed.bytes, with: other.bytes)
            #expect(throws: Never.self, "round \(round): \(input)") { try property.check(input) }
        }
    }
}
