internal import FerryCore
internal import Synchronization

/// Resolves names concurrently, so that an unresponsive name server delays no other name.
///
/// Each name is resolved on its own thread, once for all callers that wait for it at that moment. An address needs no
/// lookup, and neither does `localhost` (RFC 6761 §6.3).
final class NameLookups: Sendable {
    /// Maximum lookups at once; further names wait in line.
    static let limit = 1024

    fileprivate struct State {
        /// The callers that wait for a name, by number.
        var waiters: [String: [UInt64: AwaitedResult<NameAnswer>]] = [:]
        /// The names being looked up.
        var running: Set<String> = []
        /// The names that wait for a free lookup.
        var line: [String] = []
        var latest: UInt64 = 0
        var isShutDown = false
    }

    private let lookUp: @Sendable (String) -> NameAnswer
    private let state = Mutex(State())

    /// - Parameter lookUp: looks up a name; may block.
    init(_ lookUp: @escaping @Sendable (String) -> NameAnswer = Platform.lookUp) {
        self.lookUp = lookUp
    }

    /// The addresses of a host.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or after a shutdown.
    func find(_ host: String) async throws -> NameAnswer {
        if let known = Self.known(host) { return .found(known) }
        let waiter = AwaitedResult<NameAnswer>()
        let (number, names) = try state.withLock { try $0.enter(waiter, host) }
        defer { state.withLock { $0.leave(number, host) } }
        for name in names { begin(name) }
        return try await withTaskCancellationHandler {
            try await waiter.value()
        } onCancel: {
            waiter.resolve(.failure(CancellationError()))
        }
    }

    /// Ends all waits. A running lookup ends by itself.
    func shutdown() {
        let waiters = state.withLock { state in
            state.isShutDown = true
            state.line = []
            return state.waiters.values.flatMap(\.values)
        }
        for waiter in waiters { waiter.resolve(.failure(CancellationError())) }
    }

    /// How many wait for a name; for tests.
    func waiting(for host: String) -> Int { state.withLock { $0.waiters[host]?.count ?? 0 } }

    private func begin(_ host: String) {
        let hasBegun = DetachedThread.run { [self] in end(host, lookUp(host)) }
        if !hasBegun { end(host, .failed) }
    }

    private func end(_ host: String, _ answer: NameAnswer) {
        let (waiters, names) = state.withLock { $0.end(host) }
        for waiter in waiters { waiter.resolve(.success(answer)) }
        for name in names { begin(name) }
    }

    /// The addresses that are known without asking; `nil` for any other name.
    private static func known(_ host: String) -> [IPAddress]? {
        if let address = IPAddress(host) { return [address] }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        guard name == "localhost" || name.hasSuffix(".localhost") else { return nil }
        return ["::1", "127.0.0.1"].compactMap { IPAddress($0) }
    }
}

extension NameLookups.State {
    /// Adds a waiter.
    ///
    /// - Returns: its number and the names to look up now.
    fileprivate mutating func enter(
        _ waiter: AwaitedResult<NameAnswer>,
        _ host: String
    ) throws -> (number: UInt64, names: [String]) {
        if isShutDown { throw CancellationError() }
        latest += 1
        if waiters[host] == nil, !running.contains(host) { line.append(host) }
        waiters[host, default: [:]][latest] = waiter
        return (latest, start())
    }

    fileprivate mutating func leave(_ number: UInt64, _ host: String) {
        waiters[host]?[number] = nil
        guard waiters[host]?.isEmpty == true else { return }
        waiters[host] = nil
        line.removeAll { $0 == host }
    }

    fileprivate mutating func end(_ host: String) -> (waiters: [AwaitedResult<NameAnswer>], names: [String]) {
        running.remove(host)
        let done = waiters.removeValue(forKey: host).map { Array($0.values) } ?? []
        return (done, isShutDown ? [] : start())
    }

    /// Takes names from the line while lookups are free.
    private mutating func start() -> [String] {
        let names = Array(line.prefix(max(0, NameLookups.limit - running.count)))
        line.removeFirst(names.count)
        running.formUnion(names)
        return names
    }
}
