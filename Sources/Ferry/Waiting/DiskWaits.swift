import FerryCore
import Synchronization

/// Ends the waits for space of transfers whose disk has enough again, and those for a disk that is mounted or writable again.
///
/// Very many transfers may wait for one disk. So every look asks the disks, but reads the transfers only when the
/// result may have changed: a disk has room for the smallest need, another one is mounted or writable, or the rows have changed.
final class DiskWaits: Sendable {
    private struct State {
        /// Whether the store has changed since the transfers were read.
        var isStale = true
        /// The earliest time to read them again after a change.
        var due = Instant.epoch
        /// The smallest need in each directory, in bytes.
        var least: [String: Int64] = [:]
        /// The directories whose disk is not mounted.
        var unmounted: [String: UnmountedDisk] = [:]
        /// The directories whose disk is read-only.
        var readOnly: Set<String> = []
    }

    /// A disk that is not mounted.
    fileprivate enum UnmountedDisk {
        /// That of a directory: the place of a file in it, and the device that the directory is on instead; `nil` if there is no
        /// directory.
        case ofDirectory(FilePlace, device: UInt64?)
        /// That of a file to send.
        case ofBody(PinnedFile)

        /// The directory on it.
        var directory: String {
            switch self {
            case .ofDirectory(let place, _): place.directory
            case .ofBody(let file): file.path.lastIndex(of: "/").map { String(file.path[..<$0]) } ?? ""
            }
        }
    }

    /// What a scan has found of the disks. Each directory is asked once for its free space, whether it is read-only, and
    /// whether it is missing.
    private struct Scan {
        private var free: [String: Int64] = [:]
        private(set) var least: [String: Int64] = [:]
        private(set) var unmounted: [String: UnmountedDisk] = [:]
        private var isReadOnly: [String: Bool] = [:]

        /// The directories whose disk is read-only.
        var readOnly: Set<String> {
            Set(isReadOnly.filter(\.value).keys.prefix(DiskWaits.mostDirectories))
        }

        /// Whether the wait of a transfer is over.
        mutating func hasEnded(
            _ condition: WaitCondition,
            of transfer: Transfer,
            _ seams: EngineSeams
        ) async -> Bool {
            switch condition {
            case .diskSpace(let needed):
                guard let directory = transfer.work.directoryThatNeedsRoom else { return false }
                let room: Int64
                if let known = free[directory] {
                    room = known
                } else {
                    room = await seams.room(in: directory)
                }
                // A resumed transfer will use its share; the next one has what remains.
                free[directory] = room >= needed ? room - needed : room
                if room >= needed { return true }
                if least[directory] != nil || least.count < DiskWaits.mostDirectories {
                    least[directory] = min(least[directory] ?? .max, needed)
                }
                return false
            case .diskMount where transfer.waitsForWritableDisk:
                guard let directory = transfer.work.directoryThatNeedsRoom else { return true }
                if let known = isReadOnly[directory] { return !known }
                let found = await seams.client.files.isReadOnly(directory)
                isReadOnly[directory] = found
                return !found
            case .diskMount:
                if isKnownToBeMissing(transfer) { return false }
                // The part file may have reserved its space, so the free space does not matter.
                guard let disk = await seams.unmountedDisk(of: transfer) else { return true }
                if unmounted.count < DiskWaits.mostDirectories { unmounted[disk.directory] = disk }
                return false
            case .retry, .network, .dependency, .applicationInactive, .newURL, .window: return false
            }
        }

        /// Whether the directory of a part file was found to be missing. A transfer without one waits for its mount point.
        private func isKnownToBeMissing(_ transfer: Transfer) -> Bool {
            guard transfer.work.filesToSend.isEmpty, case .partFile(let place, _)? = transfer.work.residue,
                case .ofDirectory(_, device: nil)? = unmounted[place.directory]
            else { return false }
            return true
        }
    }

    /// Minimum interval between scans that need several pages. The store may change all the time, mostly because of
    /// other transfers.
    static let longReadingInterval: Duration = .seconds(30)
    /// Maximum directories whose smallest need is remembered (I9). Waits in other directories are found by a scan.
    static let mostDirectories = 1000

