import FerryCore
import Synchronization

/// Ends the waits for space of those transfers whose disk has enough of it again.
///
/// A great many may wait for one disk. So the disks are asked each time, and the transfers are read only when that may
/// have changed something: a disk has room for the one that needs least, or the rows are others than they were.
final class SpaceWaits: Sendable {
    private struct State {
        /// Whether the store has changed since the transfers were read.
        var isStale = true
        /// When they are read at the latest if it has.
        var due = Instant.epoch
        /// The least that is needed in each directory.
        var least: [String: Int64] = [:]
    }

    /// How often so many are read, at most, that they do not fit on a page: the store may change all the time, and
    /// mostly by what others do.
    static let longReadingInterval: Duration = .seconds(30)
    /// In how many directories the least is remembered (I9); what waits in others is found when all are read.
    static let mostDirectories = 1000

    private let state = Mutex(State())

    /// The store may have changed.
    func expectChange() { state.withLock { $0.isStale = true } }

    /// Queues what has enough space now, as far as there is room for them together.
    func end(with seams: EngineSeams, tell: @Sendable (Transfer) -> Void) async throws(StoreError) {
        guard try await isReadingDue(seams) else { return }
        state.withLock { $0.isStale = false }
        let filter = TransferFilter.waiting(WaitCondition.diskSpace(needed: 0).name)
        // Each disk is asked once.
        var free: [String: Int64] = [:]
        var least: [String: Int64] = [:]
        var isLong = false
        var last: TransferID?
        repeat {
            let page = try await seams.store.transfers(filter, after: last, limit: ClientSeams.pageLength)
            var ending: [(TransferID, WaitCondition)] = []
            for transfer in page where transfer.claim == nil {
                guard case .waiting(.diskSpace(let needed)) = transfer.state,
                    let directory = transfer.place?.directory
                else { continue }
                let room: Int64
                if let known = free[directory] {
                    room = known
                } else {
                    room = await seams.room(in: directory)
                }
                // What goes on will take its part, so the next one has the rest.
                free[directory] = room >= needed ? room - needed : room
                if room >= needed {
                    ending.append((transfer.id, .diskSpace(needed: needed)))
                } else if least[directory] != nil || least.count < Self.mostDirectories {
                    least[directory] = min(least[directory] ?? .max, needed)
                }
            }
            for transfer in try await Self.endWaits(of: ending, with: seams) { tell(transfer) }
            last = page.count == ClientSeams.pageLength ? page.last?.id : nil
            isLong = isLong || last != nil
        } while last != nil
        let due = isLong ? seams.clock.now.advanced(by: Self.longReadingInterval) : .epoch
        state.withLock { [least] state in
            state.least = least
            state.due = due
        }
    }

    private func isReadingDue(_ seams: EngineSeams) async throws(StoreError) -> Bool {
        let (isStale, due, least) = state.withLock { ($0.isStale, $0.due, $0.least) }
        let now = seams.clock.now
        // A clock that went back makes nobody wait longer.
        if isStale, due <= now || due > now.advanced(by: Self.longReadingInterval) { return true }
        for (directory, needed) in least where await seams.room(in: directory) >= needed { return true }
        return false
    }

    /// Asked for all at once, so that the store commits them in groups.
    private static func endWaits(
        of waits: [(id: TransferID, condition: WaitCondition)],
        with seams: EngineSeams
    ) async throws(StoreError) -> [Transfer] {
        let now = seams.clock.now
        let results = await withTaskGroup(of: Result<Transfer?, StoreError>.self) { group in
            for (id, condition) in waits {
                group.addTask {
                    do throws(StoreError) {
                        // In the meantime somebody may have paused it, or another process may have gone on with it.
                        return .success(
                            try await seams.store.endWait(of: id, for: condition, holder: nil, at: now)
                        )
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var queued: [Transfer] = []
        for result in results {
            if let transfer = try result.get() { queued.append(transfer) }
        }
        return queued.sorted { $0.id < $1.id }
    }
}

extension EngineSeams {
    /// How many bytes are free in a directory. Whatever is wrong with it, there is no space to be had there yet.
    fileprivate func room(in directory: String) async -> Int64 {
        do throws(StorageProblem) {
            return try await client.files.freeSpace(in: directory)
        } catch {
            return 0
        }
    }
}
