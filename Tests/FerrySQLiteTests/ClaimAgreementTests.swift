import FerryCore
import FerryTesting
import Testing

@testable import FerrySQLite

/// The store that keeps its queues in indexes gives the same transfers as the store that sorts all of them.
struct ClaimAgreementTests {
    private struct Both {
        let stored: SQLiteTransferStore
        let memory = MemoryTransferStore()
        var owners: [OwnerID] = []
        var claims: [Claim] = []
        var added = 0
        var now = Sample.now
    }

    private enum Sample {
        static let now = Instant(seconds: 1_700_000_000)
        static let queues = ["default", "a", "b", "images"]
        static let windows = ["off", "off", "off", "06:00-18:00", "22:00-04:00"]
        static let hosts = ["one.example", "two.example", "three.example"]
    }

    @Test(arguments: UInt64(0)..<30)
    func bothStoresClaimTheSameInTheSameOrder(seed: UInt64) async throws {
        let directory = try StoreDirectory()
        var both = Both(stored: try await SQLiteTransferStore.open(directory: directory.path))
        var random = SeededRandom(seed: seed)
        for pid in 1...2 {
            let process = ProcessIdentity(pid: Int32(pid), startTime: 1, boot: BootID(rawValue: "b"))
            let owner = try await both.stored.join(process, at: both.now)
            #expect(try await both.memory.join(process, at: both.now) == owner)
            both.owners.append(owner)
        }
        var claimed = 0
        for step in 0..<150 {
            // The clock advances, jumps, and goes back.
            let jump = Int.random(in: 0..<12, using: &random)
            let milliseconds: Int64 = jump == 0 ? 9_000_000 : jump == 1 ? -400_000 : 700
            both.now = both.now.advanced(by: .milliseconds(milliseconds))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3: try await add(&both, using: &random)
            case 3: try await setQueue(&both, using: &random)
            case 4: try await steer(&both, using: &random)
            case 5..<8: claimed += try await claim(&both, using: &random, "seed \(seed), step \(step)")
            default: try await settle(&both, using: &random)
            }
            for owner in both.owners {
                let rooms = [
                    try await both.stored.nextWakeTime(for: owner, after: both.now),
                    try await both.memory.nextWakeTime(for: owner, after: both.now),
                ]
                #expect(rooms[0] == rooms[1], "seed \(seed), step \(step)")
            }
        }
        #expect(claimed > 20, "seed \(seed): hardly anything was claimed")
        #expect(try await both.stored.verify() == [], "seed \(seed)")
        let all = try await both.stored.transfers(.all, after: nil, limit: .max)
        #expect(try await both.memory.transfers(.all, after: nil, limit: .max) == all, "seed \(seed)")
        #expect(try await both.memory.changedQueues() == both.stored.changedQueues(), "seed \(seed)")
        await both.stored.close()
    }

    private func add(_ both: inout Both, using random: inout SeededRandom) async throws {
        var new: [NewTransfer] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let host = Sample.hosts.randomElement(using: &random) ?? ""
            both.added += 1
            var options = DownloadOptions()
            options.window = try TimeWindow(parsing: Sample.windows.randomElement(using: &random) ?? "off")
            if Int.random(in: 0..<6, using: &random) == 0 {
                let milliseconds = Int64.random(in: 0..<20_000_000, using: &random)
                options.notAfter = both.now.advanced(by: .milliseconds(milliseconds))
            }
            options.runsInBackground = Int.random(in: 0..<4, using: &random) > 0
            var transfer = NewTransfer(
                DownloadSpecification(
                    url: try HTTPURL(parsing: "https://\(host)/\(both.added)"),
                    destination: .file(directory: "/d", name: nil),
                    options: options
                ),
                queue: Sample.queues.randomElement(using: &random) ?? "",
                priority: Int.random(in: -1...1, using: &random)
            )
            transfer.uuid = TransferUUID(at: both.now, using: &random)
            new.append(transfer)
        }
        let holder = Bool.random(using: &random) ? both.owners.randomElement(using: &random) : nil
        let additions = try await both.stored.add(new, holder: holder, at: both.now)
        #expect(try await both.memory.add(new, holder: holder, at: both.now) == additions)
    }

    private func setQueue(_ both: inout Both, using random: inout SeededRandom) async throws {
        let name = Sample.queues.randomElement(using: &random) ?? ""
        var edit = QueueEdit()
        // One that cancels the oldest has slots.
        edit.slots = Int.random(in: (name == "images" ? 1 : 0)...4, using: &random)
        edit.perHost = Int.random(in: 0...3, using: &random)
        edit.priority = Int.random(in: -1...1, using: &random)
        edit.isPaused = Int.random(in: 0..<4, using: &random) == 0
        edit.overflow = name == "images" ? .cancelOldest : .wait
        let mayBeStrict = name != "images" && edit.slots != 0
        edit.order = mayBeStrict && Bool.random(using: &random) ? .strict : .fair
        edit.onFailure = Bool.random(using: &random) ? .hold : .fail
        let queue = try await both.stored.edit(queue: name, edit, at: both.now)
        #expect(try await both.memory.edit(queue: name, edit, at: both.now) == queue)
    }

    private func steer(_ both: inout Both, using random: inout SeededRandom) async throws {
        guard both.added > 0 else { return }
        let id = TransferID(rawValue: Int64.random(in: 1...Int64(both.added), using: &random))
        var edit = TransferEdit()
        edit.priority = Int.random(in: -2...2, using: &random)
        if Bool.random(using: &random) { edit.queue = Sample.queues.randomElement(using: &random) }
        let pauses = Bool.random(using: &random)
        let now = both.now
        for store in [both.stored as any TransferStore, both.memory] {
            do throws(StoreError) {
                _ = try await store.edit(id, edit, at: now)
                if pauses { _ = try await store.ask(.pause, of: id, at: now) }
                _ = try await store.requeue(id, holder: nil, at: now)
            } catch {
                guard case .notPossible = error else { throw error }
            }
        }
        #expect(try await both.stored.transfer(id) == both.memory.transfer(id))
    }

    private func claim(
        _ both: inout Both,
        using random: inout SeededRandom,
        _ where: String
    ) async throws -> Int {
        let owner = both.owners.randomElement(using: &random) ?? both.owners[0]
        let limit = Int.random(in: 1...5, using: &random)
        var only: TransferIDSet?
        if Int.random(in: 0..<3, using: &random) == 0 {
            let numbers = (1...5).map { _ in Int64.random(in: 1...60, using: &random) }
            only = TransferIDSet(numbers.map(TransferID.init(rawValue:)))
        }
        let heldBack = HeldBack(
            hosts: Set(Sample.hosts.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }),
            isInBackground: Int.random(in: 0..<3, using: &random) == 0
        )
        let now = both.now
        let (claimed, expected) = (
            try await both.stored.claim(upTo: limit, only: only, heldBack: heldBack, for: owner, at: now),
            try await both.memory.claim(upTo: limit, only: only, heldBack: heldBack, for: owner, at: now)
        )
        let asked = claimed.map(\.specification.url.host)
        #expect(heldBack.hosts.isDisjoint(with: asked), "\(`where`): \(asked) in spite of \(heldBack)")
        #expect(!claimed.contains(where: heldBack.holdsInBackground), "\(`where`): in the background")
        #expect(claimed.map(\.id) == expected.map(\.id), "\(`where`)")
        let isSame = claimed == expected
        #expect(isSame, "\(`where`)")
        let isKnown = try await both.stored.waitsForRoom(owner, at: both.now)
        let isExpected = try await both.memory.waitsForRoom(owner, at: both.now)
        #expect(isKnown || !isExpected, "\(`where`): what waits for room is not overlooked")
        both.claims += claimed.compactMap(\.claim)
        return claimed.count
    }

    private func settle(_ both: inout Both, using random: inout SeededRandom) async throws {
        guard let index = both.claims.indices.randomElement(using: &random) else { return }
        let claim = both.claims.remove(at: index)
        let state: TransferState =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .queued
            case 2: .failed(TransferFailure(.connectionLost, "The connection broke."))
            case 1: .waiting(.retry(at: both.now.advanced(by: .seconds(3))))
            default: .completed
            }
        let settlement = Settlement(
            state,
            progress: DownloadProgress(),
            keepsHold: Bool.random(using: &random)
        )
        let settled = try await both.stored.settle(claim, as: settlement, at: both.now)
        #expect(try await both.memory.settle(claim, as: settlement, at: both.now) == settled)
    }
}
