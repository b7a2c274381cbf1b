import FerryTesting
import Testing

@testable import FerryCore

/// Random events on a part file: bytes are written and dropped, syncs succeed and fail, and the file gets its name.
@Suite("A part file never claims what a power cut would take (I2)")
struct PartDurabilityTests {
    private static let length: Int64 = 64

    private struct Walk {
        var random: SeededRandom
        var part: PartDurability
        var progress = DownloadProgress()
        var now = Instant.epoch
        /// The bytes that are in the file, and those that a sync has brought to the disk.
        var file: Set<Int64> = []
        var disk: Set<Int64> = []
        /// The bytes that the sync under way brings to the disk, and whether the file had its name when it began.
        var sync: (image: Set<Int64>, isNamed: Bool)?
        var isNamed = false
        var isNameDurable = false
        /// What has happened at least once.
        var seen: Set<String> = []

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            part = PartDurability(smallLength: DownloadMachine.smallLength, at: .epoch)
            progress.segments = SegmentMap(length: PartDurabilityTests.length)
            progress.part = PartFileClaim(
                name: .fallback,
                identity: FileIdentity(device: 1, inode: 2),
                boot: DownloadScenario.boot
            )
            if Bool.random(using: &random) {
                part.opened()
                (isNamed, isNameDurable) = (true, true)
            } else {
                part.openedUnnamed()
            }
        }

        mutating func step() {
            now = now.advanced(by: .seconds(.random(in: 0...4, using: &random)))
            let segment = progress.segments.segments.randomElement(using: &random)!
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1, 2:
                let offset = Int64.random(in: segment.written...segment.range.upperBound, using: &random)
                file.formUnion(segment.written..<offset)
                progress.segments.advance(segment.range.lowerBound, writtenTo: offset)
            case 3:
                _ = progress.segments.divide(
                    segment.range.lowerBound,
                    at: .random(in: 0...PartDurabilityTests.length, using: &random)
                )
            case 4, 5:
                guard sync == nil, part.isDue(progress.segments, at: now) || random.next() % 2 == 0 else {
                    return
                }
                let order = part.synchronize(progress.segments)
                #expect(order == .synchronize)
                sync = (file, isNamed)
            case 6:
                guard let (image, hadName) = sync else { return }
                sync = nil
                if Int.random(in: 0..<4, using: &random) > 0 {
                    disk.formUnion(image.intersection(file))
                    if hadName { isNameDurable = true }
                    part.confirm(&progress.segments, at: now)
                    seen.insert("confirmed")
                } else {
                    // The kernel drops what it could not write, and marks it clean.
                    file = disk
                    part.lose(&progress, at: now)
                    seen.insert("failed")
                }
            case 7:
                drop()
            case 8:
                name()
            default:
                record()
            }
            check()
        }

        /// Bytes are dropped: their places get others.
        private mutating func drop() {
            let bounds = [Int64.random(in: 0...64, using: &random), .random(in: 0...64, using: &random)]
                .sorted()
            let range = bounds[0]..<bounds[1]
            file.subtract(range)
            disk.subtract(range)
            sync?.image.subtract(range)
            progress.segments.drop(range)
            part.invalidate()
            if sync != nil { seen.insert("dropped during a sync") }
        }

        private mutating func name() {
            switch part.file {
            case .unnamed:
                // The file gets its name before any sync that is ordered from now on begins.
                part.takeName(&progress.segments)
                isNamed = true
                if sync != nil { seen.insert("named during a sync") }
            case .naming: part.named()
            case .named, .closed: break
            }
        }

        private mutating func record() {
            guard case .record(let recorded, _) = part.record(progress, .process) else {
                Issue.record("a record is something else")
                return
            }
            #expect(!part.isNews(recorded.segments))
            check(recorded)
        }

        private func check() {
            #expect(part.isSynchronizing == (sync != nil))
            for segment in progress.segments.segments {
                #expect(disk.isSuperset(of: segment.range.lowerBound..<segment.durable))
                #expect(file.isSuperset(of: segment.range.lowerBound..<segment.written))
            }
        }

        /// What the row says holds after a power cut, which takes a name that no sync has made durable.
        private func check(_ recorded: DownloadProgress) {
            #expect(part.file == .named || recorded.segments.received == 0)
            #expect(isNameDurable || recorded.segments.durableBytes == 0)
            #expect(part.file != .unnamed || recorded.part == nil)
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func durableNeverPassesWhatASyncConfirmed(block: UInt64) {
        var seen: Set<String> = []
        for seed in block * 100..<(block + 1) * 100 {
            var walk = Walk(seed: seed)
            for _ in 0..<60 { walk.step() }
            seen.formUnion(walk.seen)
        }
        #expect(seen == ["confirmed", "failed", "dropped during a sync", "named during a sync"])
    }

    @Test func bytesAreSyncedWhenTooManyAreAtRiskOrForTooLong() {
        var part = PartDurability(smallLength: 0, at: .epoch)
        var segments = SegmentMap(length: PartDurability.mostAtRisk * 2)
        segments.advance(0, writtenTo: 1)
        let late = Instant.epoch.advanced(by: PartDurability.interval)
        #expect(!part.isDue(segments, at: late), "the file is not open")
        part.opened()
        #expect(part.isDue(segments, at: late) && !part.isDue(segments, at: .epoch))
        #expect(part.isDue(segments, at: Instant.epoch.advanced(by: .seconds(-1))), "the clock was set back")
        segments.advance(0, writtenTo: PartDurability.mostAtRisk)
        #expect(part.isDue(segments, at: .epoch))
        _ = part.synchronize(segments)
        #expect(!part.isDue(segments, at: late), "one is under way")
        part.confirm(&segments, at: late)
        #expect(segments.durableBytes == PartDurability.mostAtRisk && !part.isDue(segments, at: late))
    }

    @Test func aFileThatSparesItsNameIsFirstRecordedWithItsPublication() {
        var part = PartDurability(smallLength: DownloadMachine.smallLength, at: .epoch)
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: 10)
        progress.part = PartFileClaim(
            name: .fallback,
            identity: FileIdentity(device: 1, inode: 2),
            boot: DownloadScenario.boot
        )
        part.openedUnnamed()
        progress.segments.advance(0, writtenTo: 10)
        #expect(part.recordable(progress).part == nil && part.recordable(progress).segments.received == 0)
        _ = part.synchronize(progress.segments)
        part.confirm(&progress.segments, at: .epoch)
        let noted = part.notePublication(&progress)
        #expect(progress.phase == .publishing && noted == .record(progress, .power))
    }
}
