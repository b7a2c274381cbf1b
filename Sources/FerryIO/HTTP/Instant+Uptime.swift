internal import FerryCore
internal import NIOCore

extension Instant {
    /// The present moment on a clock that cannot be set: the uptime of the machine, counted as if from 1970. Compare it only
    /// with others of this kind.
    static var uptime: Instant {
        Instant(milliseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1_000_000))
    }

    /// This moment for an event loop. Use it only with ``uptime``.
    var deadline: NIODeadline { .uptimeNanoseconds(UInt64(clamping: milliseconds) &* 1_000_000) }
}
