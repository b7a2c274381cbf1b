import Dispatch
import Glibc
import Synchronization

/// What a shell does with a job: Ctrl-Z stops it, and `fg` or `bg` lets it go on.
///
/// As with ``SignalWatch``, nothing runs in a signal handler.
final class JobControl: Sendable {
    /// What is asked for.
    enum Event: Hashable, Sendable {
        /// To stop: ``stopProcess()`` does.
        case stop
        /// The process had been stopped by somebody who did not ask, and goes on.
        case goneOn
    }

    /// What the shell, or somebody else, asks for.
    let events: AsyncStream<Event>
    /// Dispatch objects may be used from every thread, though their protocol does not say so.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
    private let watched: [Int32]
    /// Whether the next SIGCONT ends a stop of our own.
    private let isOwnStop = Mutex(false)

    /// Begins to watch, and returns when no signal can be missed any more.
    init() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        events = stream
        let queue = DispatchQueue(label: "ferry.jobs")
        watched = [SIGTSTP, SIGCONT].filter { !SignalWatch.isIgnored($0) }
        sources = watched.map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
        for (number, source) in zip(watched, sources) {
            source.setEventHandler { [self] in
                guard number == SIGCONT else { return _ = continuation.yield(.stop) }
                let isExpected = isOwnStop.withLock { isOwn in
                    defer { isOwn = false }
                    return isOwn
                }
                if !isExpected { continuation.yield(.goneOn) }
            }
            await withCheckedContinuation { (isReady: CheckedContinuation<Void, Never>) in
                source.setRegistrationHandler { isReady.resume() }
                source.resume()
            }
        }
    }

    /// Stops this process as the kernel would have done by itself; returns when it goes on.
    func stopProcess() {
        isOwnStop.withLock { $0 = true }
        // One that cannot be caught or ignored, and to this very thread, which takes all others with it. One to the
        // process is taken by any of them, while this one goes on until that is awake: time enough to claim what was
        // just let go.
        raise(SIGSTOP)
    }

    /// Watches no longer; the signals do what they do by default.
    func stop() {
        for source in sources { source.cancel() }
        for number in watched { signal(number, SIG_DFL) }
    }
}
