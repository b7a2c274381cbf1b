import Foundation
import Testing

@testable import FerryCore

@Suite("Addresses in place of a name's")
struct HostOverrideTests {
    @Test(
        "are read as curl reads them",
        arguments: [
            ("example.com:443:192.0.2.1", "example.com:443:192.0.2.1"),
            ("Example.COM:443:192.0.2.1,[2001:DB8::1],::1", "example.com:443:192.0.2.1,[2001:db8::1],[::1]"),
            ("h:80:::1", "h:80:[::1]"), ("[::1]:80:127.0.0.1", "[::1]:80:127.0.0.1"),
            ("10.0.0.1:80:10.0.0.2", "10.0.0.1:80:10.0.0.2"),
        ]
    )
    func reads(text: String, expected: String) throws {
        let override = try HostOverride(parsing: text)
        #expect(override.description == expected)
        #expect(try HostOverride(parsing: expected) == override)
        let stored = try JSONEncoder().encode([override])
        #expect(try JSONDecoder().decode([HostOverride].self, from: stored) == [override])
    }

    @Test(
        "are refused with a reason",
        arguments: [
            ("", HostOverride.ParseError.invalidForm), ("h", .invalidForm), ("h:80", .invalidForm),
            ("h::127.0.0.1", .invalidForm), ("u@h:80:127.0.0.1", .invalidForm), ("[::1:80", .invalidForm),
            ("-h:80", .invalidForm), (":80:127.0.0.1", .invalidHost),
            ("*:80:127.0.0.1", .invalidHost), ("h:0:127.0.0.1", .invalidHost),
            ("h:x:127.0.0.1", .invalidHost), ("h:80:", .invalidAddress),
            ("h:80:name", .invalidAddress), ("h:80:127.0.0.1,", .invalidAddress),
            ("h:80:[127.0.0.1]", .invalidAddress), ("h:80:127.1", .invalidAddress),
            ("h:80:[]", .invalidAddress), ("h:80:[", .invalidAddress),
        ]
    )
    func refuses(text: String, reason: HostOverride.ParseError) {
        #expect(throws: reason) { try HostOverride(parsing: text) }
        #expect(!reason.description.isEmpty)
    }

    @Test("a local end is an address or an interface")
    func localEnds() throws {
        #expect(LocalEnd("127.0.0.1") == .address(try #require(IPAddress("127.0.0.1"))))
        #expect(LocalEnd("[::1]") == .address(try #require(IPAddress("::1"))))
        #expect(LocalEnd("eth0.100") == .interface("eth0.100"))
        #expect(LocalEnd("123456789012345") == .interface("123456789012345"))
        for text in ["", "..", "a b", "a/b", "eth0:1", "1234567890123456", "\u{7F}", "[]:"] {
            #expect(LocalEnd(text) == nil, "\(text)")
        }
    }
}
