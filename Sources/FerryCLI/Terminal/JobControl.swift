import Dispatch
import Glibc
import Synchronization

/// A shell's job control: Ctrl-Z stops the process, and `fg` or `bg` continues it.
///
/// As with ``SignalWatch``, nothing runs in a signal handler.
final class JobControl: Sendable {
    /// A request or event.
    enum Event: Hashable, Sendable {
        /// Stop; ``stopProcess()`` does it.
        case stop
        /// The process was stopped without a request, and has continued ``delay`` ago.
        case goneOn
    }

    /// How long after SIGCONT it is an event. `timeout` sends SIGCONT after the signal that ends a command, and the two may be
    /// seen in either order: the end has to be known first.
    static let delay = DispatchTimeInterval.milliseconds(250)

    /// The requests of the shell or another process.
    let events: AsyncStream<Event>
    /// Dispatch objects may be used from every thread, although their protocol does not say so.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
    private let watched: [Int32]
    /// Whether the next SIGCONT ends a stop by ``stopProcess()``.
    private let isOwnStop = Mutex(false)

    /// Begins to watch; returns when no signal can be missed.
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
                guard !isExpected else { return }
                queue.asyncAfter(deadline: .now() + Self.delay) { continuation.yield(.goneOn) }
            }
        }
        await SignalSources.start(sources)
    }

    /// Stops this process as the kernel would have done; returns when it continues.
    func stopProcess() {
        isOwnStop.withLock { $0 = true }
        // SIGSTOP cannot be caught or ignored. `raise` sends it to this thread, which stops all others with it. A
        // signal to the process is taken by any thread; this one could run on until then, and claim the released
        // transfers again.
        raise(SIGSTOP)
    }

    /// Stops watching; the signals have their default effect again.
    func stop() {
        for source in sources { source.cancel() }
        for number in watched { signal(number, SIG_DFL) }
    }
}
