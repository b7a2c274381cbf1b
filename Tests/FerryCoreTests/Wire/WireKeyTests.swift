import Testing

@testable import FerryCore

@Suite("What requests on one connection have in common")
struct WireKeyTests {
    private func key(_ url: String, _ proxy: String? = nil, trusting: Bool = false) throws -> WireKey {
        var options = ConnectionOptions()
        options.proxy = try proxy.map { try Proxy(parsing: $0) }
        options.trustsAnyCertificate = trusting
        return WireKey(try HTTPURL(parsing: url), options)
    }

    @Test("is origin, route and the terms of TLS")
    func sameKeys() throws {
        #expect(try key("http://h/a") == key("http://u:p@h:80/b?c"))
        #expect(try key("http://h/") != key("http://h:81/"))
        #expect(try key("http://h/") != key("https://h/"))
        #expect(try key("https://h/") != key("https://h/", trusting: true))
        #expect(try key("http://h/") == key("http://h/", trusting: true))
        #expect(try key("https://h/", "http://p:1") != key("https://h/"))
    }

    @Test("a proxy that forwards serves all origins, a tunnel one")
    func proxies() throws {
        #expect(try key("http://a/", "http://p:1") == key("http://b/", "http://p:1"))
        #expect(try key("http://a/", "http://p:1") != key("http://b/", "http://u:x@p:1"))
        #expect(try key("https://a/", "http://p:1") != key("https://b/", "http://p:1"))
        #expect(try key("http://a/", "socks5://p:1") != key("http://b/", "socks5://p:1"))
    }

    @Test("patience and speed are no part of it")
    func patience() throws {
        var options = ConnectionOptions()
        options.connectTimeout = .seconds(1)
        options.lowSpeedLimit = 1
        let url = try HTTPURL(parsing: "https://h/")
        #expect(WireKey(url, options) == WireKey(url, ConnectionOptions()))
    }
}
