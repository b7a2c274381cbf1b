import Dispatch
import Glibc

/// Turns the signal that asks a service to read its configuration again into a stream.
final class ReloadSignal: Sendable {
    /// One element for the signals that came since the last one was taken.
    let requests: AsyncStream<Void>
    /// Dispatch objects may be used from every thread, though their protocol does not say so.
    private nonisolated(unsafe) let source: any DispatchSourceSignal

    /// Begins to watch, and returns when no signal can be missed any more.
    init() async {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        requests = stream
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "ferry.reload"))
        source.setEventHandler { continuation.yield() }
        await withCheckedContinuation { (isReady: CheckedContinuation<Void, Never>) in
            source.setRegistrationHandler { isReady.resume() }
            source.resume()
        }
    }

    /// Watches no longer. The signal is ignored from here on: a service that is ending has nothing to read again, and
    /// must not be killed by it halfway.
    func stop() {
        source.cancel()
        signal(SIGHUP, SIG_IGN)
    }
}
