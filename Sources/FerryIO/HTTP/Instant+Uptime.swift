internal import FerryCore
internal import NIOCore

extension Instant {
    /// The present moment on a clock that no one can set: the machine's uptime stands for the time since 1970. Only to be
    /// compared with others of this kind.
    static var uptime: Instant {
        Instant(milliseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1_000_000))
    }

    /// This moment for an event loop; only for one of this kind.
    var deadline: NIODeadline { .uptimeNanoseconds(UInt64(clamping: milliseconds) &* 1_000_000) }
}
