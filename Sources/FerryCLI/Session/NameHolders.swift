import Ferry

/// The transfers that have begun to write files, by the files' names.
///
/// It is read once and kept for a few seconds, because a list with thousands of taken names asks for each of them.
struct NameHolders: Sendable {
    /// Maximum transfers read.
    static let mostLookedThrough = 5_000
    /// How long a reading is valid.
    static let lifetime: Duration = .seconds(5)

    private var holders: [String: TransferID] = [:]
    private var looked: Instant?

    /// The transfer that had this name when it was last read, at most ``lifetime`` ago.
    mutating func holder(
        of path: String,
        at now: Instant,
        read: () async throws -> [String: TransferID]
    ) async throws -> TransferID? {
        if let looked, looked <= now, looked.duration(to: now) < Self.lifetime { return holders[path] }
        holders = try await read()
        looked = now
        return holders[path]
    }

    /// The names of files that were begun and are not complete.
    static func read(_ engine: some TransferAccess) async throws -> [String: TransferID] {
        var holders: [String: TransferID] = [:]
        for try await transfer in engine.transfers(.unfinishedOrFailed).prefix(mostLookedThrough) {
            if let path = transfer.finalPath, transfer.hasName(path) { holders[path] = transfer.id }
        }
        return holders
    }
}

extension Transfer {
    /// Whether it has begun a file with this final name, and may resume it.
    func hasName(_ path: String) -> Bool {
        state != .completed && state != .cancelled && partPath != nil && finalPath == path
    }
}
