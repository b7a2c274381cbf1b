import FerryCore
import GRDB
import Synchronization

/// Commits the writes of many callers together.
///
/// Writes that arrive during a commit, or while another process has the write lock, share the next
/// transaction, with one commit and one `fsync`. A failed write does not affect the others: the group runs
/// again, each write in its own savepoint. That is rare, and savepoints are expensive: SQLite copies every
/// page that changes within one. Everything but `submit` runs on the queue of the writing connection, where
/// blocking is allowed. Cancelling a caller does not undo its write.
final class CommitGroup: Sendable {
    private struct State {
        var waiting: [PendingWrite] = []
        var isScheduled = false
        var isClosed = false
    }

    /// Maximum writes in one transaction, so that no caller waits long for the others.
    static let largestGroup = 256

    private let connection: DatabaseQueue
    private let path: String
    private let lock: StoreLock
    private let schema: SchemaWatch
    private let log: LogKeeper
    /// Separate from the readers' codec, because each codec remembers the latest values.
    let codec: RowCodec
    private let localTime: LocalTime
    /// Why nothing may be written at all.
    private let refusal: StoreError?
    private let observe: @Sendable (StoreEvent) -> Void
    private let changed: @Sendable (OwnerID?) -> Void
    private let state = Mutex(State())
    /// The durability of the connection's commits; `nil` until it is set.
    private let synchronous = Mutex<Durability?>(nil)

    /// Creates a group that commits on `connection`.
    ///
    /// - Parameter changed: called after a commit that changed something, with the owner if only its attempts wrote.
    init(
        connection: DatabaseQueue,
        lock: StoreLock,
        schema: SchemaWatch,
        log: LogKeeper,
        damage: DamageLog = DamageLog(),
        localTime: LocalTime,
        refusal: StoreError? = nil,
        observe: @escaping @Sendable (StoreEvent) -> Void,
        changed: @escaping @Sendable (OwnerID?) -> Void
    ) {
        self.connection = connection
        self.path = connection.path
        self.lock = lock
        self.schema = schema
        self.log = log
        codec = RowCodec(damage: damage)
        self.localTime = localTime
        self.refusal = refusal
        self.observe = observe
        self.changed = changed
    }

