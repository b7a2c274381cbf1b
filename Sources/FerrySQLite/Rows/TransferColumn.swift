/// The columns of a transfer that make up a ``TransferRow``, in the order in which they are selected.
enum TransferColumn: Int, CaseIterable, StoredColumn {
    case id, kind, uuid, tag, payload
    case queue, priority, host, url, directory, name, stream, options, timeWindow
    case state, condition, wakeAt, needed, runnable, owner, token, attempts, wish, forQueue
    case failure, latestFailure, finished
    case deaths, bestReceived, receivedAtDeath, unknownHosts, isLeft, leftRetryAt
    case checkpoint, segments, note
    case added, updated, needs

    var position: Int { rawValue }

    /// The select list of all columns.
    static let selection = allCases.map(\.sql).joined(separator: ", ")

    private var sql: String {
        switch self {
        case .needs:
            // Usually there are none, and the query reads no other table.
            """
            CASE WHEN condition = 'dependency' OR state IN ('paused', 'failed') THEN
                (SELECT group_concat(needs) FROM dependency WHERE dependency.transfer = transfer.id)
            END AS needs
            """
        case .payload: "(SELECT bytes FROM payload WHERE payload.transfer = transfer.id) AS payload"
        default: name
        }
    }

    /// The name in the table, in snake case.
    var name: String {
        "\(self)".reduce(into: "") { name, letter in
            name += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
        }
    }
}
