import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct ShownMirrorTests {
    static let exclusions: [Mirroring.Exclusion] = [.length, .bytes, .digest, .wrongBytes, .changed]

    /// Two mirrors that were given and one that a server named; the one at `place`, 0 being the URL itself, is excluded.
    private func transfer(excluding place: Int, for reason: Mirroring.Exclusion) throws -> Transfer {
        var options = DownloadOptions()
        options.mirrors = try ["https://one.example/a", "https://me:hunter2@two.example/a?token=tok3n"].map {
            try HTTPURL(parsing: $0)
        }
        options.length = 1234
        options.pieces = PieceDigests(
            length: 1024,
            checksums: try [
                Checksum(parsing: "sha1=" + String(repeating: "0", count: 40)),
                Checksum(parsing: "sha1=" + String(repeating: "1", count: 40)),
            ]
        )
        var transfer = try Sample.transfer(options: options)
        transfer.downloadProgress.mirroring.discovery = Mirroring.Discovery(
            digest: try Checksum(parsing: "sha256=" + String(repeating: "2", count: 64)),
            length: 1234,
            mirrors: [try HTTPURL(parsing: "https://three.example/a?sig=s1gned")]
        )
        let ids = SourceList(transfer.specification, transfer.downloadProgress.mirroring).ids
        transfer.downloadProgress.mirroring.excluded = [ids[place]: reason]
        return transfer
    }

    private func portrait(_ transfer: Transfer, revealing: Bool = false) -> [String] {
        var portrait = TransferPortrait(transfer)
        portrait.revealing = revealing
        return portrait.lines(at: Sample.now)
    }

    private func record(_ transfer: Transfer, revealing: Bool = false) -> String {
        let (progress, owners) = (transfer.recordedProgress, OwnerDirectory())
        return JSON.object(TransferRecord.full(transfer, progress, owners: owners, revealing: revealing)).text
    }

    @Test(arguments: exclusions, 0...3)
    func theOneThatIsNotUsedAnyMoreIsNamedWithTheReason(_ reason: Mirroring.Exclusion, _ place: Int) throws {
        let transfer = try transfer(excluding: place, for: reason)
        let lines = portrait(transfer).filter { $0.contains("example") }
        #expect(lines.map { $0.contains("; no longer used: ") } == (0...3).map { $0 == place })
        let mirrors = ShownMirror.all(of: transfer)
        #expect(mirrors.map(\.exclusion) == (1...3).map { $0 == place ? reason : nil })
        #expect(mirrors.map(\.isDiscovered) == [false, false, true])
        let text = record(transfer)
        #expect(text.contains("\"excluded\":\"\(reason.rawValue)\""))
        #expect(text.contains(",\"excluded\":null,\"mirrors\"") == (place != 0))
    }

    @Test func everyReasonHasWordsOfItsOwn() {
        #expect(Set(Self.exclusions.map { ShownMirror.aside($0) }).count == Self.exclusions.count)
    }

    @Test func noneCarriesASecret() throws {
        let transfer = try transfer(excluding: 1, for: .length)
        for text in portrait(transfer) + [record(transfer)] {
            for secret in ["hunter2", "tok3n", "s1gned", "me:"] { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test func allOfTheURLsIsShownToOneWhoAsksForIt() throws {
        let transfer = try transfer(excluding: 1, for: .length)
        for text in [portrait(transfer, revealing: true).joined(), record(transfer, revealing: true)] {
            #expect(text.contains("https://me:hunter2@two.example/a?token=tok3n"))
            #expect(text.contains("https://three.example/a?sig=s1gned"))
        }
    }

    /// A completed transfer has no secrets any more: what stands for them is no part of the URL.
    @Test func secretsThatAreGoneAreSaidToBeGone() throws {
        for state in [TransferState.completed, .cancelled] {
            let transfer = try Sample.transfer(
                url: "https://one.example/token/%E2%80%A6/a?sig=%E2%80%A6",
                state: state
            )
            let text = portrait(transfer, revealing: true).joined(separator: "\n")
            #expect(text.contains("dropped when the transfer was \(state.name)"), "\(text)")
            for shown in [text, record(transfer, revealing: true)] {
                #expect(
                    shown.contains("https://one.example/token/…/a?sig=…") && !shown.contains("%E2"),
                    "\(shown)"
                )
            }
        }
    }

    @Test func theLengthAndThePiecesThatWereAskedForAreShown() throws {
        let transfer = try transfer(excluding: 1, for: .length)
        let text = portrait(transfer).joined(separator: "\n")
        #expect(text.contains("Length        1.2 KiB (1234 bytes) required"))
        #expect(text.contains("Pieces        2 of 1.0 KiB, each with a sha-1 digest"))
        let shown = record(transfer)
        #expect(shown.contains("\"range\":null,\"length\":1234,"))
        #expect(shown.contains("\"pieces\":{\"count\":2,\"length\":1024,\"algorithm\":\"sha-1\"}"))
        let plain = try record(Sample.transfer())
        #expect(plain.contains("\"range\":null,\"length\":null,") && plain.contains("\"pieces\":null"))
    }
}
