import FerryCore
import Synchronization

/// The final names of the files that an engine fetches now.
///
/// A small file has no name before it is complete, so its part file tells no other transfer that its name is taken. Other
/// processes learn it when one of them publishes: a file is never published over another one unless that is asked for.
final class FinalNames: Sendable {
    private struct State {
        /// By the bytes of the path: two spellings of one character are two names.
        var owners: [[UInt8]: TransferID] = [:]
        var paths: [TransferID: [UInt8]] = [:]

        mutating func giveBack(of id: TransferID) {
            if let path = paths.removeValue(forKey: id) { owners[path] = nil }
        }
    }

    private let state = Mutex(State())

    /// Takes a name for a transfer, in place of the one that it has.
    ///
    /// - Returns: the other transfer that has the name; `nil` if none has it.
    func take(_ path: String, for id: TransferID) -> TransferID? {
        let path = Array(path.utf8)
        return state.withLock { state in
            let owner = state.owners[path]
            guard owner != id else { return nil }
            state.giveBack(of: id)
            guard owner == nil else { return owner }
            state.owners[path] = id
            state.paths[id] = path
            return nil
        }
    }

    /// Gives the name of a transfer back.
    func giveBack(of id: TransferID) {
        state.withLock { $0.giveBack(of: id) }
    }
}
