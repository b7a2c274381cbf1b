#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension Platform {
    /// The number of descriptors that this process may have open, and the number it has.
    package static func descriptors() -> (limit: Int, open: Int) {
        var limits = rlimit()
        #if canImport(Glibc)
        let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        #else
        let result = getrlimit(RLIMIT_NOFILE, &limits)
        #endif
        let limit = result == 0 ? Int(clamping: limits.rlim_cur) : 1024
        return (limit, openDescriptors(below: min(limit, mostCounted)))
    }

    /// Maximum numbers checked. The kernel always assigns the lowest free number, so few are open above this.
    private static let mostCounted = 4096

    /// One call finds which numbers are open, and needs no descriptor for that.
    private static func openDescriptors(below limit: Int) -> Int {
        var entries = (0..<limit).map { pollfd(fd: Int32($0), events: 0, revents: 0) }
        guard poll(&entries, nfds_t(entries.count), 0) >= 0 else { return 0 }
        return entries.count { $0.revents & Int16(POLLNVAL) == 0 }
    }
}
