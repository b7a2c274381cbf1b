import FerryCore
import Testing

@Suite("A row compared with the disk")
struct RecoverySituationTests {
    private static let here = BootID(rawValue: "here")
    private static let before = BootID(rawValue: "before")
    private static let mine = FileIdentity(device: 1, inode: 7)
    private static let other = FileIdentity(device: 1, inode: 8)

    private func progress(
        written: Int64,
        durable: Int64,
        length: Int64? = 100,
        phase: DownloadProgress.Phase = .receiving,
        boot: BootID? = here
    ) throws -> DownloadProgress {
        var progress = DownloadProgress()
        progress.phase = phase
        progress.name = try FileName(userGiven: "file")
        progress.part = try boot.map {
            PartFileClaim(name: try FileName(userGiven: "file.part"), identity: Self.mine, boot: $0)
        }
        let segment = Segment(range: 0..<(length ?? .max), written: written, durable: durable)
        progress.segments = try #require(SegmentMap(segments: [segment]))
        return progress
    }

    private func entry(
        _ length: Int64,
        of identity: FileIdentity = mine,
        _ kind: FileSurvey.Kind = .file
    ) -> FileSurvey.Entry {
        FileSurvey.Entry(identity: identity, length: length, kind: kind)
    }

    private func situation(
        _ progress: DownloadProgress,
        part: FileSurvey.Entry? = nil,
        final: FileSurvey.Entry? = nil,
        device: UInt64? = nil
    ) -> RecoverySituation {
        let survey = FileSurvey(final: final, part: part, device: device)
        return RecoverySituation(progress, survey: survey, boot: Self.here)
    }

    @Test func thePartFileIsHeldAgainstWhatTheBootLetsBelieve() throws {
        let row = try progress(written: 60, durable: 20)
        #expect(situation(row, part: entry(60)).part == .ours)
        #expect(situation(row, part: entry(59)).part == .oursButShort)
        let old = try progress(written: 60, durable: 20, boot: Self.before)
        #expect(situation(old, part: entry(20)).part == .ours)
        #expect(situation(old, part: entry(19)).part == .oursButShort)
        #expect(!situation(old, part: entry(20)).isSameBoot)
    }

    /// The number of a device changes when its file system is mounted anew; inode number and birth stay.
    @Test func aPartFileIsKnownAgainAfterItsFileSystemWasMountedAnew() throws {
        for boot in [Self.here, Self.before] {
            var row = try progress(written: 60, durable: 20, boot: boot)
            row.part?.identity.birth = 1_700_000_000_123_456_789
            let again = FileIdentity(device: 9, inode: 7, birth: 1_700_000_000_123_456_789)
            let found = situation(row, part: entry(20, of: again))
            #expect(found.part == .ours && !found.isSameBoot, "only what was synced survives that")
            #expect(RecoveryTable.decide(found) == .resume(trust: .durable))
            for other in [
                FileIdentity(device: 9, inode: 7, birth: 1_700_000_000_123_456_788),
                FileIdentity(device: 9, inode: 8, birth: 1_700_000_000_123_456_789),
                FileIdentity(device: 1, inode: 8, birth: 1_700_000_000_123_456_789),
                FileIdentity(device: 9, inode: 7),
            ] {
                #expect(situation(row, part: entry(60, of: other)).part == .foreign)
            }
            row.part?.identity.birth = nil
            #expect(situation(row, part: entry(60, of: again)).part == .foreign)
            #expect(situation(row, part: entry(60)).part == .ours, "the same number needs no more proof")
        }
    }

    @Test func aFileThatWasPublishedBeforeAMountAnewIsKnownAgain() throws {
        var row = try progress(written: 100, durable: 100, phase: .publishing)
        row.part?.identity.birth = 5
        let again = FileIdentity(device: 9, inode: 7, birth: 5)
        #expect(situation(row, final: entry(100, of: again)).final == .ours)
        let other = FileIdentity(device: 9, inode: 7, birth: 6)
        #expect(situation(row, final: entry(100, of: other)).final == .foreign)
    }

    @Test func whatTheRowDoesNotClaimIsForeign() throws {
        let row = try progress(written: 60, durable: 20)
        let fresh = try progress(written: 0, durable: 0, boot: nil)
        #expect(situation(row).part == .lost)
        #expect(situation(fresh).part == .neverMade)
        #expect(situation(row, part: entry(60, of: Self.other)).part == .foreign)
        #expect(situation(row, part: entry(60, of: Self.mine, .symbolicLink)).part == .foreign)
        #expect(situation(fresh, part: entry(0, of: Self.other)).part == .foreignEmpty)
        var claimed = FileSurvey(final: nil, part: entry(0, of: Self.other))
        claimed.isPartClaimed = true
        #expect(RecoverySituation(fresh, survey: claimed, boot: Self.here).part == .foreign)
        #expect(situation(fresh, part: entry(0, of: Self.other, .directory)).part == .foreign)
    }

