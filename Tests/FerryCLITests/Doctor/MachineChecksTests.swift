import Testing

@testable import FerryCLI

@Suite struct MachineChecksTests {
    @Test func aDirectoryForDownloadsThatIsNotThereIsAProblem() {
        #expect(MachineChecks.downloads(nil, Sample.environment).isEmpty)
        #expect(MachineChecks.downloads("/", Sample.environment).map(\.verdict) == [.ok])
        for path in ["/nonexistent", "/etc/passwd"] {
            #expect(MachineChecks.downloads(path, Sample.environment).map(\.verdict) == [.problem], "\(path)")
        }
    }
}
