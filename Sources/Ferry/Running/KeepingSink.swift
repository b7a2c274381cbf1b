import FerryCore
import Synchronization

/// Writes a body into a file, and keeps its first bytes in case the file cannot take them.
final class KeepingSink: ByteSink {
    /// What is kept of a body.
    struct Kept: Sendable {
        /// Its first bytes.
        var bytes: [UInt8] = []
        /// Whether these are all that came.
        var isWhole = true
    }

    private struct State {
        var kept = Kept()
        var problem: StorageProblem?
        var extent: Int64 = 0
    }

    /// The file; `nil` if it could not be created.
    let file: (any PartFile)?
    private let limit: Int
    private let state: Mutex<State>

    /// Creates a sink that keeps up to `limit` bytes.
    init(before file: any PartFile, limit: Int) {
        (self.file, self.limit) = (file, limit)
        state = Mutex(State())
    }

    /// Creates a sink without a file, because of a problem.
    init(inPlaceOf problem: StorageProblem, limit: Int) {
        (file, self.limit) = (nil, limit)
        state = Mutex(State(problem: problem))
    }

    /// What is kept.
    var kept: Kept { state.withLock { $0.kept } }

    /// Number of bytes that the file would have with all that came.
    var extent: Int64 { state.withLock { $0.extent } }

    /// Why the file does not have the body; `nil` if it has.
    var problem: StorageProblem? { state.withLock { $0.problem } }

    /// Writes into the file. After a failed write, only keeps the bytes.
    ///
    /// - Throws: ``StorageProblem`` as soon as neither the file nor the memory has all of the body.
    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        let count = bytes.byteCount
        let room = state.withLock { min(limit - $0.kept.bytes.count, count) }
        let first = bytes.extracting(first: room).withUnsafeBytes { Array($0) }
        let (known, isWhole) = state.withLock { state in
            state.kept.bytes += first
            state.extent = max(state.extent, offset + Int64(count))
            if room < count { state.kept.isWhole = false }
            return (state.problem, state.kept.isWhole)
        }
        var problem = known
        if problem == nil, let file {
            do throws(StorageProblem) {
                try file.write(bytes, at: offset)
            } catch {
                problem = error
                state.withLock { $0.problem = error }
            }
        }
        if let problem, !isWhole { throw problem }
    }
}
