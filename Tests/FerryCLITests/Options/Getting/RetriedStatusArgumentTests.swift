import Ferry
import Testing

/// `--retry-on`, `--retry-on-http-error`: refusals that are not final.
@Suite struct RetriedStatusArgumentTests {
    private static let url = "https://example.org/a.iso"

    @Test func itReachesTheTransferAndNothingChangesWithoutIt() throws {
        #expect(try Sample.downloadOptions([Self.url]) == [DownloadOptions()])
        for name in ["--retry-on", "--retry-on-http-error"] {
            let options = try Sample.downloadOptions([name, "404,500-502", Self.url])
            #expect(options.map(\.retriedStatuses) == [[404, 500, 501, 502]], "\(name)")
        }
    }

    @Test func aLineOfAListHasItsOwn() throws {
        let list = """
            https://h/1
             retry-on=409
            https://h/2
            """
        let given = try Sample.downloadOptions(["--retry-on", "404"], list: list)
        #expect(given.map(\.retriedStatuses) == [[409], [404]])
        #expect(try Sample.downloadOptions([], list: list).map(\.retriedStatuses) == [[409], []])
    }
}