    /// Runs a write in the next transaction and returns after its commit.
    ///
    /// - Parameter owner: the owner whose attempt writes.
    func write<Value: Sendable>(
        _ durability: Durability,
        by owner: OwnerID? = nil,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            let write = PendingWrite(durability, by: owner) { transaction in
                let value = try body(transaction)
                return { continuation.resume(returning: .success(value)) }
            } refuse: { error in
                continuation.resume(returning: .failure(error))
            }
            submit(write)
        }
        return try result.get()
    }

    /// Runs `body` between two commits, while this store has no lock.
    func betweenCommits(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            connection.asyncWriteWithoutTransaction { _ in
                body()
                continuation.resume()
            }
        }
    }

    /// Refuses further writes; submitted ones are still committed.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Commits the writes that still wait after `close`. Blocks; called on another queue than the connection's.
    func commitRest() {
        connection.inDatabase { db in
            while state.withLock({ !$0.waiting.isEmpty }) { commitNextGroup(db) }
        }
    }

    private enum Acceptance {
        case refused
        case accepted(waiting: Int, schedules: Bool)
    }

    private func submit(_ write: PendingWrite) {
        let acceptance: Acceptance = state.withLock { state in
            if refusal != nil || state.isClosed { return .refused }
            state.waiting.append(write)
            defer { state.isScheduled = true }
            return .accepted(waiting: state.waiting.count, schedules: !state.isScheduled)
        }
        switch acceptance {
        case .refused:
            write.finish(refusal ?? .unavailable(path: path, "it has been closed"))
        case .accepted(let waiting, let schedules):
            observe(.submitted(waiting: waiting))
            if schedules { schedule() }
        }
    }

    private func schedule() {
        connection.asyncWriteWithoutTransaction { [self] db in commitNextGroup(db) }
    }

    /// Commits the waiting writes. Schedules itself again for later ones, instead of looping, so that other
    /// processes and the close of the store get their turn.
    private func commitNextGroup(_ db: Database) {
        guard state.withLock({ !$0.waiting.isEmpty }) else { return scheduleIfNeeded() }
        do {
            try lock.take { observe(.waitingForLock) }
        } catch {
            for write in takeGroup() { write.finish(error) }
            return scheduleIfNeeded()
        }
        let group = takeGroup()
        var outcome = GroupOutcome(group)
        let changes = commit(&outcome, db)
        let isLogDue = log.becomesDue()
        // The next writer need not wait for the notifications, and callers need not wait for the log's
        // checkpoint.
        if !isLogDue { lock.release() }
        if changes { changed(outcome.attemptOwner) }
        outcome.tellCallers()
        if isLogDue {
            log.shorten(db, observe: observe)
            lock.release()
        }
        scheduleIfNeeded()
    }

    private func takeGroup() -> [PendingWrite] {
        state.withLock { state in
            let group = Array(state.waiting.prefix(Self.largestGroup))
            state.waiting.removeFirst(group.count)
            return group
        }
    }

    private func scheduleIfNeeded() {
        let schedules = state.withLock { state in
            state.isScheduled = !state.waiting.isEmpty
            return state.isScheduled
        }
        if schedules { schedule() }
    }

    /// Commits a group; returns whether it changed anything.
    private func commit(_ outcome: inout GroupOutcome, _ db: Database) -> Bool {
        let all = Array(outcome.writes.indices)
        let durability = outcome.writes.map(\.durability).max() ?? .process
        switch attempt(all, durability, &outcome, db) {
        case .committed(let changes):
            return changes
        case .interrupted:
            // One write has aborted the whole transaction, as on a full disk. The others may still succeed,
            // so each gets its own transaction.
            var changes = false
            for index in all {
                let single = attempt([index], outcome.writes[index].durability, &outcome, db)
                if case .committed(true) = single { changes = true }
            }
            return changes
        }
    }

    /// SQLite's number for `FULL`.
    private static let fullSynchronous = 2

    /// Sets how the next commits are synchronized; returns their durability according to SQLite.
    ///
    /// It cannot be changed inside a transaction. SQLite compiles these statements again each time, so they run only
    /// when something changes.
    private func synchronize(for durability: Durability, _ db: Database) throws -> Durability {
        let present = synchronous.withLock { known in
            defer {
                // Unknown until SQLite confirms it, because this call may fail halfway.
                if known != durability { known = nil }
            }
            return known
        }
        if let present, present == durability { return present }
        let setting = durability == .power ? "FULL" : "NORMAL"
        try db.cachedStatement(sql: "PRAGMA synchronous = \(setting)").execute()
        let number = try Int.fetchOne(try db.cachedStatement(sql: "PRAGMA synchronous")) ?? 0
        let latest: Durability = number >= Self.fullSynchronous ? .power : .process
        synchronous.withLock { $0 = latest }
        return latest
    }

    private enum Attempted {
        case committed(changes: Bool)
        case interrupted
    }

    private func attempt(
        _ indices: [Int],
        _ durability: Durability,
        _ outcome: inout GroupOutcome,
        _ db: Database,
        inSavepoints: Bool = false
    ) -> Attempted {
        do {
            let synchronous = try synchronize(for: durability, db)
            // GRDB would compile these again each time.
            try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
            try schema.check(db)
            let before = db.totalChangesCount
            let transaction = StoreTransaction(db, path: path, codec: codec, localTime: localTime)
            for index in indices {
                outcome.errors[index] = run(
                    outcome.writes[index],
                    in: transaction,
                    inSavepoint: inSavepoints
                )
                if !db.isInsideTransaction {
                    if indices.count > 1 { return .interrupted }
                    return .committed(changes: false)
                }
                if outcome.errors[index] != nil, indices.count > 1, !inSavepoints {
                    db.abandonTransaction()
                    return attempt(indices, durability, &outcome, db, inSavepoints: true)
                }
            }
            if transaction.durability > durability {
                // A transfer has become final, or a claim has recorded that a request is sent, so the commit must
                // survive power loss. That setting must precede the transaction, so it runs again. This is rare, as
                // when a wish meets the end of an attempt.
                db.abandonTransaction()
                return attempt(indices, .power, &outcome, db, inSavepoints: inSavepoints)
            }
            try transaction.recordTally()
            try transaction.recordNumber()
            let changes = db.totalChangesCount - before - transaction.invisibleChanges
            if indices.count == 1, outcome.errors[indices[0]] != nil {
                db.abandonTransaction()
                return .committed(changes: false)
            }
            try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
            observe(.committed(writes: indices.count, synchronous))
            return .committed(changes: changes > 0)
        } catch {
            abandon(indices, because: error, &outcome, db)
            return .committed(changes: false)
        }
    }

    /// Runs one write. Returns its error, after which the transaction contains nothing of it.
    private func run(
        _ write: PendingWrite,
        in transaction: StoreTransaction,
        inSavepoint: Bool
    ) -> StoreError? {
        let db = transaction.db
        transaction.touchedLines = []
        let tally = transaction.tally
        do {
            if inSavepoint { try db.cachedStatement(sql: "SAVEPOINT one_write").execute() }
            try write.run(in: transaction)
            try transaction.recordHeads()
            if inSavepoint { try db.cachedStatement(sql: "RELEASE one_write").execute() }
            return nil
        } catch {
            transaction.tally = tally
            transaction.joined = []
            transaction.ties.forget()
            if inSavepoint, db.isInsideTransaction { rollBackSavepoint(db) }
            return StoreError(error, path: path, isWriting: true)
        }
    }

    private func rollBackSavepoint(_ db: Database) {
        do {
            try db.cachedStatement(sql: "ROLLBACK TO one_write").execute()
            try db.cachedStatement(sql: "RELEASE one_write").execute()
        } catch {
            // The savepoint could not be rolled back, so nothing of this transaction may be kept. The caller
            // sees that the transaction is over and runs the others again.
            db.abandonTransaction()
        }
    }

    private func abandon(
        _ indices: [Int],
        because error: any Error,
        _ outcome: inout GroupOutcome,
        _ db: Database
    ) {
        db.abandonTransaction()
        let error = StoreError(error, path: path, isWriting: true)
        for index in indices { outcome.errors[index] = error }
    }
}

/// A group of writes and the result of each.
struct GroupOutcome {
    /// The writes.
    let writes: [PendingWrite]
    /// The error of each; `nil` for a committed one.
    var errors: [StoreError?]

    /// The owner, if only its attempts have written.
    var attemptOwner: OwnerID? {
        let owner = writes.first?.attemptOwner
        return writes.allSatisfy { $0.attemptOwner == owner } ? owner : nil
    }

    /// Creates a group that has not run yet.
    init(_ writes: [PendingWrite]) {
        self.writes = writes
        errors = Array(repeating: nil, count: writes.count)
    }

    /// Tells every caller the result of its write.
    func tellCallers() {
        for (write, error) in zip(writes, errors) { write.finish(error) }
    }
}
