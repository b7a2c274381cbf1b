package import FerryCore
internal import Synchronization

/// A network that a test switches off and on.
///
/// Every host is reached over one link. A test may remove or change the route, for all hosts or for one.
package final class ScriptedNetworkMonitor: NetworkMonitor {
    private struct State {
        var link: Int? = 1
        var away: Set<String> = []
        var isWatched = true
        var listeners: [Int: AsyncStream<NetworkChange>.Continuation] = [:]
        var latest = 0
        var questions: [String] = []
        /// Questions that no test has waited for yet.
        var unseen: [String] = []
        var watchers: [(number: Int, host: String?, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Creates a network that reaches every host.
    package init() {}

    // MARK: A test's actions

    /// Removes every route.
    package func lose() { change { $0.link = nil } }

    /// Restores all routes, over link `number`.
    package func restore(over number: Int = 1) {
        change { state in
            state.link = number
            state.away = []
        }
    }

    /// Removes the route to one host.
    package func lose(_ host: String) { change { $0.away.insert(host) } }

    /// Restores the route to one host.
    package func restore(_ host: String) { change { $0.away.remove(host) } }

    /// Reports that the machine was suspended and has resumed.
    package func wake() { tell(.woke) }

    /// Reports a change that affects no route.
    package func stir() { tell(.routes) }

    /// Makes every host's reachability unknown from now on.
    package func forget() { change { $0.isWatched = false } }

    /// Whether every route is gone.
    package var isAway: Bool { state.withLock { $0.link == nil } }

    /// Whether there is a route to a host. For test code that plays the host: it does not count as a
    /// question.
    package func hasRoute(to host: String) -> Bool {
        state.withLock { $0.link != nil && !$0.away.contains(host) }
    }

    /// The hosts of all questions, in order.
    package var questions: [String] { state.withLock { $0.questions } }

    /// Forgets the questions so far.
    package func forgetQuestions() {
        state.withLock { state in
            state.questions = []
            state.unseen = []
        }
    }

    /// Returns when a question about a host, or about exactly this host, has been asked and no test has waited for it
    /// yet.
    ///
    /// - Parameter host: the host of the question; `nil` for any.
    package func nextQuestion(about host: String? = nil) async {
        let number = nextNumber()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    let place = state.unseen.firstIndex { host == nil || $0 == host }
                    if let place { state.unseen.remove(at: place) }
                    // Checked under the lock: the cancellation handler below may have run before there was a
                    // watcher.
                    if place != nil || Task.isCancelled { return true }
                    state.watchers.append((number, host, continuation))
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                state.watchers.firstIndex { $0.number == number }.map { state.watchers.remove(at: $0) }
            }
            watcher?.continuation.resume()
        }
    }

    private func note(_ host: String) {
        let watcher = state.withLock { state in
            state.questions.append(host)
            let place = state.watchers.firstIndex { $0.host == nil || $0.host == host }
            guard let place else {
                state.unseen.append(host)
                return CheckedContinuation<Void, Never>?.none
            }
            return state.watchers.remove(at: place).continuation
        }
        watcher?.resume()
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.latest += 1
            return state.latest
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        tell(.routes)
    }

    private func tell(_ change: NetworkChange) {
        let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key }.map(\.value) }
        for listener in listeners { listener.yield(change) }
    }

    // MARK: The seam

    /// The changes by the test from now on.
    package func changes() -> AsyncStream<NetworkChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkChange.self)
        let number = nextNumber()
        state.withLock { $0.listeners[number] = continuation }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// The route, as the test has set it.
    package func reachability(of host: String) async -> Reachability {
        defer { note(host) }
        return state.withLock { state in
            guard state.isWatched else { return .unknown }
            guard let link = state.link, !state.away.contains(host) else { return .noRoute }
            return .routes([NetworkRoute(destination: Self.address(of: host), source: nil, link: link)])
        }
    }

    /// Whether the link is the same and no host of the routes has lost its route.
    package func stand(_ routes: [NetworkRoute]) async -> Bool {
        state.withLock { state in
            routes.allSatisfy { route in
                route.link == state.link
                    && !state.away.contains { Self.address(of: $0) == route.destination }
            }
        }
    }

    /// Whether there is a link.
    package func isOnline() async -> Bool? { state.withLock { $0.isWatched ? $0.link != nil : nil } }

    /// Ends the changes.
    package func shutdown() async {
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            return state.listeners.values.map { $0 }
        }
        for listener in listeners { listener.finish() }
    }

    /// The address that a host is, or one for each name, from the documentation block (RFC 3849).
    private static func address(of host: String) -> IPAddress {
        if let address = IPAddress(host) { return address }
        var hash: UInt32 = 2_166_136_261
        for byte in host.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        let groups = "\(String(hash >> 16, radix: 16)):\(String(hash & 0xFFFF, radix: 16))"
        guard let address = IPAddress("2001:db8::\(groups)") else {
            preconditionFailure("two groups of hexadecimal digits are an address")
        }
        return address
    }
}
