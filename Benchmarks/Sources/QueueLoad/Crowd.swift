import FerryCore
import FerrySQLite

/// What a great many transfers are that stand in one store, and what of them may run.
enum Crowd: String, CaseIterable {
    /// One queue without bounds, a few hosts.
    case even
    /// The first nine tenths go to one host that has as many running as it may.
    case fullHost
    /// The first nine tenths stand in a queue that has as many running as it may.
    case fullQueue
    /// A host of its own for each.
    case manyHosts

    /// The transfer with a number, counted from 0.
    func transfer(_ number: Int, of count: Int) throws -> NewTransfer {
        let isInFront = number < count / 10 * 9
        let host =
            switch self {
            case .fullHost where isInFront: "full.example"
            case .manyHosts: "host-\(number).example"
            case .even, .fullHost, .fullQueue: "host-\(number % 7).example"
            }
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://\(host)/files/\(number).bin"),
            destination: .file(directory: "/srv", name: nil)
        )
        let isInFullQueue = self == .fullQueue && isInFront
        return NewTransfer(specification, queue: isInFullQueue ? "full" : NewTransfer.defaultQueue)
    }

    /// Lets what stands in front run as much as it may, so that claims have to pass it over.
    func fillSlots(_ store: SQLiteTransferStore, for owner: OwnerID) async throws {
        var edit = QueueEdit()
        switch self {
        case .even, .manyHosts:
            return
        case .fullHost:
            edit.perHost = 8
            _ = try await store.edit(queue: NewTransfer.defaultQueue, edit, at: QueueLoad.now)
        case .fullQueue:
            edit.slots = 8
            _ = try await store.edit(queue: "full", edit, at: QueueLoad.now)
        }
        let running = try await store.claim(upTo: 8, only: nil, for: owner, at: QueueLoad.now)
        precondition(!running.isEmpty, "nothing stands in front")
    }
}
