import Ferry
import FerryFrontend

/// Transfers kept for processes that nothing shows to be alive or dead.
struct KeptTransfers: Sendable {
    /// A line for each of the first ones, with the command to type.
    private(set) var lines: [String] = []
    /// Number of further ones.
    private var others = 0

    /// Maximum transfers named one by one.
    static let mostNamed = 5

    /// Creates an empty set.
    init() {}

    /// Finds the transfers of such processes in the store.
    init(_ engine: some TransferAccess, owners: OwnerDirectory) async throws {
        guard owners.hasUnproved else { return }
        var kept = KeptTransfers()
        for try await transfer in engine.transfers(.unfinished) { kept.take(transfer, owners) }
        self = kept
    }

    /// Notes a transfer if it is one of them.
    mutating func take(_ transfer: Transfer, _ owners: OwnerDirectory) {
        guard let line = Self.line(transfer, owners) else { return }
        if lines.count < Self.mostNamed { lines.append(line) } else { others += 1 }
    }

    /// Whether there are none.
    var isEmpty: Bool { lines.isEmpty }

    /// A line for each, and one for those beyond the maximum.
    var allLines: [String] {
        guard others > 0 else { return lines }
        return lines + [
            "\(others) more are kept for such processes; `ferry resume --take-over` lists unfinished transfers and asks."
        ]
    }

    /// The line for a kept transfer; `nil` for any other.
    static func line(_ transfer: Transfer, _ owners: OwnerDirectory) -> String? {
        owners.unprovedOwner(of: transfer).map { owner in
            "\(transfer.displayName) is kept for \(name(owner)); nothing shows whether that process still runs. "
                + "If it is gone, `ferry resume --take-over \(transfer.id)` resumes the transfer."
        }
    }

    /// The process, described so that a person can find it.
    static func name(_ owner: Owner) -> String {
        "process \(owner.process.pid) of another container, started at \(SystemTime.local(owner.joined))"
    }
}
