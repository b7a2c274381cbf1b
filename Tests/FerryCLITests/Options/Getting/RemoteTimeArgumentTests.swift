import Ferry
import Testing

/// `-R`, `--remote-time`: the server's time of a file.
@Suite struct RemoteTimeArgumentTests {
    private static let url = "https://example.org/a.iso"

    @Test func itReachesTheTransferAndNothingChangesWithoutIt() throws {
        #expect(try Sample.downloadOptions([Self.url]) == [DownloadOptions()])
        for words in [["-R"], ["--remote-time"], ["-fsSLR"]] {
            let options = try Sample.downloadOptions(words + [Self.url])
            #expect(options.map(\.keepsServerTime) == [true], "\(words)")
        }
    }

    @Test func aLineOfAListHasItsOwn() throws {
        let list = """
            https://h/1
             remote-time=false
            https://h/2
            https://h/3
             remote-time=true
            """
        #expect(try Sample.downloadOptions(["-R"], list: list).map(\.keepsServerTime) == [false, true, true])
        #expect(try Sample.downloadOptions([], list: list).map(\.keepsServerTime) == [false, false, true])
    }
}
