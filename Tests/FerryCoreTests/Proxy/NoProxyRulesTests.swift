import FerryCore
import FerryTesting
import Testing

struct NoProxyRulesTests {
    @Test(arguments: [
        ("", "example.com", false), ("*", "example.com", true), (" * ", "::1", true),
        ("a,*", "example.com", false),
        ("example.com", "example.com", true), ("EXAMPLE.com", "example.COM", true),
        ("example.com", "www.example.com", true),
        ("example.com", "notexample.com", false), (".example.com", "example.com", true),
        (".example.com", "www.example.com", true), ("example.com.", "example.com", true),
        ("example.com", "example.com.", true), ("www.example.com", "example.com", false),
        ("com", "example.com", true),
        ("a, example.com ,b", "example.com", true), ("a b\tc", "c", true), (",,,", "a", false),
        (".", "a", false),
        ("..", "a", false), ("example.com:80", "example.com", false), ("localhost", "localhost", true),
        ("127.0.0.1", "127.0.0.1", true), ("0.0.1", "127.0.0.1", false), ("1", "127.0.0.1", false),
        ("10.0.0.0/8", "10.9.8.7", true), ("10.0.0.0/8", "11.0.0.0", false),
        ("10.0.0.0/8", "10.example.com", false),
        ("10.0.0.0/33", "10.0.0.0", false), ("10.0.0.0/", "10.0.0.0", false),
        ("10.0.0.0/-1", "10.0.0.0", false),
        ("10.0.0.0/99999999999999999999", "10.0.0.0", false), ("0.0.0.0/0", "1.2.3.4", true),
        ("0.0.0.0/0", "::1", false),
        ("192.168.1.128/25", "192.168.1.200", true), ("192.168.1.128/25", "192.168.1.1", false),
        ("::1", "::1", true), ("[::1]", "::1", true), ("::1", "[::1]", true), ("0:0::1", "::1", true),
        ("fd00::/8", "fd12:3456::1", true), ("fd00::/8", "fe80::1", false), ("[fd00::]/8", "fd00::1", true),
        ("xn--bcher-kva.example", "www.xn--bcher-kva.example", true),
    ])
    func matches(list: String, host: String, expected: Bool) {
        #expect(NoProxyRules(list).matches(host: host) == expected)
    }

    @Test func neverTraps() {
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let rules = NoProxyRules(
                random.text(from: SeededRandom.soup + ["1.2.3.4", "/8", "::", "a."], length: 8)
            )
            _ = rules.matches(
                host: random.text(from: SeededRandom.soup + ["1.2.3.4", "::1", "a."], length: 4)
            )
        }
    }
}
