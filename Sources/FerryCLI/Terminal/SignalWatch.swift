import Dispatch
import Glibc
import Synchronization

/// Turns the signals that ask a program to end into a stream. The first one is an element; the second ends the
/// process at once.
///
/// They are taken by a dispatch source on an ordinary thread, so nothing runs in a signal handler.
final class SignalWatch: Sendable {
    /// The first signal.
    let first: AsyncStream<Int32>
    /// Dispatch objects may be used from every thread, though their protocol does not say so.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
    private let watched: [Int32]
    private let state: Mutex<State>

    private struct State {
        /// Whether there is nothing yet that has to be brought to an end.
        var isIdle: Bool
        /// When the first one came.
        var firstAt: ContinuousClock.Instant?
    }

    /// What follows from a signal.
    private enum Consequence {
        case first, echo, end
    }

    /// How long further signals count as the first one: some parents send it to the process and to its group.
    static let echo: Duration = .milliseconds(250)

    /// The signals that are watched: Ctrl-C, a request to end, and a terminal that was closed.
    static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Begins to watch these signals, and returns when none can be missed any more; `last` is called before the process ends at
    /// the second signal.
    ///
    /// - Parameter isIdle: whether nothing has been begun that has to be brought to an end. Until ``engage()`` is called
    ///   the first signal ends the process as the second one does.
    ///
    /// Until Dispatch has put its handler in place, a signal does what it does by default. To ignore it meanwhile, as is
    /// needed elsewhere, would lose one that comes just then.
    init(
        _ signals: [Int32] = SignalWatch.signals,
        isIdle: Bool = false,
        last: @escaping @Sendable () -> Void
    ) async {
        state = Mutex(State(isIdle: isIdle))
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        first = stream
        let queue = DispatchQueue(label: "ferry.signals")
        watched = signals.filter { !Self.isIgnored($0) }
        sources = watched.map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
        for (number, source) in zip(watched, sources) {
            source.setEventHandler { [self] in
                switch note(at: .now) {
                case .first: continuation.yield(number)
                case .echo: break
                case .end:
                    last()
                    _exit(128 + number)
                }
            }
            await withCheckedContinuation { (isReady: CheckedContinuation<Void, Never>) in
                source.setRegistrationHandler { isReady.resume() }
                source.resume()
            }
        }
    }

    private func note(at now: ContinuousClock.Instant) -> Consequence {
        state.withLock { state in
            if state.isIdle { return .end }
            guard let first = state.firstAt else {
                state.firstAt = now
                return .first
            }
            return now - first > Self.echo ? .end : .echo
        }
    }

    /// From now on there is something to bring to an end, so that the first signal asks for that.
    func engage() { state.withLock { $0.isIdle = false } }

    /// Whether the parent has seen to it that this signal does not end the process: `nohup` does so for a terminal that
    /// is closed, and a shell for Ctrl-C where it runs a script's command in the background.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Watches no longer; the signals do what they do by default.
    func stop() {
        for source in sources { source.cancel() }
        for number in watched { signal(number, SIG_DFL) }
    }
}
