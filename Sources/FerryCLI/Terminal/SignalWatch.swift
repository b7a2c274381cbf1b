import Dispatch
import Glibc
import Synchronization

/// Turns the signals that ask a program to end into streams. The first one is an element of each; the second ends the
/// process at once.
///
/// A dispatch source takes them on an ordinary thread, so nothing runs in a signal handler.
final class SignalWatch: Sendable {
    /// Begins to wait for the first signal, which is there now if it has come already. Each part of a command has a stream of
    /// its own.
    func firstSignal() -> AsyncStream<Int32> {
        AsyncStream { continuation in
            let (number, place) = state.withLock { state in
                state.places += 1
                if state.first == nil { state.waiting[state.places] = continuation }
                return (state.first, state.places)
            }
            if let number { continuation.yield(number) }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.waiting[place] = nil }
            }
        }
    }

    /// Whether the first signal has come.
    var hasCome: Bool { state.withLock { $0.first != nil } }

    /// Dispatch objects may be used from every thread, although their protocol does not say so.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
    private let watched: [Int32]
    private let state: Mutex<State>

    private struct State {
        /// Whether no work has begun that must be ended properly.
        var isIdle: Bool
        /// When the first signal came.
        var firstAt: ContinuousClock.Instant?
        /// The first signal.
        var first: Int32?
        /// The streams that wait for it, by their numbers.
        var waiting: [Int: AsyncStream<Int32>.Continuation] = [:]
        var places = 0
    }

    /// The effect of a signal.
    private enum Consequence {
        case first, echo, leave, end
    }

    /// How long further signals count as the first one: some parents signal both the process and its group.
    static let echo: Duration = .milliseconds(250)

    /// The watched signals: Ctrl-C, a request to end, and a closed terminal.
    static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Begins to watch these signals; returns when none can be missed. Calls `last` before the second signal ends the
    /// process.
    ///
    /// - Parameters:
    ///   - isIdle: whether no work has begun that must be ended properly. Until ``engage()`` is called, the first signal
    ///     then ends the process.
    ///   - idle: called before that; `nil` for the same as before the second signal.
    ///
    /// Until Dispatch has installed its handler, a signal has its default effect. Ignoring it meanwhile, which is
    /// usual, would lose a signal that comes just then.
    init(
        _ signals: [Int32] = SignalWatch.signals,
        isIdle: Bool = false,
        idle: (@Sendable () -> Void)? = nil,
        last: @escaping @Sendable () -> Void
    ) async {
        state = Mutex(State(isIdle: isIdle))
        let queue = DispatchQueue(label: "ferry.signals")
        watched = signals.filter { !Self.isIgnored($0) }
        sources = watched.map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
        for (number, source) in zip(watched, sources) {
            source.setEventHandler { [self] in
                switch note(at: .now) {
                case .first: tell(number)
                case .echo: break
                case .leave:
                    (idle ?? last)()
                    _exit(128 + number)
                case .end:
                    last()
                    _exit(128 + number)
                }
            }
        }
        await SignalSources.start(sources)
    }

    private func tell(_ number: Int32) {
        let waiting = state.withLock { state in
            state.first = number
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.yield(number) }
    }

    private func note(at now: ContinuousClock.Instant) -> Consequence {
        state.withLock { state in
            if state.isIdle { return .leave }
            guard let first = state.firstAt else {
                state.firstAt = now
                return .first
            }
            return now - first > Self.echo ? .end : .echo
        }
    }

    /// Notes that work has begun, so that the first signal asks for its end.
    func engage() { state.withLock { $0.isIdle = false } }

    /// Whether the parent has made this signal harmless: `nohup` does so for a closed terminal, and a shell for
    /// Ctrl-C in background commands of a script.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Stops watching; the signals have their default effect again.
    func stop() {
        for source in sources { source.cancel() }
        for number in watched { signal(number, SIG_DFL) }
    }
}
