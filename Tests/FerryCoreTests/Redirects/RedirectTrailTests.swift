import FerryCore
import Testing

@Suite("The redirects before an answer")
struct RedirectTrailTests {
    @Test(
        arguments: [
            ([], []), (["http://a/"], []), (["https://a/"], .encrypted), (["http://a/", "http://b/"], []),
            (["http://a/", "https://a/"], .encrypted), (["https://a/", "https://b/"], .encrypted),
            (["https://a/", "http://a/"], [.encrypted, .downgraded]),
            (["https://a/", "http://a/", "https://a/"], [.encrypted, .downgraded]),
            (["http://a/", "https://b/", "http://c/"], [.encrypted, .downgraded]),
            (["http://a/", "https://b/", "https://c/"], .encrypted),
        ] as [([String], RedirectTrail)]
    )
    func tellOfEncryptionAndOfDowngrades(_ urls: [String], _ trail: RedirectTrail) throws {
        #expect(RedirectTrail(through: try urls.map { try HTTPURL(parsing: $0) }) == trail)
    }
}
