import FerryCore
import Testing

struct ProxyParsingTests {
    @Test(arguments: [
        ("proxy.example:3128", "http://proxy.example:3128"),
        ("http://Proxy.example:3128/", "http://proxy.example:3128"), ("HTTP://p:1", "http://p:1"),
        ("socks5://p", "socks5://p:1080"), ("socks5h://[::1]:9050", "socks5h://[::1]:9050"),
        ("socks4://p", "socks4://p:1080"), ("SOCKS4A://u@p:9", "socks4a://p:9"),
        ("[::1]:1080", "http://[::1]:1080"),
        ("geheim:geheim@p:1", "http://p:1"), ("http://geheim@p:2", "http://p:2"),
        ("socks5://geheim@p", "socks5://p:1080"), (" p:1 ", "http://p:1"),
        ("localhost:8080", "http://localhost:8080"), ("http://p:80", "http://p:80"),
    ])
    func reads(text: String, expected: String) throws {
        let proxy = try Proxy(parsing: text)
        #expect(proxy.description == expected)
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect(!"\(String(reflecting: proxy)) \(dumped)".contains("geheim"))
    }

    @Test func decodesCredentials() throws {
        #expect(try Proxy(parsing: "u%3A:p%40%20@h:1").credentials == .basic(user: "u:", password: "p@ "))
        #expect(try Proxy(parsing: "u@h:1").credentials == .basic(user: "u", password: ""))
        #expect(try Proxy(parsing: "h:1").credentials == nil)
    }

    @Test(arguments: [
        ("", Proxy.ParseError.empty), (" ", .empty), ("https://geheim@p", .unsupportedScheme("https")),
        ("socks4b://p", .unsupportedScheme("socks4b")), ("socks://p", .unsupportedScheme("socks")),
        ("ftp://p", .unsupportedScheme("ftp")),
        ("http://", .invalid(.missingHost)), ("proxy.example", .missingPort),
        ("http://geheim@p/", .missingPort),
        ("p:geheim", .invalid(.invalidPort)), ("p:0", .invalid(.invalidPort)),
        ("p\r\n", .invalid(.controlCharacter)),
        ("::1", .invalid(.missingHost)), ("1::1", .invalid(.invalidPort)), ("://p", .invalid(.missingHost)),
    ])
    func refuses(text: String, reason: Proxy.ParseError) {
        #expect(throws: reason) { try Proxy(parsing: text) }
        #expect(!reason.description.contains("geheim"))
    }
}
