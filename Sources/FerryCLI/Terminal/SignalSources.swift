import Dispatch

/// Dispatch sources of signals that are watched from the same moment on.
enum SignalSources {
    /// Starts sources; returns when Dispatch watches for all of their signals. They wait together, because each waits for
    /// several threads in turn.
    static func start(_ sources: [any DispatchSourceSignal]) async {
        let registrations = DispatchGroup()
        for source in sources {
            registrations.enter()
            source.setRegistrationHandler { registrations.leave() }
            source.resume()
        }
        await withCheckedContinuation { (areWatched: CheckedContinuation<Void, Never>) in
            registrations.notify(queue: .global()) { areWatched.resume() }
        }
    }
}
