import FerryTesting
import Testing

/// What reads the answers of upload servers and stores holds what it promises, for the seeds that fuzzing starts from and for
/// what little damage makes of them.
struct UploadSeedTests {
    @Test(arguments: InputProperty.uploads.map(\.name))
    func everyAnswerOfAServerIsReadAsPromised(name: String) throws {
        try SeedFolder.check(try #require(InputProperty.uploads.first { $0.name == name }))
    }
}
