import FerryCore
import Synchronization

/// Ends the waits for space of transfers whose disk has enough again, and those for a disk that is mounted again.
///
/// Very many transfers may wait for one disk. So every look asks the disks, but reads the transfers only when the
/// result may have changed: a disk has room for the smallest need, another one is mounted, or the rows have changed.
final class SpaceWaits: Sendable {
    private struct State {
        /// Whether the store has changed since the transfers were read.
        var isStale = true
        /// The earliest time to read them again after a change.
        var due = Instant.epoch
        /// The smallest need in each directory, in bytes.
        var least: [String: Int64] = [:]
        /// The directories whose disk is not mounted.
        var unmounted: [String: UnmountedDisk] = [:]
    }

    /// A disk that is not mounted.
    private struct UnmountedDisk {
        /// The place of a file on it.
        var place: FilePlace
        /// The device that the directory is on instead; `nil` if there is no directory.
        var device: UInt64?
    }

    /// Minimum interval between scans that need several pages. The store may change all the time, mostly because of
    /// other transfers.
    static let longReadingInterval: Duration = .seconds(30)
    /// Maximum directories whose smallest need is remembered (I9). Waits in other directories are found by a scan.
    static let mostDirectories = 1000

    private let state = Mutex(State())

    /// Notes that the store may have changed.
    func expectChange() { state.withLock { $0.isStale = true } }

    /// Queues transfers that have enough space now, as long as the space is enough for all of them together.
    func end(with seams: EngineSeams, tell: @Sendable (Transfer) -> Void) async throws(StoreError) {
        guard try await isReadingDue(seams) else { return }
        state.withLock { $0.isStale = false }
        let filter = TransferFilter.waiting(.diskSpace)
        // Each disk is asked once per scan.
        var free: [String: Int64] = [:]
        var least: [String: Int64] = [:]
        var unmounted: [String: UnmountedDisk] = [:]
        var isLong = false
        var last: TransferID?
        repeat {
            let page = try await seams.store.transfers(filter, after: last, limit: ClientSeams.pageLength)
            var ending: [(TransferID, WaitCondition)] = []
            for transfer in page where transfer.claim == nil {
                guard case .waiting(.diskSpace(let needed)) = transfer.state,
                    let directory = transfer.work.directoryThatNeedsRoom
                else { continue }
                if transfer.waitsForItsDisk {
                    if let disk = await Self.unmountedDisk(of: transfer, seams) {
                        if unmounted.count < Self.mostDirectories { unmounted[directory] = disk }
                    } else {
                        // Its space may be reserved already, so the free space does not matter.
                        ending.append((transfer.id, .diskSpace(needed: needed)))
                    }
                    continue
                }
                let room: Int64
                if let known = free[directory] {
                    room = known
                } else {
                    room = await seams.room(in: directory)
                }
                // A resumed transfer will use its share; the next one has what remains.
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
        state.withLock { [least, unmounted] state in
            state.least = least
            state.unmounted = unmounted
            state.due = due
        }
    }

    private func isReadingDue(_ seams: EngineSeams) async throws(StoreError) -> Bool {
        let (isStale, due, least, unmounted) = state.withLock { ($0.isStale, $0.due, $0.least, $0.unmounted) }
        let now = seams.clock.now
        // A clock that was set back must not lengthen the wait.
        if isStale, due <= now || due > now.advanced(by: Self.longReadingInterval) { return true }
        for (directory, needed) in least where await seams.room(in: directory) >= needed { return true }
        for disk in unmounted.values where await seams.device(at: disk.place) != disk.device { return true }
        return false
    }

    /// The disk with the part file of a transfer; `nil` if it is mounted, or if only an attempt can tell.
    private static func unmountedDisk(of transfer: Transfer, _ seams: EngineSeams) async -> UnmountedDisk? {
        guard case .partFile(let place, let claim)? = transfer.work.residue else { return nil }
        do throws(StorageProblem) {
            let survey = try await seams.client.files.survey(place)
            return claim.isOnAnotherDisk(survey) ? UnmountedDisk(place: place, device: survey.device) : nil
        } catch {
            let isMissing = error.problem.saysThatDirectoryIsMissing(place.directory)
            return isMissing ? UnmountedDisk(place: place) : nil
        }
    }

    /// All are asked for at once, so that the store commits them in groups.
    private static func endWaits(
        of waits: [(id: TransferID, condition: WaitCondition)],
        with seams: EngineSeams
    ) async throws(StoreError) -> [Transfer] {
        let now = seams.clock.now
        let results = await withTaskGroup(of: Result<Transfer?, StoreError>.self) { group in
            for (id, condition) in waits {
                group.addTask {
                    do throws(StoreError) {
                        // A person may have paused it meanwhile, or another process may have resumed it.
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
    /// The free space in a directory, in bytes; 0 if the directory has any problem.
    fileprivate func room(in directory: String) async -> Int64 {
        do throws(StorageProblem) {
            return try await client.files.freeSpace(in: directory)
        } catch {
            return 0
        }
    }

    /// The device that the directory of a place is on; `nil` if the directory is missing or has any other problem.
    fileprivate func device(at place: FilePlace) async -> UInt64? {
        do throws(StorageProblem) {
            return try await client.files.survey(place).device
        } catch {
            return nil
        }
    }
}
