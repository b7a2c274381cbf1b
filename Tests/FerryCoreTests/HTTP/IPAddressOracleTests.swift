import FerryCore
import FerryTesting
import Foundation
import Testing

/// The system's own reader of addresses is asked about the same texts.
struct IPAddressOracleTests {
    @Test(arguments: UInt64(0)..<20)
    func agreesWithTheSystemAboutWhatIsAnAddress(seed: UInt64) throws {
        let seeds = try SeedFolder("ip-address").seeds.map(\.bytes)
        var mutation = SeedMutation(seed: seed)
        for round in 0..<2_000 {
            let bytes = mutation.damaged(
                seeds[round % seeds.count],
                with: seeds[round / 5 % seeds.count]
            )
            // A text of C ends at its first NUL.
            let text = String(decoding: bytes, as: UTF8.self)
            guard !bytes.contains(0) else { continue }
            #expect(IPAddress(text)?.bytes == Self.bytesBySystem(text), "seed \(seed): \(text)")
        }
    }

    private static func bytesBySystem(_ text: String) -> [UInt8]? {
        let isIPv6 = text.utf8.contains(0x3A)
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        return inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 ? bytes : nil
    }
}
