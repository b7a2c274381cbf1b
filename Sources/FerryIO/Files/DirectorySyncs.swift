import FerryCore
import Synchronization

/// Syncs of directories, each shared by all who wait for it.
///
/// The sync of a directory makes every name in it durable, whoever gave that name. Those who come while one is under
/// way may have given theirs too late for it, so they wait for the next one, which serves all of them: however many
/// files are finished in a directory at once, each waits for two syncs at most.
final class DirectorySyncs: Sendable {
    private struct Waiter {
        let directory: DirectoryHandle
        let completion: StorageCompletion
    }

    private let synchronize: @Sendable (DirectoryHandle) throws(StorageProblem) -> Void
    /// Who waits for the next sync of a directory. A directory is in here as long as a sync of it is under way.
    private let waiters = Mutex<[FileIdentity: [Waiter]]>([:])

    /// Creates syncs.
    ///
    /// - Parameter synchronize: makes the names in a directory durable.
    init(synchronize: @escaping @Sendable (DirectoryHandle) throws(StorageProblem) -> Void) {
        self.synchronize = synchronize
    }

    /// Calls `completion` when a sync of the directory has ended that began after this call.
    ///
    /// When none is under way this thread makes it, and those which others wait for by then; otherwise it returns at
    /// once. It is therefore called on a thread that may wait for a disk.
    func join(_ directory: DirectoryHandle, completion: @escaping StorageCompletion) {
        let identity = directory.identity
        let begins = waiters.withLock { waiters in
            let begins = waiters[identity] == nil
            waiters[identity, default: []].append(Waiter(directory: directory, completion: completion))
            return begins
        }
        if begins { serve(identity) }
    }

    /// Syncs for those who wait, again and again until nobody does.
    private func serve(_ identity: FileIdentity) {
        while let served = takeWaiters(identity), let first = served.first {
            let result: Result<Void, StorageProblem>
            do throws(StorageProblem) {
                result = .success(try synchronize(first.directory))
            } catch {
                result = .failure(error)
            }
            for waiter in served { waiter.completion(result) }
        }
    }

    /// Takes those who wait out of the line; `nil` when there are none, after which the next to come begins anew.
    private func takeWaiters(_ identity: FileIdentity) -> [Waiter]? {
        waiters.withLock { waiters in
            guard let waiting = waiters[identity], !waiting.isEmpty else {
                waiters[identity] = nil
                return nil
            }
            waiters[identity] = []
            return waiting
        }
    }
}
