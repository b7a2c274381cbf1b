import FerryCore

/// The updates of some transfers, coalesced. A slow observer gets the latest update of each transfer and every note,
/// never a backlog. No final state is lost.
public struct TransferUpdates: AsyncSequence, Sendable {
    enum Source: Sendable {
        case engine(UpdateBuffer)
        case store(TransferClient, Set<TransferID>)
    }

    let source: Source

    /// Iterates over updates until the task is cancelled or the engine has stopped.
    public struct AsyncIterator: AsyncIteratorProtocol {
        enum Place {
            case engine(UpdateBuffer)
            case store(StoreReader)
        }

        var place: Place

        /// The next update; `nil` when there will be no more.
        public mutating func next() async -> TransferUpdate? {
            switch place {
            case .engine(let buffer): return await buffer.next()
            case .store(var reader):
                let update = await reader.next()
                place = .store(reader)
                return update
            }
        }
    }

    /// Starts iterating. Only one iterator at a time gets updates.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .engine(let buffer): AsyncIterator(place: .engine(buffer))
        case .store(let client, let ids): AsyncIterator(place: .store(StoreReader(client, ids)))
        }
    }
}

/// Reads the rows of some transfers whenever the store changes, for an observer without an engine.
struct StoreReader {
    private let client: TransferClient
    private var changes: AsyncStream<Void>.AsyncIterator
    /// The transfers that may still change.
    private var rest: [TransferID]
    private var known: [TransferID: Transfer] = [:]
    private var news: [TransferUpdate] = []

    init(_ client: TransferClient, _ ids: Set<TransferID>) {
        self.client = client
        // Listens from now on, so that no change is missed between the first reading and the first wait.
        changes = client.store.changes().makeAsyncIterator()
        rest = ids.sorted()
    }

    /// The next update; `nil` when all transfers have ended or are gone, the store is closed, or the task is cancelled.
    mutating func next() async -> TransferUpdate? {
        var isFirst = known.isEmpty
        while news.isEmpty {
            guard !rest.isEmpty, !Task.isCancelled else { return nil }
            if !isFirst {
                guard await changes.next() != nil else { return nil }
            }
            isFirst = false
            // If the store cannot be read, the call that asks for the row gets the error.
            guard await read() else { return nil }
        }
        return news.removeFirst()
    }

    private mutating func read() async -> Bool {
        var unfinished: [TransferID] = []
        for page in rest.pages {
            let rows: [Transfer?]
            do {
                rows = try await client.store.transfers(page)
            } catch {
                return false
            }
            for case let transfer? in rows {
                if known[transfer.id] != transfer {
                    known[transfer.id] = transfer
                    news.append(TransferUpdate(transfer: transfer, progress: transfer.recordedProgress))
                }
                if !transfer.state.isFinal { unfinished.append(transfer.id) }
            }
        }
        rest = unfinished
        return true
    }
}
