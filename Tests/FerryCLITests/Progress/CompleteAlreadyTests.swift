import Ferry
import FerryCore
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("What is told of a download that is already complete")
struct CompleteAlreadyTests {
    private static let digest = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))

    /// An announcement that notes what was asked for.
    private func told(
        _ state: TransferState = .completed,
        _ news: Announcement.News = .attached(process: nil),
        asked digest: Checksum? = Self.digest,
        isSealed: Bool = false
    ) throws -> Announcement {
        let transfer = try Sample.transfer(state: state, received: 5, length: 5)
        var announcement = Announcement(transfer, transfer.recordedProgress, news)
        var options = DownloadOptions()
        options.checksum = digest
        if isSealed { options.recipients = ["age1x"] }
        announcement.note(asked: options)
        return announcement
    }

    private func lines(_ announcement: Announcement) -> [String] {
        announcement.messages(live: false, at: Sample.now).map { message in
            switch message {
            case .notice(let line): line
            case .failure(let failure): failure.message
            }
        }
    }

    @Test("the line says that its file has the digest that was asked for")
    func tellsOfTheDigest() throws {
        let told = try told()
        let next = "`ferry get --overwrite` fetches it again."
        #expect(lines(told) == ["image.iso is already complete: /data/image.iso (sha-256 verified). \(next)"])
        let json = told.json(owners: OwnerDirectory()).text
        #expect(json.contains(#""verified":"sha-256=\#(Self.digest.hex)""#), "\(json)")
    }

    @Test("a sealed file was not read again, so the line says what is known of it")
    func tellsOfASealedFile() throws {
        let line = lines(try told(isSealed: true)).joined()
        #expect(line.contains(" (unchanged since its sha-256 digest was verified). "), "\(line)")
    }

    @Test("nothing is told of a digest that was not asked for, or that nothing was compared with")
    func tellsOfNoOtherDigest() throws {
        for told in [try told(asked: nil), try told(.active), try told(.queued, .added)] {
            #expect(lines(told).allSatisfy { !$0.contains("verified") })
            #expect(!told.json(owners: OwnerDirectory()).text.contains("\"verified\""))
        }
    }
}
