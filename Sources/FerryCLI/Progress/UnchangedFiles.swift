import Ferry
import FerryFrontend
import Synchronization

/// Counts the files that the server has no other version of. A command that asks about very many prints one line for all.
final class UnchangedFiles: Sendable {
    private struct State {
        var count = 0
        /// The name of the first one.
        var example: String?
    }

    private let state = Mutex(State())

    /// Takes an announcement that needs no line of its own.
    ///
    /// - Returns: `false` for any other announcement.
    func take(_ announcement: Announcement) -> Bool {
        let transfer = announcement.transfer
        switch announcement.news {
        // Most such files are up to date. For any other, the end has a line.
        case .added: return transfer.asksForAnotherVersion
        case .note(let note): return note.code == .upToDate
        case .attached, .progress: return false
        case .state:
            guard transfer.isUpToDate else { return false }
            state.withLock { state in
                state.count += 1
                state.example = state.example ?? transfer.displayName
            }
            return true
        }
    }

    /// What was counted since the last call, in a line; `nil` for nothing.
    func takeLine() -> String? {
        let (count, example) = state.withLock { state in
            defer { state = State() }
            return (state.count, state.example)
        }
        guard let example else { return nil }
        guard count > 1 else { return "The server has no other version of \(example)." }
        return "The server has no other version of \(count) files, such as \(example). -v lists them."
    }
}
