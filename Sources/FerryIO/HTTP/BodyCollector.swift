internal import NIOCore
internal import Synchronization

/// Keeps the first bytes of a body in memory.
final class BodyCollector: BodyConsumer {
    /// The collected bytes.
    let bytes = AwaitedResult<[UInt8]>()
    private let bound: Int
    private let collected = Mutex<[UInt8]>([])

    init(bound: Int) {
        self.bound = max(0, bound)
    }

    func accept(_ part: ByteBuffer, on loop: any EventLoop) -> BodyDemand {
        let isFull = collected.withLock { collected in
            collected.append(contentsOf: part.readableBytesView.prefix(bound - collected.count))
            return collected.count == bound
        }
        // A body longer than the bound may never end, so do not wait for its end.
        guard isFull else { return .more }
        end()
        return .enough
    }

    func end() {
        bytes.resolve(.success(collected.withLock { $0 }))
    }

    func fail(_ error: any Error) {
        bytes.resolve(.failure(error))
    }
}

/// The rest of a body is not wanted; its connection is closed.
struct BodyNotWanted: Error {}
