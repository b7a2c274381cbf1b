internal import FerryCore
internal import NIOCore

/// Decides whether an event loop writes the parts of a body itself.
///
/// Otherwise a thread for I/O writes them, because a disk that stalls must not stall other connections. But then each byte
/// moves from the cache of one processor to that of another. On some processors this costs as much as the two copies
/// that every download needs. So the loop writes where it harms nothing: for the only exchange, to a sink that is quick. The
/// first write that takes long is the last one on the loop.
struct LoopWriting {
    /// How long a write on the loop may take. A thread that waits for its turn at a busy processor takes less.
    static let longestWrite = TimeAmount.milliseconds(100)

    /// Whether the sink is quick, once it was asked; `false` also after a write that took long.
    private var isQuick: Bool?

    /// Whether the loop may write the next part.
    ///
    /// - Parameter isAlone: whether no other exchange is running.
    mutating func isAllowed(to sink: any ByteSink, isAlone: @autoclosure () -> Bool) -> Bool {
        guard isQuick != false, isAlone() else { return false }
        let answer = isQuick ?? sink.isQuick
        isQuick = answer
        return answer
    }

    /// The loop has written.
    mutating func took(_ time: TimeAmount) {
        if time > Self.longestWrite { isQuick = false }
    }
}
