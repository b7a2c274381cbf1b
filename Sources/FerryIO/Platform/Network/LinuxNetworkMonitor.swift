#if os(Linux)
internal import Dispatch
package import FerryCore
internal import Synchronization

/// The routes of this machine, as Linux reports them over netlink (rtnetlink(7)), in this process's network
/// namespace.
///
/// Opens nothing before the first request, and never blocks the caller. Without netlink, every host is
/// ``Reachability/unknown``, and there are no changes.
package final class LinuxNetworkMonitor: NetworkMonitor {
    private struct State {
        var listeners: [Int: PendingChanges] = [:]
        var latest = 0
        var lookups = 0
        var isShutDown = false
    }

    /// Maximum time for a name to resolve, and for the kernel to answer.
    static let patience: DispatchTimeInterval = .seconds(1)
    /// Maximum concurrent lookups: one whose server does not answer keeps a thread for long.
    static let lookupLimit = 4

    private let state = Mutex(State())
    private let routes = DispatchQueue(label: "ferry.routes")

    /// Creates a monitor; nothing is opened yet.
    package init() {}

    /// Changes of links, addresses and routes, and the ends of suspensions.
    package func changes() -> AsyncStream<NetworkChange> {
        let pending = PendingChanges()
        guard let listener = NetworkListener(telling: { pending.note($0) }) else {
            pending.finish()
            return pending.stream {}
        }
        let number = state.withLock { state -> Int? in
            guard !state.isShutDown else { return nil }
            state.latest += 1
            state.listeners[state.latest] = pending
            return state.latest
        }
        if number == nil { pending.finish() }
        return pending.stream { [weak self] in
            listener.stop()
            guard let number else { return }
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
    }

    /// The routes to all addresses of a host.
    package func reachability(of host: String) async -> Reachability {
        if let address = IPAddress(host) { return await reachability(of: [address]) }
        let addresses = await addresses(of: host)
        if !addresses.isEmpty { return await reachability(of: addresses) }
        // Name servers may be anywhere, so any default route may reach them.
        let hasWayOut = await find(otherwise: nil) { $0.hasWayOut(everywhere: true) }
        return hasWayOut == false ? .noRoute : .unknown
    }

    /// Whether each route is still the same.
    package func stand(_ known: [NetworkRoute]) async -> Bool {
        await find(otherwise: true) { finder in
            for route in known where !finder.stands(route) { return false }
            return true
        }
    }

    /// Whether any route leads beyond this machine.
    package func isOnline() async -> Bool? {
        await find(otherwise: nil) { $0.hasWayOut(everywhere: false) }
    }

    /// Ends the changes.
    package func shutdown() async {
        let listeners = state.withLock { state in
            state.isShutDown = true
            defer { state.listeners = [:] }
            return state.listeners.values.map { $0 }
        }
        for listener in listeners { listener.finish() }
    }

    // MARK: Questions

    private func reachability(of addresses: [IPAddress]) async -> Reachability {
        await find(otherwise: .unknown) { $0.reachability(of: addresses) }
    }

    private func addresses(of host: String) async -> [IPAddress] {
        let mayLook = state.withLock { state in
            guard state.lookups < Self.lookupLimit else { return false }
            state.lookups += 1
            return true
        }
        guard mayLook else { return [] }
        return await ask(otherwise: []) { answer in
            let lookUp: @Sendable () -> Void = {
                var addresses: [IPAddress] = []
                if case .found(let found) = Platform.lookUp(host) { addresses = found }
                self.state.withLock { $0.lookups -= 1 }
                answer.give(addresses)
            }
            if !DetachedThread.run(lookUp) { DispatchQueue.global().async(execute: lookUp) }
        }
    }

    /// Asks the kernel; returns `otherwise` without netlink, when it takes too long, and when the task is cancelled.
    private func find<Value: Sendable>(
        otherwise: Value,
        _ question: @escaping @Sendable (inout RouteFinder) -> Value
    ) async -> Value {
        await ask(otherwise: otherwise) { answer in
            routes.async {
                do {
                    var finder = try RouteFinder()
                    answer.give(question(&finder))
                } catch {
                    answer.give(otherwise)
                }
            }
        }
    }

    private func ask<Value: Sendable>(
        otherwise: Value,
        _ begin: (LateAnswer<Value>) -> Void
    ) async -> Value {
        let answer = LateAnswer<Value>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.await(continuation, otherwise: otherwise)
                begin(answer)
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
                    answer.give(otherwise)
                }
            }
        } onCancel: {
            answer.give(otherwise)
        }
    }
}

/// An answer that is given once; later ones are dropped.
private final class LateAnswer<Value: Sendable>: Sendable {
    private enum State {
        case unasked
        case awaited(CheckedContinuation<Value, Never>)
        case given
    }

    private let state = Mutex(State.unasked)

    func await(_ continuation: CheckedContinuation<Value, Never>, otherwise: Value) {
        let isGiven = state.withLock { state in
            if case .given = state { return true }
            state = .awaited(continuation)
            return false
        }
        if isGiven { continuation.resume(returning: otherwise) }
    }

    func give(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            defer { state = .given }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: value)
    }
}
#endif
