/// The columns of a transfer that make up a ``TransferRow``, in the order in which they are selected.
enum TransferColumn: Int, CaseIterable, StoredColumn {
    case id, kind, uuid, type, tag, payload
    case queue, priority, host, url, directory, name, stream, options, timeWindow, notAfter, runsInBackground
    case state, condition, wakeAt, needed, runnable, owner, token, attempts, attemptStarted, wish, forQueue
    case failure, latestFailure, finished
    case deaths, bestReceived, receivedAtDeath, unknownHosts, isLeft, leftRetryAt
    case details, segments, body, responseBody
    case added, updated, needs
    case revision

    var position: Int { rawValue }

    /// Selects all columns of transfers in the table `transfer`.
    static let fromTransfer = """
        SELECT \(allCases.map(\.ofTransfer).joined(separator: ", ")) FROM transfer
        LEFT JOIN work ON work.id = transfer.id LEFT JOIN progress ON progress.transfer = transfer.id
        """

    /// Selects the columns that are not in `work`; the others are NULL.
    static let place = """
        SELECT \(allCases.map { $0.isOfWork ? "NULL" : $0.ofTransfer }.joined(separator: ", ")) FROM transfer
        LEFT JOIN progress ON progress.transfer = transfer.id
        """

    /// Selects all columns of transfers in the table `ended`, and of those that have a row only in `work`. Only another
    /// program leaves such a row.
    static let fromEnded = """
        SELECT \(allCases.map(\.ofEnded).joined(separator: ", ")) FROM work
        LEFT JOIN ended ON ended.id = work.id LEFT JOIN progress ON progress.transfer = work.id
        """

    /// The name in the table, in snake case.
    var name: String { Self.names[rawValue] }

    /// They are not made from the names of the cases: to print a case, Swift first examines every conformance of the program.
    private static let names = [
        "id", "kind", "uuid", "type", "tag", "payload",
        "queue", "priority", "host", "url", "directory", "name", "stream", "options", "time_window",
        "not_after", "runs_in_background",
        "state", "condition", "wake_at", "needed", "runnable", "owner", "token", "attempts",
        "attempt_started", "wish", "for_queue",
        "failure", "latest_failure", "finished",
        "deaths", "best_received", "received_at_death", "unknown_hosts", "is_left", "left_retry_at",
        "details", "segments", "body", "response_body",
        "added", "updated", "needs",
        "revision",
    ]

    /// The table that has the column, for a transfer in the table `transfer`.
    private enum Home { case transfer, work, payload, progress, dependency }

    private var home: Home {
        switch self {
        case .kind, .uuid, .type, .tag, .url, .directory, .name, .stream, .options, .added, .body: .work
        case .payload: .payload
        case .details, .segments, .responseBody: .progress
        case .needs: .dependency
        case .id, .queue, .priority, .host, .timeWindow, .notAfter, .runsInBackground, .state, .condition,
            .wakeAt, .needed, .runnable, .owner, .token, .attempts, .attemptStarted, .wish, .forQueue,
            .failure,
            .latestFailure, .finished, .deaths, .bestReceived, .receivedAtDeath, .unknownHosts, .isLeft,
            .leftRetryAt, .updated, .revision:
            .transfer
        }
    }

    /// Whether it belongs to the request.
    private var isOfWork: Bool { home == .work || home == .payload }

    private var ofTransfer: String {
        switch home {
        case .transfer: "transfer.\(name)"
        case .work: "work.\(name)"
        case .payload: Self.payload(of: "transfer.id")
        case .progress: "progress.\(name)"
        case .dependency:
            // Usually a transfer has no dependencies, and then the query reads no other table.
            """
            CASE WHEN condition = 'dependency' OR state IN ('paused', 'failed') THEN
                (SELECT group_concat(needs) FROM dependency WHERE dependency.transfer = transfer.id)
            END AS needs
            """
        }
    }

    private var ofEnded: String {
        switch self {
        case .id, .kind, .uuid, .type, .tag, .url, .directory, .name, .stream, .options, .added, .body:
            "work.\(name)"
        case .details, .segments, .responseBody: "progress.\(name)"
        case .payload: Self.payload(of: "work.id")
        case .host: "'' AS host"
        case .runsInBackground, .runnable, .token, .forQueue, .isLeft, .revision: "0 AS \(name)"
        case .timeWindow, .notAfter, .condition, .wakeAt, .needed, .owner, .wish, .failure, .leftRetryAt,
            .needs:
            "NULL AS \(name)"
        case .queue, .priority, .state, .attempts, .attemptStarted, .latestFailure, .finished, .deaths,
            .bestReceived, .receivedAtDeath, .unknownHosts, .updated:
            "ended.\(name)"
        }
    }

    private static func payload(of id: String) -> String {
        "(SELECT bytes FROM payload WHERE payload.transfer = \(id)) AS payload"
    }
}
