import Dispatch
import Glibc

/// Turns SIGHUP, which asks a service to read its configuration again, into a stream.
final class ReloadSignal: Sendable {
    /// One element for all signals since the last element was taken.
    let requests: AsyncStream<Void>
    /// Dispatch objects may be used from every thread, although their protocol does not say so.
    private nonisolated(unsafe) let source: any DispatchSourceSignal

    /// Begins to watch; returns when no signal can be missed.
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

    /// Stops watching. From here on the signal is ignored: a service that is ending has nothing to reload, and the
    /// signal must not kill it.
    func stop() {
        source.cancel()
        signal(SIGHUP, SIG_IGN)
    }
}
