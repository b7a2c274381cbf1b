internal import FerryCore
internal import NIOCore
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Resolves names before a connection is made, so that an unresponsive name server delays no other name.
///
/// An NIO event loop resolves its names one after the other, so it only gets names that were found here. Each
/// name is resolved once for all its callers, on its own thread. An address needs no lookup, and that of
/// `localhost` (RFC 6761 §6.3) cannot take long.
final class NameLookups: Sendable {
    /// The result of a lookup.
    enum Answer: Sendable {
        case found
        /// There is no host of that name.
        case unknown
        /// The lookup failed, so it is unknown.
        case failed
    }

    /// The lookup took longer than the caller waits.
    struct TookTooLong: Error {}

    /// Maximum lookups at once; further names wait in line.
    static let limit = 32
    /// How long a found name is not looked up again, and the maximum number of remembered names.
    static let memory = (time: Duration.seconds(60), names: 1000)

    fileprivate struct State {
        /// The callers that wait for a name, by number.
        var waiters: [String: [UInt64: Outcome<Answer>]] = [:]
        /// The names being looked up.
        var running: Set<String> = []
        /// The names that wait for a free lookup.
        var line: [String] = []
        /// Until when a name counts as found.
        var known: [String: ContinuousClock.Instant] = [:]
        var latest: UInt64 = 0
        var isShutDown = false
    }

    private let lookUp: @Sendable (String) -> Answer
    private let state = Mutex(State())

    /// - Parameter lookUp: looks up a name; may block.
    init(_ lookUp: @escaping @Sendable (String) -> Answer = NameLookups.askSystem) {
        self.lookUp = lookUp
    }

    /// Waits until it is known whether a host can be found.
    ///
    /// - Parameter loop: the event loop whose clock times `patience`; a `patience` of zero means no limit.
    /// - Throws: ``TookTooLong``; `CancellationError` when the task is cancelled or after a shutdown.
    func find(_ host: String, within patience: Duration, on loop: any EventLoop) async throws -> Answer {
        guard Self.needsLookup(host) else { return .found }
        let outcome = Outcome<Answer>()
        guard let (number, names) = try state.withLock({ try $0.enter(outcome, host) }) else { return .found }
        defer { state.withLock { $0.leave(number, host) } }
        for name in names { begin(name) }
        let timer =
            patience > .zero
            ? loop.scheduleTask(in: patience.timeAmount(orForever: .hours(24))) {
                outcome.resolve(.failure(TookTooLong()))
            } : nil
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await outcome.value()
        } onCancel: {
            outcome.resolve(.failure(CancellationError()))
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

    private func begin(_ host: String) {
        let hasBegun = DetachedThread.run { [self] in end(host, lookUp(host)) }
        if !hasBegun { end(host, .failed) }
    }

    private func end(_ host: String, _ answer: Answer) {
        let (waiters, names) = state.withLock { $0.end(host, answer) }
        for waiter in waiters { waiter.resolve(.success(answer)) }
        for name in names { begin(name) }
    }

    private static func needsLookup(_ host: String) -> Bool {
        if IPAddress(host) != nil { return false }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name != "localhost" && !name.hasSuffix(".localhost")
    }

    /// Resolves like every program of this machine (getaddrinfo(3)).
    @Sendable private static func askSystem(_ host: String) -> Answer {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        switch result {
        case 0: return .found
        case EAI_NONAME: return .unknown
        default: return .failed
        }
    }
}

extension NameLookups.State {
    /// Adds a waiter.
    ///
    /// - Returns: its number and the names to look up now; `nil` when the name counts as found.
    fileprivate mutating func enter(
        _ outcome: Outcome<NameLookups.Answer>,
        _ host: String
    ) throws -> (number: UInt64, names: [String])? {
        if isShutDown { throw CancellationError() }
        if let end = known[host] {
            if end > .now { return nil }
            known[host] = nil
        }
        latest += 1
        if waiters[host] == nil, !running.contains(host) { line.append(host) }
        waiters[host, default: [:]][latest] = outcome
        return (latest, start())
    }

    fileprivate mutating func leave(_ number: UInt64, _ host: String) {
        waiters[host]?[number] = nil
        guard waiters[host]?.isEmpty == true else { return }
        waiters[host] = nil
        line.removeAll { $0 == host }
    }

    fileprivate mutating func end(
        _ host: String,
        _ answer: NameLookups.Answer
    ) -> (waiters: [Outcome<NameLookups.Answer>], names: [String]) {
        running.remove(host)
        if answer == .found {
            if known.count >= NameLookups.memory.names { known = [:] }
            known[host] = .now + NameLookups.memory.time
        }
        let done = waiters.removeValue(forKey: host).map { Array($0.values) } ?? []
        return (done, isShutDown ? [] : start())
    }

    /// Takes names that may run out of the line.
    private mutating func start() -> [String] {
        let names = Array(line.prefix(max(0, NameLookups.limit - running.count)))
        line.removeFirst(names.count)
        running.formUnion(names)
        return names
    }
}
