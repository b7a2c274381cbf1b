public import Ferry
public import GRDB
public import ServiceLifecycle

/// Takes work from an ``Outbox`` over into Ferry's store, in the order in which it was added.
///
/// Run it beside a `TransferEngine`, or beside a `TransferClient` if another process runs the transfers. Several drains, also
/// of several processes, may work on one table. A drain may be killed at any moment: each committed row becomes exactly one
/// transfer.
///
/// ```swift
/// let drain = OutboxDrain(from: database, into: engine)
/// try await withThrowingTaskGroup(of: Void.self) { group in
///     group.addTask { try await engine.run() }
///     group.addTask { try await drain.run() }
///     try await group.waitForAll()
/// }
/// ```
///
/// A row that cannot be taken over stays in the table, with the reason (``Outbox/refusals(in:limit:)``). It holds up no other
/// row, except those that come after it. Memory holds up to 200 rows, and little more than 4 MiB of work.
public struct OutboxDrain: Sendable {
    /// The interval at which it looks for rows that other processes have committed.
    static let interval: Duration = .milliseconds(250)

    private let database: any DatabaseWriter
    private let transfers: any TransferAccess
    private let retention: Retention
    private let onRefusal: @Sendable (OutboxRefusal) -> Void

    /// Creates a drain.
    ///
    /// - Parameters:
    ///   - database: the database of the application, with the table of an ``Outbox``.
    ///   - transfers: an engine or a client, whose store gets the transfers.
    ///   - retention: the shortest `EngineConfiguration.retention` of the engines of that store. A row that a drain began
    ///     to take over is refused if the store may have completed and forgotten its transfer since.
    ///   - onRefusal: called once for each row that is refused, after that was recorded.
    public init(
        from database: any DatabaseWriter,
        into transfers: any TransferAccess,
        retention: Retention = .standard,
        onRefusal: @escaping @Sendable (OutboxRefusal) -> Void = { _ in }
    ) {
        self.database = database
        self.transfers = transfers
        self.retention = retention
        self.onRefusal = onRefusal
    }

    /// Takes over the rows that are in the table, and those that are added meanwhile.
    ///
    /// - Returns: the number of rows that Ferry's store now has.
    /// - Throws: `DatabaseError` or `StoreError` when a database cannot be read or written; `CancellationError`. Rows that
    ///   were not taken over then stay in the table.
    @discardableResult
    public func takeOver() async throws -> Int {
        var count = 0
        while try await database.read({ try OutboxRow.areAny(in: $0) }) {
            let rows = try await database.writeWithoutTransaction { try OutboxRow.begin(in: $0) }
            let outcomes = try await OutboxTakeover.run(rows, into: transfers, retention: retention)
            try await database.write { try OutboxTakeover.settle(outcomes, in: $0) }
            for (row, outcome) in outcomes {
                switch outcome {
                case .taken: count += 1
                case .refused(let reason):
                    onRefusal(OutboxRefusal(id: row.id, uuid: row.uuidText, reason: reason))
                }
            }
        }
        return count
    }
}

extension OutboxDrain: Service {
    /// Takes over each row soon after its commit, until the task is cancelled or the service group shuts down.
    ///
    /// A commit of this process is noticed at once, one of another process within a quarter of a second. While another
    /// connection keeps the database locked, the drain waits.
    ///
    /// - Throws: as ``takeOver()``, except `CancellationError`.
    public func run() async throws {
        try await cancelWhenGracefulShutdown {
            do {
                try await watch()
            } catch is CancellationError {
                // It was asked to stop.
            }
        }
    }

    private func watch() async throws {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Without an observation the drain still notices each commit a moment later.
        let observation = DatabaseRegionObservation(tracking: Table("ferry_outbox"))
            .start(in: database, onError: { _ in wake.yield() }, onChange: { _ in wake.yield() })
        defer { observation.cancel() }
        wake.yield()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while true {
                    try await Task.sleep(for: Self.interval)
                    wake.yield()
                }
            }
            group.addTask {
                for await _ in wakes { try await takeOverUnlessBusy() }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func takeOverUnlessBusy() async throws {
        do {
            try await takeOver()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // The next look comes soon.
        }
    }
}
