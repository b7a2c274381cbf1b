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

    @Test("requests with different client certificates share no connection")
    func clientCertificates() throws {
        func key(_ url: String, _ certificate: String?, _ key: String? = nil) throws -> WireKey {
            var options = ConnectionOptions()
            options.clientCertificate = certificate.map {
                ClientCertificate(certificateFile: $0, keyFile: key)
            }
            return WireKey(try HTTPURL(parsing: url), options)
        }
        #expect(try key("https://h/", "/a") == key("https://h/", "/a", "/a"))
        #expect(try key("https://h/", "/a") != key("https://h/", "/b"))
        #expect(try key("https://h/", "/a") != key("https://h/", "/a", "/b"))
        #expect(try key("https://h/", "/a") != key("https://h/", nil))
        #expect(try key("http://h/", "/a") == key("http://h/", nil))
    }

    @Test("a proxy that forwards serves all origins, a tunnel one")
    func proxies() throws {
        #expect(try key("http://a/", "http://p:1") == key("http://b/", "http://p:1"))
        #expect(try key("http://a/", "http://p:1") != key("http://b/", "http://u:x@p:1"))
        #expect(try key("https://a/", "http://p:1") != key("https://b/", "http://p:1"))
        #expect(try key("http://a/", "socks5://p:1") != key("http://b/", "socks5://p:1"))
    }

    @Test("the way through the network is a part of it")
    func paths() throws {
        func key(_ url: String, _ change: (inout ConnectionOptions) throws -> Void) throws -> WireKey {
            var options = ConnectionOptions()
            try change(&options)
            return WireKey(try HTTPURL(parsing: url), options)
        }
        let plain = try key("http://h/") { _ in }
        #expect(try key("http://h/") { $0.addressFamily = .ipv4 } != plain)
        #expect(
            try key("http://h/") { $0.addressFamily = .ipv4 }
                != key("http://h/") { $0.addressFamily = .ipv6 }
        )
        #expect(try key("http://h/") { $0.localAddress = "eth0" } != plain)
    }

    @Test("of the overrides, those of the names that are looked up are a part of it")
    func overrides() throws {
        func overrides(_ url: String, _ proxy: String?, _ texts: [String]) throws -> [String] {
            var options = ConnectionOptions()
            options.proxy = try proxy.map { try Proxy(parsing: $0) }
            options.hostOverrides = try texts.map { try HostOverride(parsing: $0) }
            let key = WireKey(try HTTPURL(parsing: url), options)
            return key.path.overrides.map(\.description)
        }
        let (server, proxy) = ("h:443:10.0.0.1", "p:1:10.0.0.2")
        let both = [server, proxy, "other:443:10.0.0.3", "h:80:10.0.0.4"]
        #expect(try overrides("https://h/", nil, both) == [server])
        #expect(try overrides("https://H/", nil, both + ["h:443:10.0.0.5"]) == ["h:443:10.0.0.5"])
        #expect(try overrides("https://h:81/", nil, both) == [])
        #expect(try overrides("https://h/", "http://p:1", both) == [proxy])
        #expect(try overrides("http://h/", "http://p:1", both) == [proxy])
        #expect(try overrides("https://h/", "socks5h://p:1", both) == [proxy])
        #expect(try overrides("https://h/", "socks4a://p:1", both) == [proxy])
        #expect(try overrides("https://h/", "socks5://p:1", both) == [proxy, server])
        #expect(try overrides("https://h/", "socks4://q:1", both) == [server])
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
