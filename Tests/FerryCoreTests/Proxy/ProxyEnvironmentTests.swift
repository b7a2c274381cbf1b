import FerryCore
import Testing

struct ProxyEnvironmentTests {
    @Test(
        arguments: [
            ([:], nil, nil),
            (["http_proxy": "a:1"], "http://a:1", nil),
            (["HTTP_PROXY": "a:1"], nil, nil),
            (["https_proxy": "a:1"], nil, "http://a:1"),
            (["HTTPS_PROXY": "a:1"], nil, "http://a:1"),
            (["https_proxy": "a:1", "HTTPS_PROXY": "b:1"], nil, "http://a:1"),
            (["https_proxy": "", "HTTPS_PROXY": "b:1"], nil, "http://b:1"),
            (["all_proxy": "socks5://a:1"], "socks5://a:1", "socks5://a:1"),
            (["ALL_PROXY": "a:1", "http_proxy": "b:1"], "http://b:1", "http://a:1"),
            (["all_proxy": "a:1", "no_proxy": "h"], nil, nil),
            (["all_proxy": "a:1", "NO_PROXY": "*"], nil, nil),
            (["all_proxy": "a:1", "no_proxy": "x", "NO_PROXY": "h"], "http://a:1", "http://a:1"),
        ] as [([String: String], String?, String?)]
    )
    func readsVariablesAsCurlDoes(environment: [String: String], http: String?, https: String?) throws {
        let proxies = try ProxyEnvironment(environment)
        #expect(proxies.proxy(for: try HTTPURL(parsing: "http://h/"))?.description == http)
        #expect(proxies.proxy(for: try HTTPURL(parsing: "https://h:8443/"))?.description == https)
    }

    @Test func namesTheVariableThatIsWrong() {
        let error = ProxyEnvironment.InvalidVariable(name: "HTTPS_PROXY", reason: .unsupportedScheme("https"))
        #expect(throws: error) { try ProxyEnvironment(["HTTPS_PROXY": "https://u:geheim@p"]) }
        #expect(error.description.contains("HTTPS_PROXY") && !error.description.contains("geheim"))
    }
}
