#if os(Linux)
internal import Dispatch
internal import FerryCore
internal import SystemPackage
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Listens to the kernel's link, address and route messages, and checks each second whether the machine has
/// slept.
final class NetworkListener: Sendable {
    /// How long changes are collected before the next report: a link that comes up changes much at once.
    private static let pause: Int32 = 50
    private static let lookInterval: DispatchTimeInterval = .seconds(1)

    private let queue = DispatchQueue(label: "ferry.network")
    /// Dispatch objects may be used from every thread, although their protocol does not say so.
    private nonisolated(unsafe) let reader: any DispatchSourceRead
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private let detector = Mutex(
        SuspendDetector(whole: clock(CLOCK_BOOTTIME), waking: clock(CLOCK_MONOTONIC))
    )

    /// Starts listening; `nil` without netlink.
    init?(telling tell: @escaping @Sendable (NetworkChange) -> Void) {
        guard let raw = Platform.routeListener() else { return nil }
        reader = DispatchSource.makeReadSource(fileDescriptor: raw, queue: queue)
        timer = DispatchSource.makeTimerSource(queue: queue)
        reader.setEventHandler {
            guard NetlinkSocket.drain(raw) else { return }
            tell(.routes)
            // A change that arrives during the pause wakes this again.
            poll(nil, 0, Self.pause)
        }
        reader.setCancelHandler { Platform.close(FileDescriptor(rawValue: raw)) }
        timer.setEventHandler { [self] in
            let hasSlept = detector.withLock {
                $0.hasSlept(whole: Self.clock(CLOCK_BOOTTIME), waking: Self.clock(CLOCK_MONOTONIC))
            }
            if hasSlept { tell(.woke) }
        }
        timer.schedule(
            deadline: .now() + Self.lookInterval,
            repeating: Self.lookInterval,
            leeway: .milliseconds(200)
        )
        reader.activate()
        timer.activate()
    }

    /// Stops listening.
    func stop() {
        reader.cancel()
        timer.cancel()
    }

    private static func clock(_ clock: clockid_t) -> Duration {
        var time = timespec()
        // It cannot fail: both clocks exist on every Linux, and the address is valid.
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
#endif