    @Test func anEmptyFileInPlaceOfAClaimedOneMeansThatTheBytesAreGone() throws {
        let row = try progress(written: 60, durable: 20)
        let found = situation(row, part: entry(0, of: Self.other))
        #expect(found.part == .lost)
        #expect(RecoveryTable.decide(found) == .beginAgain)
    }

    /// The bytes that the row has, the device of the directory, and what that means for a part file that is not there.
    @Test(
        arguments: [
            (60, 1, .lost), (60, 9, .unmounted), (60, nil, .lost), (0, 1, .lost), (0, 9, .lost),
            (0, nil, .lost),
        ] as [(Int64, UInt64?, RecoverySituation.Part)]
    )
    func aMissingFileIsOnAnotherDiskOnlyIfTheDirectoryIsOnAnotherDevice(
        _ written: Int64,
        _ device: UInt64?,
        _ expected: RecoverySituation.Part
    ) throws {
        for phase in [DownloadProgress.Phase.receiving, .publishing] {
            for boot in [Self.here, Self.before] {
                let row = try progress(written: written, durable: 0, phase: phase, boot: boot)
                let empty = entry(0, of: FileIdentity(device: device ?? 1, inode: 8))
                #expect(situation(row, device: device).part == expected)
                #expect(situation(row, part: empty, device: device).part == expected)
            }
        }
    }

    /// The number of a device may change at a boot, and always changes on some file systems.
    @Test func aFileThatIsThereIsNotOnAnotherDiskWhateverTheDevice() throws {
        var row = try progress(written: 60, durable: 20)
        row.part?.identity.birth = 5
        let again = FileIdentity(device: 9, inode: 7, birth: 5)
        #expect(situation(row, part: entry(60, of: again), device: 9).part == .ours)
        #expect(situation(row, part: entry(60, of: Self.other), device: 9).part == .foreign)
        // A person gave it the final name.
        #expect(situation(row, final: entry(60, of: again), device: 9).part == .lost)
        let fresh = try progress(written: 0, durable: 0, boot: nil)
        #expect(situation(fresh, device: 9).part == .neverMade)
    }

    @Test func theFinalFileIsOursOnlyIfItWasPublished() throws {
        let published = try progress(written: 100, durable: 100, phase: .publishing)
        #expect(situation(published, final: entry(100)).final == .ours)
        #expect(situation(published, final: entry(99)).final == .foreign)
        #expect(situation(published, final: entry(100, of: Self.other)).final == .foreign)
        #expect(situation(published, final: entry(100, of: Self.mine, .symbolicLink)).final == .foreign)
        #expect(situation(published).final == .absent)
    }

    @Test func anUnfinishedFileThatSomebodyRenamedIsNoPublication() throws {
        let row = try progress(written: 60, durable: 60)
        #expect(situation(row, final: entry(60)).final == .foreign)
        // Reserved space or a hole can make it as long as the whole.
        for boot in [Self.here, Self.before] {
            for durable: Int64 in [20, 60, 100] {
                let row = try progress(written: max(60, durable), durable: durable, boot: boot)
                let found = situation(row, final: entry(100))
                #expect(RecoveryTable.decide(found) == .nameTaken, "\(boot), \(durable)")
            }
        }
    }

    @Test func aRenameWhoseEndWasNotRecordedCompletesByItsDurableNote() throws {
        for boot in [Self.here, Self.before] {
            let row = try progress(written: 100, durable: 100, phase: .publishing, boot: boot)
            let found = situation(row, final: entry(100))
            #expect(found.final == .ours)
            #expect(RecoveryTable.decide(found) == .markCompleted)
        }
    }

    @Test func aNoteWithoutAllItsBytesIsNoNote() throws {
        let row = try progress(written: 60, durable: 60, phase: .publishing)
        #expect(situation(row, part: entry(60)).phase == .receiving)
        #expect(RecoveryTable.decide(situation(row, part: entry(60))) == .resume(trust: .written))
        let renamed = situation(row, final: entry(100))
        #expect(RecoveryTable.decide(renamed) == .nameTaken)
    }
}
