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

/// Asks for names before a connection is made, so that one whose server of names does not answer holds up no other.
///
/// NIO looks up names one after the other, all those of an event loop. Only a name that was found here is given to it.
/// Each name is looked up once for all who wait for it, on a thread of its own. An address needs no lookup, and
/// `localhost` (RFC 6761 §6.3) none that could take long.
final class NameLookups: Sendable {
    /// What became of a lookup.
    enum Answer: Sendable {
        case found
        /// There is no host of that name.
        case unknown
        /// It could not be found out.
        case failed
    }

    /// The lookup took longer than the caller waits.
    struct TookTooLong: Error {}

    /// The most lookups at once; more names than these wait in line.
    static let limit = 32
    /// How long a name that was found is not looked up again, and the most names that are remembered.
    static let memory = (time: Duration.seconds(60), names: 1000)

    fileprivate struct State {
        /// Who waits for a name, by number.
        var waiters: [String: [UInt64: Outcome<Answer>]] = [:]
        /// The names that are being looked up.
        var running: Set<String> = []
        /// The names that wait until fewer are.
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
    /// - Parameter loop: whose clock says when `patience` is over; no patience at all means no limit.
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

    /// Lets no one wait any more. A lookup that has begun ends by itself.
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

    /// Asks as every program of this machine does (getaddrinfo(3)).
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
    /// Notes a waiter.
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

    /// Takes out of the line what may run.
    private mutating func start() -> [String] {
        let names = Array(line.prefix(max(0, NameLookups.limit - running.count)))
        line.removeFirst(names.count)
        running.formUnion(names)
        return names
    }
}
