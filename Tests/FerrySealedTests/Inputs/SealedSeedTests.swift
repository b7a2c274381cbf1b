import FerryTesting
import Testing

/// What reads sealed files holds what it promises, for the seeds that fuzzing starts from and for what little damage makes of
/// them.
struct SealedSeedTests {
    @Test(arguments: InputProperty.sealed.map(\.name))
    func everySealedFileIsReadAsPromised(name: String) throws {
        try SeedFolder.check(try #require(InputProperty.sealed.first { $0.name == name }))
    }
}
