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
    private let firstAt = Mutex<ContinuousClock.Instant?>(nil)

    /// How long further signals count as the first one: some parents send it to the process and to its group.
    static let echo: Duration = .milliseconds(250)

    /// The signals that are watched: Ctrl-C, a request to end, and a terminal that was closed.
    static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Begins to watch; `last` is called before the process ends at the second signal.
    init(last: @escaping @Sendable () -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        first = stream
        let queue = DispatchQueue(label: "ferry.signals")
        sources = Self.signals.map { number in
            // The source sees the signal only when its default action, which would end the process, is off.
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        for (number, source) in zip(Self.signals, sources) {
            source.setEventHandler { [self] in
                let now = ContinuousClock.now
                let before = firstAt.withLock { firstAt in
                    defer { firstAt = firstAt ?? now }
                    return firstAt
                }
                guard let before else {
                    continuation.yield(number)
                    return
                }
                guard now - before > Self.echo else { return }
                last()
                _exit(128 + number)
            }
            source.resume()
        }
    }

    /// Watches no longer; the signals do what they do by default.
    func stop() {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
