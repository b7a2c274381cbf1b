import Ferry
import Testing

@testable import FerryFrontend

/// Whether a server has sent the version of a file that it lists.
@Suite struct ListedVersionTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private static let earlier = "Mon, 01 Jan 2024 10:00:00 GMT"
    private static let later = "Tue, 06 Feb 2024 12:00:00 GMT"

    private static func isOther(_ version: ListedVersion, _ etag: String?, _ time: String?) -> Bool {
        let moment = time.flatMap { Instant(httpDate: $0, now: now) }
        return version.isOther(thanSent: etag, moment, at: now)
    }

    @Test func anETagDecidesIfBothHaveOne() {
        let version = ListedVersion(etag: "\"2\"", stamp: "\(Self.later) 9")
        #expect(Self.isOther(version, "\"1\"", Self.later))
        #expect(!Self.isOther(version, "\"2\"", Self.earlier))
        #expect(Self.isOther(version, nil, Self.earlier))
        // Some listings have no quotes.
        #expect(!Self.isOther(ListedVersion(etag: "2"), "\"2\"", nil))
        #expect(Self.isOther(ListedVersion(etag: "2"), "\"1\"", nil))
    }

    @Test(arguments: [
        "Tue, 06 Feb 2024 12:00:00 GMT 9", "2024-02-06T12:00:00Z 9", "06-Feb-2024 12:00 9",
        "2024-02-06 12:00 9",
    ])
    func otherwiseAnOlderTimeIsThatOfAnOlderVersion(stamp: String) {
        let version = ListedVersion(size: 9, stamp: stamp)
        for etag in [nil, "\"1\""] {
            #expect(Self.isOther(version, etag, Self.earlier))
            #expect(!Self.isOther(version, etag, Self.later))
            #expect(!Self.isOther(version, etag, nil))
        }
        // The server has a later version than it listed. The next listing tells.
        let listedBefore = ListedVersion(size: 9, stamp: "\(Self.earlier) 9")
        #expect(!Self.isOther(listedBefore, nil, Self.later))
    }

    @Test func withoutATimeNothingShowsIt() {
        for version in [ListedVersion(size: 9), ListedVersion(size: 9, stamp: "version 2")] {
            #expect(!Self.isOther(version, nil, Self.earlier))
        }
    }
}
