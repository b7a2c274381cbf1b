import Testing

@testable import FerryIO

@Suite("The identity of a certificate")
struct CertificateIdentityTests {
    @Test(arguments: [
        (["example.com"], "example.com", true), (["EXAMPLE.com."], "example.com", true),
        (["example.com"], "www.example.com", false), (["*.example.com"], "www.example.com", true),
        (["*.example.com"], "a.b.example.com", false), (["*.example.com"], "example.com", false),
        (["*.com"], "example.com", false), (["w*.example.com"], "www.example.com", false),
        (["*"], "localhost", false), (["*.example.com"], ".example.com", false),
        (["evil.com", "example.com"], "example.com", true), (["example.com"], "127.0.0.1", false),
        (["127.0.0.1"], "127.0.0.1", false),
    ])
    func namesMatchByLabel(names: [String], host: String, expected: Bool) {
        #expect(CertificateIdentity(names: names, addresses: [[10, 0, 0, 1]]).covers(host) == expected)
    }

    @Test func addressesMatchByByte() {
        let loopback6 = [UInt8](repeating: 0, count: 15) + [1]
        let identity = CertificateIdentity(names: [], addresses: [[127, 0, 0, 1], loopback6])
        #expect(identity.covers("127.0.0.1"))
        #expect(identity.covers("::1"))
        #expect(!identity.covers("127.0.0.2"))
        #expect(!identity.covers("example.com"), "an address says nothing about a name")
    }

    @Test func aCertificateThatNamesNoHostIsForNone() {
        let identity = CertificateIdentity(names: [], addresses: [])
        #expect(!identity.covers("example.com"))
        #expect(!identity.covers("127.0.0.1"))
    }
}
