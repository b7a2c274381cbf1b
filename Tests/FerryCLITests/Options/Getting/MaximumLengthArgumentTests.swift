import Ferry
import Testing

/// `--max-filesize`: the maximum length of a file.
@Suite struct MaximumLengthArgumentTests {
    private static let url = "https://example.org/a.iso"

    @Test func itReachesTheTransferAndNothingChangesWithoutIt() throws {
        #expect(try Sample.downloadOptions([Self.url]) == [DownloadOptions()])
        for (text, bytes) in [("1", Int64(1)), ("10M", 10 << 20), ("1.5k", 1_536)] {
            let options = try Sample.downloadOptions(["--max-filesize", text, Self.url])
            #expect(options.map(\.maximumLength) == [bytes], "\(text)")
        }
    }

    @Test func aLineOfAListHasItsOwn() throws {
        let list = """
            https://h/1
             max-filesize=5
            https://h/2
            """
        let given = try Sample.downloadOptions(["--max-filesize", "7"], list: list)
        #expect(given.map(\.maximumLength) == [5, 7])
        #expect(try Sample.downloadOptions([], list: list).map(\.maximumLength) == [5, nil])
    }
}
