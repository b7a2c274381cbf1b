import FerryCore
import FerryTesting
import Testing

struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::0:1", "2001:db8::1"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"), ("::1.2.3.4", "::102:304"),
        ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ("0:0:0:0:0:0:0:0", "::"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ])
    func readsAndWritesCanonically(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
        #expect(IPAddress(canonical) == IPAddress(text))
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.-4", "1.2.3.4 ", ":", ":::", "1::2::3",
        "1:::2",
        ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "12345::", "g::",
        "1.2.3.4::",
        "::1.2.3", "[::1]", "fe80::1%eth0", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4",
    ])
    func refuses(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("10.1.2.3", "10.0.0.0", 8, true), ("11.1.2.3", "10.0.0.0", 8, false),
        ("10.0.0.1", "10.0.0.0", 31, true),
        ("10.0.0.2", "10.0.0.0", 31, false), ("1.2.3.4", "9.9.9.9", 0, true),
        ("1.2.3.4", "1.2.3.4", 33, false),
        ("fd00:1::1", "fd00::", 16, true), ("fd00:8000::", "fd00:0::", 17, false),
        ("::1", "0.0.0.0", 0, false),
        ("1.2.3.4", "1.2.3.4", -1, false),
    ])
    func comparesPrefixes(address: String, network: String, length: Int, isWithin: Bool) throws {
        let one = try #require(IPAddress(address))
        let other = try #require(IPAddress(network))
        #expect(one.isWithin(other, prefixLength: length) == isWithin)
    }

    @Test func randomAddressesSurviveARoundTrip() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<20_000 {
            let text = random.text(
                from: [":", "::", "0", "1", "f", "ffff", "1.2.3.4", ".", "255", "-"],
                length: 14
            )
            guard let address = IPAddress(text) else { continue }
            #expect(IPAddress(address.description) == address, "\(text)")
        }
    }

    @Test(arguments: [
        ("255.255.255.255", IPAddress.Impossibility.broadcast), ("127.255.255.255", .broadcast),
        ("::ffff:255.255.255.255", .broadcast), ("224.0.0.0", .multicast), ("239.255.255.255", .multicast),
        ("::ffff:224.0.0.1", .multicast), ("ff02::1", .multicast), ("fe80::1", .linkLocal),
        ("febf::1", .linkLocal), ("0.0.0.0", nil), ("::", nil), ("::1", nil), ("127.0.0.1", nil),
        ("10.255.255.255", nil), ("240.0.0.1", nil), ("fec0::1", nil), ("fd00::1", nil),
    ])
    func saysToWhatNothingCanConnect(text: String, reason: IPAddress.Impossibility?) throws {
        #expect(try #require(IPAddress(text)).impossibility == reason)
    }
}
