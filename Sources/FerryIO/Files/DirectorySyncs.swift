import FerryCore
import Synchronization

/// Syncs of directories, each shared by all callers that wait for it.
///
/// Syncing a directory makes every name in it durable. A caller that arrives during a sync may have
/// created its name too late for it, so it waits for the next one, which serves all. However many files finish in
/// a directory at once, each waits for at most two syncs.
final class DirectorySyncs: Sendable {
    private struct Waiter {
        let directory: DirectoryHandle
        let completion: StorageCompletion
    }

    private let synchronize: @Sendable (DirectoryHandle) throws(StorageProblem) -> Void
    /// The callers that wait for the next sync of a directory. A directory has an entry while a sync of it
    /// runs.
    private let waiters = Mutex<[FileIdentity: [Waiter]]>([:])

    /// Creates syncs.
    ///
    /// - Parameter synchronize: makes the names in a directory durable.
    init(synchronize: @escaping @Sendable (DirectoryHandle) throws(StorageProblem) -> Void) {
        self.synchronize = synchronize
    }

    /// Calls `completion` after a sync of the directory that began after this call.
    ///
    /// If no sync is running, this thread runs it, and further ones for callers that arrive meanwhile.
    /// Otherwise it returns at once. So it must be called on a thread that may wait for a disk.
    func join(_ directory: DirectoryHandle, completion: @escaping StorageCompletion) {
        let identity = directory.identity
        let begins = waiters.withLock { waiters in
            let begins = waiters[identity] == nil
            waiters[identity, default: []].append(Waiter(directory: directory, completion: completion))
            return begins
        }
        if begins { serve(identity) }
    }

    /// Syncs repeatedly until no caller waits.
    private func serve(_ identity: FileIdentity) {
        while let served = takeWaiters(identity), let first = served.first {
            let result: Result<Void, StorageProblem>
            do throws(StorageProblem) {
                if let failure = first.directory.failedSync { throw failure }
                result = .success(try synchronize(first.directory))
            } catch {
                first.directory.noteFailedSync(error)
                result = .failure(error)
            }
            for waiter in served {
                waiter.completion(waiter.directory.failedSync.map { .failure($0) } ?? result)
            }
        }
    }

    /// Takes the waiting callers; `nil` if there are none, after which the next caller starts a new sync.
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
