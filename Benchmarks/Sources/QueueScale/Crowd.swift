import FerryCore
import FerrySQLite

/// What a great many transfers are that stand in one store.
enum Crowd: String, CaseIterable {
    /// One queue without bounds, a few hosts.
    case plain
    /// The first nine tenths go to a host that has enough running.
    case fullHost
    /// The first nine tenths stand in a queue whose slots are taken.
    case fullQueue
    /// A host of its own for each.
    case manyHosts
    /// A hundred queues.
    case manyQueues

    /// The transfer with a number.
    func transfer(_ number: Int, of count: Int) throws -> NewTransfer {
        let isInFront = number < count / 10 * 9
        let host =
            switch self {
            case .fullHost where isInFront: "full.example"
            case .manyHosts: "host-\(number).example"
            case .plain, .fullHost, .fullQueue, .manyQueues: "host-\(number % 7).example"
            }
        let queue =
            switch self {
            case .fullQueue where isInFront: "full"
            case .manyQueues: "queue-\(number % 100)"
            case .plain, .fullHost, .fullQueue, .manyHosts: NewTransfer.defaultQueue
            }
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://\(host)/files/\(number).bin"),
            destination: .file(directory: "/srv", name: nil)
        )
        return NewTransfer(specification, queue: queue, priority: number % 3)
    }

    /// Lets what stands in front run as much as it may.
    func prepare(_ store: SQLiteTransferStore, _ owner: OwnerID) async throws {
        var edit = QueueEdit()
        switch self {
        case .plain, .manyHosts, .manyQueues: return
        case .fullHost:
            edit.perHost = 8
            _ = try await store.edit(queue: NewTransfer.defaultQueue, edit, at: QueueScale.now)
            _ = try await store.claim(upTo: 8, only: nil, for: owner, at: QueueScale.now)
        case .fullQueue:
            edit.isPaused = true
            _ = try await store.edit(queue: NewTransfer.defaultQueue, edit, at: QueueScale.now)
            _ = try await store.claim(upTo: 20, only: nil, for: owner, at: QueueScale.now)
            edit.isPaused = false
            _ = try await store.edit(queue: NewTransfer.defaultQueue, edit, at: QueueScale.now)
        }
    }
}
