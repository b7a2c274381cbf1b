import FerryCore
import Synchronization

/// The changes that a reader has not seen yet: each kind once, however often it occurred, and never displaced
/// by others.
///
/// A reader needs time for each change, and changes come in bursts.
final class PendingChanges: Sendable {
    private struct State {
        var hasWoken = false
        var haveRoutesChanged = false

        mutating func take() -> NetworkChange? {
            if hasWoken {
                hasWoken = false
                return .woke
            }
            guard haveRoutesChanged else { return nil }
            haveRoutesChanged = false
            return .routes
        }
    }

    private let state = Mutex(State())
    private let bell: AsyncStream<Void>.Continuation
    private let rings = Mutex<AsyncStream<Void>?>(nil)

    init() {
        let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.bell = bell
        self.rings.withLock { $0 = rings }
    }

    /// Records a change.
    func note(_ change: NetworkChange) {
        state.withLock { state in
            switch change {
            case .woke: state.hasWoken = true
            case .routes: state.haveRoutesChanged = true
            }
        }
        bell.yield()
    }

    /// Ends the stream.
    func finish() { bell.finish() }

    /// The pending changes, and then new ones; call it once.
    ///
    /// - Parameter end: called when there is no reader any more.
    func stream(whenOver end: @escaping @Sendable () -> Void) -> AsyncStream<NetworkChange> {
        let rings = rings.withLock { rings in
            defer { rings = nil }
            return rings
        }
        // Also called when the last reader has dropped the stream.
        bell.onTermination = { _ in end() }
        return AsyncStream(unfolding: { [self] in
            guard let rings else { return nil }
            if let change = state.withLock({ $0.take() }) { return change }
            for await _ in rings {
                if let change = state.withLock({ $0.take() }) { return change }
            }
            return state.withLock { $0.take() }
        })
    }
}
