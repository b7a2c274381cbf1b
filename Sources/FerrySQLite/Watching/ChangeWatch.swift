import Dispatch
import FerryCore
import GRDB
import Synchronization

/// Tells listeners that the store may have changed: at once after a write of this store, and within one
/// interval after a write of another connection or process.
///
/// `PRAGMA data_version` of a connection changes when another connection commits. It is polled only while there are
/// listeners. The connection is its own, so that no long read delays a poll. The first poll opens it, so a command that is
/// over before opens none.
final class ChangeWatch: Sendable {
    private struct State {
        var listeners = ChangeListeners()
        /// The connection and its version at the latest poll; `nil` before the first one.
        var latest: (connection: DatabaseQueue, version: Int64)?
        var timer: (any DispatchSourceTimer)?
        var isClosed = false
    }

    /// The interval between two polls, in milliseconds.
    static let interval = 150

    private let path: String
    private let queue = DispatchQueue(label: "ferry.store.changes")
    private let state = Mutex(State())

    /// Creates a watch of an open database.
    init(path: String) {
        self.path = path
    }

    /// Whether the watch is polling.
    var isPolling: Bool {
        state.withLock { $0.timer != nil }
    }

    /// Whether its connection is open.
    var isConnected: Bool {
        state.withLock { $0.latest != nil }
    }

    /// A stream of changes, beginning now.
    ///
    /// - Parameter owner: an owner whose own attempts do not count.
    func changes(besides owner: OwnerID?) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state -> Int? in
            if state.isClosed { return nil }
            if state.timer == nil { state.timer = startedTimer() }
            return state.listeners.add(continuation, besides: owner)
        }
        if let number {
            continuation.onTermination = { [weak self] _ in self?.remove(number) }
        } else {
            continuation.finish()
        }
        return stream
    }

    /// Tells the listeners that something has changed.
    ///
    /// - Parameter owner: the owner whose attempts made the change; `nil` if others made it, too.
    func signal(by owner: OwnerID? = nil) {
        for listener in state.withLock({ $0.listeners.all(besides: owner) }) { listener.yield() }
    }

    /// Ends every stream, and closes the connection.
    func close() throws {
        let (listeners, timer) = state.withLock { state in
            defer {
                state.timer = nil
                state.isClosed = true
            }
            return (state.listeners.removeAll(), state.timer)
        }
        timer?.cancel()
        for listener in listeners { listener.finish() }
        // The latest poll may still be using the connection, or opening it.
        queue.sync {}
        try state.withLock { $0.latest?.connection }?.close()
    }

    private func remove(_ number: Int) {
        let timer = state.withLock { state -> (any DispatchSourceTimer)? in
            state.listeners.remove(number)
            guard state.listeners.isEmpty else { return nil }
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    private func startedTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = DispatchTimeInterval.milliseconds(Self.interval)
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(20))
        timer.setEventHandler { [weak self] in self?.poll() }
        timer.activate()
        return timer
    }

    private func poll() {
        guard state.withLock({ !$0.isClosed }) else { return }
        do {
            // Nothing tells who has written: the attempts of an owner that hears nothing of them may be among it.
            if try hasChanged() { signal() }
        } catch {
            // It is unknown whether something has changed, so listeners must read. Their reads report the error.
            signal()
        }
    }

    /// Whether another connection may have committed since the latest call.
    private func hasChanged() throws -> Bool {
        guard let latest = state.withLock({ $0.latest }) else {
            let connection = try DatabaseQueue(path: path, configuration: StoreConnections.reading)
            let version = try Self.version(connection)
            state.withLock { $0.latest = (connection, version) }
            // A new connection does not know what was committed before it was opened.
            return true
        }
        let version = try Self.version(latest.connection)
        state.withLock { $0.latest = (latest.connection, version) }
        return version != latest.version
    }

    private static func version(_ connection: DatabaseQueue) throws -> Int64 {
        try connection.unsafeRead { db in
            try Int64.fetchOne(try db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
        }
    }
}
