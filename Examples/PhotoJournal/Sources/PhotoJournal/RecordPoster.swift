import Ferry
import Foundation

/// Posts the record of each photo when its upload has completed, because the record needs the ID that the server gave.
struct RecordPoster {
    let journal: Journal
    let engine: TransferEngine

    /// A transfer of the journal has failed for good.
    struct Failed: Error, CustomStringConvertible {
        let photo: String
        let failure: TransferFailure

        var description: String { "\(photo): \(failure.message)" }
    }

    /// What the server answers to an upload.
    private struct Receipt: Decodable {
        var id: String
    }

    /// Returns when the server has all photos and all records.
    func postAll() async throws {
        // Listens from now on, so that no change is missed between a look and the wait.
        var changes = engine.changes().makeAsyncIterator()
        while try await postSome() > 0 { _ = await changes.next() }
    }

    /// Looks at each entry once.
    ///
    /// - Returns: the number of entries that are not done.
    private func postSome() async throws -> Int {
        var open = 0
        for entry in try await journal.entries() {
            guard try await response(to: entry.record, of: entry) == nil else { continue }
            open += 1
            guard entry.record == nil, let response = try await response(to: entry.upload, of: entry) else {
                continue
            }
            let receipt = try JSONDecoder().decode(Receipt.self, from: Data(response.body))
            try await journal.post(entry, photoID: receipt.id)
            print("\(entry.photo): uploaded as \(receipt.id)")
        }
        return open
    }

    /// The response to a transfer; `nil` while there is none.
    private func response(to uuid: String?, of entry: Journal.Entry) async throws -> StoredResponse? {
        guard let uuid = uuid.flatMap({ TransferUUID($0) }),
            let transfer = try await engine.find(uuid: uuid)
        else { return nil }
        if case .failed(let failure) = transfer.state { throw Failed(photo: entry.photo, failure: failure) }
        return transfer.state == .completed ? transfer.response : nil
    }
}
