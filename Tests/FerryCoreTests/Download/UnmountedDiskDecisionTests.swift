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

    /// A machine that has opened the whole part file, which may replace a saved file, and what it does next.
    private static func opened(
        replacing saved: FileSurvey.Entry?
    ) throws -> (machine: DownloadMachine, actions: [DownloadAction]) {
        var progress = Self.progress(received: 1000)
        progress.segments = try #require(
            SegmentMap(segments: [Segment(range: 0..<1000, written: 1000, durable: 1000)])
        )
        progress.phase = .publishing
        progress.saved = saved.map {
            SavedVersion(PlacedFile(identity: $0.identity, length: $0.length, modified: $0.modified))
        }
        let part = FileSurvey.Entry(identity: FileIdentity(device: 1, inode: 2), length: 1000, kind: .file)
        var specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: place.name)
        )
        specification.options.updates = true
        var machine = DownloadMachine(specification, from: progress, boot: boot, at: .epoch)
        _ = machine.handle(.begin, at: .epoch)
        _ = machine.handle(.surveyed(FileSurvey(final: saved, part: part, device: 1)), at: .epoch)
        _ = machine.handle(.partReady(part.identity), at: .epoch)
        let actions = Self.handle(.trimmed, by: &machine)
        return (machine, actions)
    }

    /// What a machine does. Each sync that it orders succeeds.
    private static func handle(
        _ event: DownloadEvent,
        by machine: inout DownloadMachine
    ) -> [DownloadAction] {
        var actions = machine.handle(event, at: .epoch)
        while actions.contains(where: { if case .synchronize = $0 { true } else { false } }) {
            actions = machine.handle(.synchronized, at: .epoch)
        }
        return actions
    }

    @Test("a whole file that is to replace a saved one is kept, with it, if their disk goes away before")
    func goesAwayBeforePublication() throws {
        let saved = FileSurvey.Entry(
            identity: FileIdentity(device: 1, inode: 3),
            length: 6,
            kind: .file,
            modified: 40
        )
        let opened = try Self.opened(replacing: saved)
        var machine = opened.machine
        #expect(opened.actions.contains { if case .survey = $0 { true } else { false } })
        let below = FileSurvey(final: nil, part: nil, device: 9)
        let last = Self.handle(.surveyed(below), by: &machine).last
        guard case .finish(.failed(let problem), let end)? = last else {
            Issue.record("it does not end")
            return
        }
        #expect(problem.disposition == .condition(.diskMount))
        #expect(end.saved?.identity == saved.identity && end.segments.received == 1000)
    }

    @Test(
        "a file that was published on a disk which was unmounted is not given up",
        arguments: [true, false]
    )
    func wasPublishedOnADetachedDisk(isDetached: Bool) throws {
        let opened = try Self.opened(replacing: nil)
        var machine = opened.machine
        #expect(opened.actions.contains { if case .publish = $0 { true } else { false } })
        let remedies: [Remedy] = isDetached ? [.mountDisk, .retry] : [.fetchAgain]
        let moved = Problem.permanent(.destinationMoved, "It is elsewhere.", remedies: remedies)
        let last = Self.handle(.storageFailed(.publish, moved), by: &machine).last
        guard case .finish(.failed(let problem), let end)? = last else {
            Issue.record("it does not end")
            return
        }
        #expect(problem.disposition == (isDetached ? .condition(.diskMount) : .permanent))
        #expect(end.phase == (isDetached ? .publishing : .receiving))
        #expect((end.part != nil) == isDetached)
        #expect(end.segments.received == (isDetached ? 1000 : 0))
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