    private let state = Mutex(State())

    /// Notes that the store may have changed.
    func expectChange() { state.withLock { $0.isStale = true } }

    /// Queues transfers whose disk is mounted or writable again, and those that have enough space now, as long as the space is
    /// enough for all of them together.
    func end(with seams: EngineSeams, tell: @Sendable (Transfer) -> Void) async throws(StoreError) {
        guard try await isReadingDue(seams) else { return }
        state.withLock { $0.isStale = false }
        var scan = Scan()
        var isLong = false
        for condition in [WaitCondition.Name.diskSpace, .diskMount] {
            var last: TransferID?
            repeat {
                let page = try await seams.store.transfers(
                    .waiting(condition),
                    after: last,
                    limit: ClientSeams.pageLength
                )
                var ending: [(TransferID, WaitCondition)] = []
                for transfer in page where transfer.claim == nil {
                    guard case .waiting(let condition) = transfer.state else { continue }
                    if await scan.hasEnded(condition, of: transfer, seams) {
                        ending.append((transfer.id, condition))
                    }
                }
                for transfer in try await Self.endWaits(of: ending, with: seams) { tell(transfer) }
                last = page.count == ClientSeams.pageLength ? page.last?.id : nil
                isLong = isLong || last != nil
            } while last != nil
        }
        let due = isLong ? seams.clock.now.advanced(by: Self.longReadingInterval) : .epoch
        state.withLock { [scan] state in
            state.least = scan.least
            state.unmounted = scan.unmounted
            state.readOnly = scan.readOnly
            state.due = due
        }
    }

    private func isReadingDue(_ seams: EngineSeams) async throws(StoreError) -> Bool {
        let known = state.withLock { $0 }
        let now = seams.clock.now
        // A clock that was set back must not lengthen the wait.
        let isDue = known.due <= now || known.due > now.advanced(by: Self.longReadingInterval)
        if known.isStale, isDue { return true }
        for (directory, needed) in known.least where await seams.room(in: directory) >= needed { return true }
        for disk in known.unmounted.values where await seams.mayBeMounted(disk) { return true }
        for directory in known.readOnly where await !seams.client.files.isReadOnly(directory) { return true }
        return false
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

    /// The disk with a file that a transfer sends, with its part file, or of its destination if it has no bytes; `nil` if it is
    /// mounted, or if only an attempt can tell.
    fileprivate func unmountedDisk(of transfer: Transfer) async -> DiskWaits.UnmountedDisk? {
        if let absent = await MountPoints(files: client.files).ofAbsentDisk(of: transfer) {
            return .ofDirectory(absent.place, device: absent.device)
        }
        for file in transfer.work.filesToSend where await isDiskGone(of: file) { return .ofBody(file) }
        guard case .partFile(let place, let claim)? = transfer.work.residue else { return nil }
        do throws(StorageProblem) {
            let survey = try await client.files.survey(place)
            return claim.isOnAnotherDisk(survey) ? .ofDirectory(place, device: survey.device) : nil
        } catch {
            let isMissing = error.problem.saysThatDirectoryIsMissing(place.directory)
            return isMissing ? .ofDirectory(place, device: nil) : nil
        }
    }

    /// Whether the disk of a file to send is not mounted.
    private func isDiskGone(of file: PinnedFile) async -> Bool {
        do throws(Problem) {
            _ = try await client.bodies.survey(file)
            return false
        } catch {
            return error.disposition == .condition(.diskMount)
        }
    }

    /// Whether a disk may be mounted again.
    fileprivate func mayBeMounted(_ disk: DiskWaits.UnmountedDisk) async -> Bool {
        switch disk {
        case .ofDirectory(let place, let device): await surveyedDevice(at: place) != device
        case .ofBody(let file): await !isDiskGone(of: file)
        }
    }

    /// The device that the directory of a place is on; `nil` if the directory is missing or has any other problem.
    fileprivate func surveyedDevice(at place: FilePlace) async -> UInt64? {
        do throws(StorageProblem) {
            return try await client.files.survey(place).device
        } catch {
            return nil
        }
    }
}
