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

    private struct Line {
        let identity: FileIdentity
        var waiters: [Waiter]
    }

    private let synchronize: @Sendable (DirectoryHandle) throws(StorageProblem) -> Void
    /// The callers that wait for the next sync of a directory. A directory has a line while a sync of it runs. Each of these
    /// has a thread, so they are few.
    private let lines = Mutex<[Line]>([])

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
        let waiter = Waiter(directory: directory, completion: completion)
        let begins = lines.withLock { lines in
            guard let index = lines.firstIndex(where: { $0.identity == identity }) else {
                lines.append(Line(identity: identity, waiters: [waiter]))
                return true
            }
            lines[index].waiters.append(waiter)
            return false
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
        lines.withLock { lines in
            guard let index = lines.firstIndex(where: { $0.identity == identity }) else { return nil }
            let waiting = lines[index].waiters
            if waiting.isEmpty {
                lines.remove(at: index)
                return nil
            }
            lines[index].waiters = []
            return waiting
        }
    }
}
