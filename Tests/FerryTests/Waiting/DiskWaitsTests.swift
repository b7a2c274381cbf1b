import FerryCore
import FerryTesting
import Synchronization
import Testing

@testable import Ferry

/// Many transfers that wait for one disk.
@Suite(.timeLimit(.minutes(10)))
struct DiskWaitsTests {
    private let bench: Bench
    private let seams: EngineSeams
    private let owner: OwnerID
    private let waits = DiskWaits()

    init() async throws {
        bench = try Bench()
        seams = EngineSeams(client: bench.clientSeams(bench.machine.spawn()), transport: bench.transport)
        let process = ProcessIdentity(pid: 1, startTime: 1, boot: BootID(rawValue: "b"))
        owner = try await bench.store.join(process, at: bench.clock.now)
    }

    /// Adds transfers that wait for this many bytes.
    @discardableResult
    private func wait(_ count: Int, for needed: Int64, _ name: String = "f") async throws -> [TransferID] {
        let settlement = Settlement(.waiting(.diskSpace(needed: needed)), progress: DownloadProgress())
        return try await wait(count, name, settlement)
    }

    private func wait(_ count: Int, _ name: String, _ settlement: Settlement) async throws -> [TransferID] {
        let new = try (0..<count).map { number in
            NewTransfer(
                DownloadSpecification(
                    url: try HTTPURL(parsing: "http://origin.example/\(name)\(number)"),
                    destination: .file(directory: "/d", name: try FileName(userGiven: "\(name)\(number)"))
                )
            )
        }
        let now = bench.clock.now
        let ids = TransferIDSet(try await bench.store.add(new, holder: nil, at: now).map(\.transfer.id))
        for transfer in try await bench.store.claim(upTo: count, only: ids, for: owner, at: now) {
            try await bench.store.settle(try #require(transfer.claim), as: settlement, at: now)
        }
        return ids.sorted()
    }

    /// Checks the disk once, and returns the transfers that were queued.
    private func queued() async throws -> [TransferID] {
        let told = Mutex([TransferID]())
        try await waits.end(with: seams) { transfer in
            #expect(transfer.state == .queued)
            told.withLock { $0.append(transfer.id) }
        }
        return told.withLock { $0 }
    }

    @Test func asManyGoOnAsThereIsRoomForTogether() async throws {
        bench.files.setCapacity(0)
        let ids = try await wait(1_200, for: 10)
        #expect(try await queued() == [])
        bench.files.setCapacity(6_015)
        // No event reports free space, so the disk is polled.
        #expect(try await queued() == Array(ids.prefix(601)))
    }

    @Test func theOnesThatWaitAreReadWhenThereIsRoomOrTheyMayBeOthers() async throws {
        bench.files.setCapacity(99)
        try await wait(2, for: 100)
        #expect(try await queued() == [])
        let small = try await wait(1, for: 50, "small")
        #expect(try await queued() == [], "no other one is known yet")
        waits.expectChange()
        #expect(try await queued() == small)
    }

    @Test func oneLookServesAllThatWaitForAWritableDirectory() async throws {
        bench.files.setReadOnly(true)
        let failure = TransferFailure(.cannotCreate, "The file system is read-only.")
        let settlement = Settlement(.waiting(.diskMount), progress: DownloadProgress(), failure: failure)
        let ids = try await wait(40, "f", settlement)
        #expect(try await queued() == [])
        #expect(bench.files.calls(of: .isReadOnly) == 1)
        #expect(try await queued() == [])
        #expect(bench.files.calls(of: .isReadOnly) == 2)
        bench.files.setReadOnly(false)
        #expect(try await queued() == ids)
    }

    @Test func oneLookServesAllThatWaitForAMissingDirectory() async throws {
        let part = PartFileClaim(
            name: try FileName(userGiven: "f.part"),
            identity: FileIdentity(device: 1, inode: 7),
            boot: BootID(rawValue: "b")
        )
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: 1_000)
        progress.segments.advance(0, writtenTo: 400)
        progress.part = part
        let failure = TransferFailure(.cannotOpen, "The disk is not there.")
        let settlement = Settlement(.waiting(.diskMount), progress: progress, failure: failure)
        let ids = try await wait(40, "f", settlement)
        bench.files.removeDirectory("/d")
        let before = bench.files.calls(of: .survey)
        #expect(try await queued() == [])
        #expect(bench.files.calls(of: .survey) == before + 1)
        bench.files.addDirectory("/d")
        #expect(try await queued() == ids)
    }

    @Test func thoseThatDoNotFitOnAPageAreReadNowAndThenOnly() async throws {
        bench.files.setCapacity(99)
        try await wait(600, for: 100)
        #expect(try await queued() == [])
        let small = try await wait(1, for: 50, "small")
        waits.expectChange()
        #expect(try await queued() == [])
        bench.clock.advance(by: DiskWaits.longReadingInterval)
        #expect(try await queued() == small)
        bench.files.setCapacity(nil)
        #expect(try await queued().count == 600)
    }
}
