import FerryTesting
import Testing

/// What the store reads from its rows holds what it promises, for the seeds that fuzzing starts from and for what
/// little damage makes of them.
struct StoredSeedTests {
    @Test(arguments: InputProperty.stored.map(\.name))
    func everyStoredFormHoldsWhatItPromisesOfEverySeed(name: String) throws {
        try SeedFolder.check(try #require(InputProperty.stored.first { $0.name == name }))
    }
}
