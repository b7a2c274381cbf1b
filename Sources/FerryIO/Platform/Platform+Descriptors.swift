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

    /// How many numbers one call checks.
    private static let portion = 256

    /// One call finds which numbers of a portion are open, and needs no descriptor for that. Behind a portion without any, the
    /// rest is not checked, for the same reason.
    private static func openDescriptors(below limit: Int) -> Int {
        var count = 0
        for start in stride(from: 0, to: limit, by: portion) {
            var entries = (start..<min(start + portion, limit)).map {
                pollfd(fd: Int32($0), events: 0, revents: 0)
            }
            guard poll(&entries, nfds_t(entries.count), 0) >= 0 else { return count }
            let open = entries.count { $0.revents & Int16(POLLNVAL) == 0 }
            if open == 0 { return count }
            count += open
        }
        return count
    }
}
