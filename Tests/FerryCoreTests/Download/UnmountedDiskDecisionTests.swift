import FerryTesting
import Testing

@testable import FerryCore

@Suite("A download whose disk is not mounted")
struct UnmountedDiskDecisionTests {
    private static let boot = BootID(rawValue: "b")
    private static let place = FilePlace(directory: "/d", name: .fallback)
    static let missing = Problem.permanent(
        .cannotCreate,
        "The directory /d does not exist.",
        remedies: [.createDirectory(path: "/d"), .retry]
    )

    /// A download with a part file on device 1 that has this number of bytes.
    private static func progress(received: Int64) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.name = place.name
        progress.segments = SegmentMap(length: 1000)
        progress.segments.advance(0, writtenTo: received)
        let identity = FileIdentity(device: 1, inode: 2)
        progress.part = PartFileClaim(name: place.part, identity: identity, boot: boot)
        return progress
    }

    /// What a machine does that meets this when it looks at the disk.
    private static func actions(
        _ progress: DownloadProgress,
        _ event: DownloadEvent
    ) throws -> [DownloadAction] {
        var specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: place.name)
        )
        specification.options.updates = true
        var machine = DownloadMachine(specification, from: progress, boot: boot, at: .epoch)
        _ = machine.handle(.begin, at: .epoch)
        return machine.handle(event, at: .epoch)
    }

    @Test(
        "it waits, and nothing that is known of its files is lost",
        arguments: [
            .surveyed(FileSurvey(final: nil, part: nil, device: 9)), .storageFailed(.survey, missing),
        ] as [DownloadEvent]
    )
    func waits(_ event: DownloadEvent) throws {
        var progress = Self.progress(received: 400)
        let final = FileIdentity(device: 1, inode: 3)
        progress.saved = SavedVersion(PlacedFile(identity: final, length: 6, modified: 40))
        progress.part?.adoption = PendingAdoption()
        let last = try Self.actions(progress, event).last
        guard case .finish(.failed(let problem), let end)? = last else {
            Issue.record("it does not end")
            return
        }
        #expect(problem.disposition == .condition(.diskMount))
        let start = "The disk or the directory that holds \(Self.place.partPath) is not there"
        #expect(problem.failure.message.hasPrefix(start))
        #expect(end.part == progress.part && end.saved == progress.saved && end.segments.received == 400)
    }

    @Test("without bytes, nothing is waited for")
    func hasNoBytes() throws {
        let progress = Self.progress(received: 0)
        let begun = try Self.actions(progress, .surveyed(FileSurvey(final: nil, part: nil, device: 9)))
        #expect(begun.contains { if case .connect = $0 { true } else { false } })
        let failed = try Self.actions(progress, .storageFailed(.survey, Self.missing)).last
        guard case .finish(.failed(let problem), _)? = failed else {
            Issue.record("it does not fail")
            return
        }
        #expect(problem == Self.missing)
    }

    /// A completed download, added 5 ms after 1970, whose file is missing.
    @Test(
        "a published file is on a disk that is not mounted only if an older directory of another device is in its place",
        arguments: [
            (9, 4_999_999, true), (9, 1, true), (9, 0, false), (9, -1, false), (9, 5_000_000, false),
            (9, Int64.max, false),
            (9, nil, false), (1, 4_999_999, false), (nil, 4_999_999, false),
        ] as [(UInt64?, Int64?, Bool)]
    )
    func isPublishedOnAnUnmountedDisk(device: UInt64?, modified: Int64?, _ expected: Bool) throws {
        let claim = try #require(Self.progress(received: 1000).part)
        let added = Instant(milliseconds: 5)
        var survey = FileSurvey(final: nil, part: nil, device: device, directoryModified: modified)
        #expect(claim.isUnmounted(survey, since: added) == expected)
        // Whatever has its name was put there.
        let other = FileIdentity(device: 9, inode: 7)
        survey.final = FileSurvey.Entry(identity: other, length: 1000, kind: .file)
        #expect(!claim.isUnmounted(survey, since: added))
    }

    @Test("a directory that cannot be read is another failure")
    func isUnreadable() throws {
        let denied = Problem.permanent(.cannotCreate, "Permission denied.")
        let failed = try Self.actions(Self.progress(received: 400), .storageFailed(.survey, denied)).last
        guard case .finish(.failed(let problem), _)? = failed else {
            Issue.record("it does not fail")
            return
        }
        #expect(problem == denied)
    }
}
