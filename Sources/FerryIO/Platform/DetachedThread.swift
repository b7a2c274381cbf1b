#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A separate thread for one call that may block for long.
///
/// Dispatch has few threads: one per processor, and one more each second while all of them block. A call that
/// waits for the network there would delay all other Dispatch work.
enum DetachedThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` on a new thread and returns at once.
    ///
    /// - Returns: whether the thread was created; otherwise `body` is not run.
    static func run(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        let result = start(work.toOpaque())
        if result != 0 { work.release() }
        return result == 0
    }

    private static func finish(_ work: UnsafeMutableRawPointer) {
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
    }

    private static func start(_ work: UnsafeMutableRawPointer) -> Int32 {
        #if canImport(Darwin)
        var thread: pthread_t?
        let result = pthread_create(
            &thread,
            nil,
            {
                DetachedThread.finish($0); return nil
            },
            work
        )
        if result == 0, let thread { pthread_detach(thread) }
        #else
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            nil,
            { work in
                if let work { DetachedThread.finish(work) }
                return nil
            },
            work
        )
        if result == 0 { pthread_detach(thread) }
        #endif
        return result
    }
}
