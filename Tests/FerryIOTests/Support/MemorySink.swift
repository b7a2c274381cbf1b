import FerryCore
import FerryTesting
import NIOPosix

/// A sink in memory that can be told to block or to fail.
final class MemorySink: ByteSink {
    private struct State {
        var bytes: [UInt8] = []
        var writes = 0
        var writesOnLoops = 0
        var isWriting = false
        var overlapped = false
    }

    private let state = Watched(State())
    private let failure: StorageProblem?
    private let failsAt: Int64
    private let gate: ThreadGate?
    let isQuick: Bool

    /// - Parameters:
    ///   - failsAt: the write that would reach this offset fails with `failure`.
    ///   - gate: where each write waits until it is opened.
    ///   - isQuick: whether an event loop may write.
    init(
        failsAt: Int64 = .max,
        failure: StorageProblem? = nil,
        gate: ThreadGate? = nil,
        isQuick: Bool = false
    ) {
        self.failsAt = failsAt
        self.failure = failure
        self.gate = gate
        self.isQuick = isQuick
    }

    /// Everything written, zeros where nothing was.
    var bytes: [UInt8] { state.withLock { $0.bytes } }
    /// How many writes there were.
    var writes: Int { state.withLock { $0.writes } }
    /// How many of them an event loop made.
    var writesOnLoops: Int { state.withLock { $0.writesOnLoops } }
    /// Whether a write is under way.
    var isWriting: Bool { state.withLock { $0.isWriting } }
    /// Whether two writes were ever under way at once.
    var overlapped: Bool { state.withLock { $0.overlapped } }

    /// Waits until that many bytes were written.
    func waitForBytes(_ count: Int) async throws {
        try await state.wait { $0.bytes.count >= count }
    }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        state.withLock { state in
            if state.isWriting { state.overlapped = true }
            state.isWriting = true
        }
        gate?.pass()
        let copy = bytes.withUnsafeBytes { Array($0) }
        let end = offset + Int64(copy.count)
        let fails = end > failsAt
        state.withLock { state in
            state.isWriting = false
            state.writes += 1
            if MultiThreadedEventLoopGroup.currentEventLoop != nil { state.writesOnLoops += 1 }
            guard !fails else { return }
            let missing = Int(end) - state.bytes.count
            if missing > 0 { state.bytes += [UInt8](repeating: 0, count: missing) }
            state.bytes.replaceSubrange(Int(offset)..<Int(end), with: copy)
        }
        if fails, let failure { throw failure }
    }
}
