import FerryCore
import FerryTesting
import Testing

/// What a new download takes over of a part file that a cancelled one has left.
@Suite("Kept part files")
struct KeptPartProgressTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private static let destination = Destination.file(directory: "/d", name: nil)
    private static let plain = "https://example.com/file"

    private static var part: PartFileClaim {
        PartFileClaim(
            name: .fallback,
            identity: FileIdentity(device: 1, inode: 2),
            boot: BootID(rawValue: "boot")
        )
    }

    private func specification(_ url: String = Self.plain) throws -> DownloadSpecification {
        DownloadSpecification(url: try HTTPURL(parsing: url), destination: Self.destination)
    }

    /// A cancelled download with 400 of 1000 bytes.
    private func cancelled(
        _ url: String = Self.plain,
        keepingPart: Bool = true,
        _ change: (inout DownloadProgress) -> Void = { _ in }
    ) throws -> Transfer {
        let new = NewTransfer(try specification(url))
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: new, at: Self.now)
        var progress = DownloadProgress()
        progress.name = .fallback
        progress.part = Self.part
        progress.segments = SegmentMap(having: [0..<400], length: 1000)
        progress.source = url
        progress.phase = .publishing
        progress.note = TransferNote(.resumed, "Resumed.")
        change(&progress)
        transfer.downloadProgress = progress
        try transfer.ask(.cancel(keepingPart: keepingPart), at: Self.now)
        return transfer
    }

    private func taken(
        of transfer: Transfer,
        _ change: (inout DownloadSpecification) -> Void = { _ in }
    ) throws -> DownloadProgress? {
        var specification = try specification()
        change(&specification)
        return KeptPart(of: transfer)?.progress(of: DownloadWork(specification))
    }

    @Test func theBytesAndTheirFileAreTakenOverButNotWhatWasDoneWithThem() throws {
        let giver = try cancelled()
        #expect(giver.downloadProgress.kept == Self.part && giver.downloadProgress.part == nil)
        let progress = try #require(try taken(of: giver))
        #expect(progress.part == Self.part && progress.kept == nil && progress.segments.received == 400)
        #expect(progress.source == Self.plain && progress.phase == .receiving && progress.note == nil)
        let place = FilePlace(directory: "/d", name: .fallback, part: Self.part.name)
        #expect(KeptPart(of: giver)?.place == place && KeptPart(of: giver)?.identity == Self.part.identity)
    }

    @Test func aFileThatIsMissingReplacedOrChangedIsNotIntact() throws {
        func survey(_ entry: FileSurvey.Entry?, keepsTimes: Bool = true) -> FileSurvey {
            FileSurvey(final: nil, part: entry, keepsTimes: keepsTimes)
        }
        let kept = try #require(KeptPart(of: cancelled { $0.part?.modified = 5 }))
        let same = FileSurvey.Entry(identity: Self.part.identity, length: 400, kind: .file, modified: 5)
        var (changed, replaced, link) = (same, same, same)
        changed.modified = 6
        replaced.identity.inode += 1
        link.kind = .symbolicLink
        #expect(kept.isIntact(in: survey(same)))
        for entry in [nil, changed, replaced, link] { #expect(!kept.isIntact(in: survey(entry))) }
        // These times prove nothing.
        #expect(kept.isIntact(in: survey(changed, keepsTimes: false)))
        let timeless = try #require(KeptPart(of: cancelled()))
        #expect(timeless.isIntact(in: survey(changed)))
    }

    @Test func onlyWhatWasKeptIsTakenOver() throws {
        #expect(try KeptPart(of: cancelled(keepingPart: false)) == nil)
        var running = try cancelled()
        running.claim = Claim(transfer: running.id, owner: OwnerID(rawValue: 1), token: 1)
        #expect(KeptPart(of: running) == nil)
        var settled = try cancelled()
        settled.settleResidue(as: .removed)
        #expect(KeptPart(of: settled) == nil && settled.downloadProgress.segments.received == 0)
    }

    @Test func theFileOfAnotherToolAndASealedOneAreNot() throws {
        let foreign = try cancelled { $0.part?.adoption = PendingAdoption() }
        #expect(foreign.downloadProgress.kept == nil && foreign.downloadProgress.part == nil)
        let sealed = try cancelled { $0.part?.seal = PartSeal(preamble: [1], key: [2]) }
        #expect(sealed.downloadProgress.kept == nil && sealed.downloadProgress.part == nil)
    }

    @Test func anotherDownloadGetsNothing() throws {
        let giver = try cancelled()
        let elsewhere = try taken(of: giver) { $0.destination = .file(directory: "/e", name: nil) }
        #expect(elsewhere == nil)
        #expect(try taken(of: giver) { $0.options.recipients = ["age1x"] } == nil)
        var begun = DownloadWork(try specification())
        begun.progress.name = .fallback
        #expect(KeptPart(of: giver)?.progress(of: begun) == nil)
        #expect(try taken(of: cancelled { $0.isDecoded = true }) == nil)
    }

    /// A digest that the cancelled download required proves nothing to a download without one.
    @Test func bytesThatTheNewDownloadWouldNotAcceptAreNotTaken() throws {
        let compared = try cancelled { $0.assurance = .overlapChecked }
        #expect(try taken(of: compared) != nil)
        #expect(try taken(of: compared) { $0.options.strictResume = true } == nil)
        var verified = compared
        let digest = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 1, count: 32))
        verified.specification.options.checksum = digest
        #expect(try taken(of: verified) { $0.options.strictResume = true } == nil)
        let proved = try taken(of: compared) {
            $0.options.strictResume = true
            $0.options.checksum = digest
        }
        #expect(proved != nil)
    }

    /// Only a digest shows that bytes of several sources belong together (I5).
    @Test func bytesOfSeveralSourcesNeedTheirDigest() throws {
        let mirror = try HTTPURL(parsing: "https://mirror.example/file")
        func giver(_ digest: Checksum?, _ source: SourceID) throws -> Transfer {
            var new = NewTransfer(try specification())
            new.specification.options.mirrors = [mirror]
            new.specification.options.checksum = digest
            var transfer = Transfer(id: TransferID(rawValue: 7), adding: new, at: Self.now)
            var progress = DownloadProgress()
            progress.name = .fallback
            progress.part = Self.part
            progress.segments = SegmentMap(having: [0..<400], length: 1000)
            progress.mirroring.provenance.note(0..<200, from: .own)
            progress.mirroring.provenance.note(200..<400, from: source)
            transfer.downloadProgress = progress
            try transfer.ask(.cancel(keepingPart: true), at: Self.now)
            return transfer
        }
        func isTaken(_ giver: Transfer, _ digest: Checksum? = nil) throws -> Bool {
            let progress = try taken(of: giver) {
                $0.options.mirrors = [mirror]
                $0.options.checksum = digest
            }
            return progress != nil
        }
        let digest = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 1, count: 32))
        #expect(try !isTaken(giver(digest, .mirror(mirror))))
        #expect(try isTaken(giver(digest, .mirror(mirror)), digest))
        #expect(try isTaken(giver(digest, .own)))
        // These were compared when the source changed.
        #expect(try isTaken(giver(nil, .mirror(mirror))))
    }

    @Test func aSecretURLIsForgottenAndThenNoAnswerIsOfTheSameResource() throws {
        let giver = try cancelled("https://example.com/file?token=secret")
        #expect(giver.downloadProgress.source == nil)
        #expect(try taken(of: giver)?.source == "")
    }
}
