import FerryCore
import Testing

@testable import Ferry

@Suite("What the log tells of a server that refused a further connection")
struct LimitNewsTests {
    private let server = Origin(scheme: .https, host: "objects.example", port: 443)
    private let found = Instant(seconds: 1_800_000_000)

    private func traits(_ count: Int) -> ServerTraits {
        ServerTraits(connectionLimit: .init(count, found: found))
    }

    @Test("the number, when the server refused, and how long that counts")
    func tells() throws {
        var news = LimitNews()
        let now = found.advanced(by: .seconds(12 * 60 + 30))
        let metadata = news.metadata(traits(2), of: server, most: 8, at: now)
        let told = try #require(metadata)
        #expect(told["connections"] == "2")
        #expect(told["refused"] == "12 min ago" && told["valid"] == "for 48 min")
        #expect(told["server"]?.contains("objects.example") == true)
    }

    @Test("each limit once, and a later one again")
    func tellsOnce() {
        var news = LimitNews()
        let first = news.metadata(traits(2), of: server, most: 8, at: found)
        let second = news.metadata(traits(2), of: server, most: 8, at: found.advanced(by: .seconds(1)))
        let lower = news.metadata(traits(1), of: server, most: 8, at: found)
        #expect(first != nil && second == nil && lower != nil)
    }

    @Test("nothing of a limit that has expired, or that is as high as what the download may have")
    func tellsNothing() {
        var news = LimitNews()
        let late = found.advanced(by: ServerTraits.ConnectionLimit.lifetime)
        let expired = news.metadata(traits(2), of: server, most: 8, at: late)
        let enough = news.metadata(traits(2), of: server, most: 2, at: found)
        let unknown = news.metadata(ServerTraits(), of: server, most: 8, at: found)
        #expect(expired == nil && enough == nil && unknown == nil)
    }
}
