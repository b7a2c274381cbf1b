internal import SystemPackage

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The calls into the operating system that differ from one to the next, each with one meaning.
///
/// Everything here blocks and is called on threads for I/O. Each function throws the kernel's own number and
/// leaves it to the caller to say what it means. The branches for Darwin are written from its manual and have
/// not been tested.
public enum Platform {
    /// Makes a write to a pipe whose reader is gone fail with `EPIPE` instead of killing the process.
    ///
    /// There is no flag for it on a single `write` to a pipe, so the signal is ignored for the whole process;
    /// a library must not decide that for its program. The tool calls this once, first of all.
    public static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Calls `body` until it is not interrupted by a signal, and returns what it returned.
    static func retrying<Value: SignedInteger>(_ body: () -> Value) throws(Errno) -> Value {
        while true {
            let value = body()
            if value != -1 { return value }
            let error = lastError
            if error != .interrupted { throw error }
        }
    }

    /// The number of the user to whom new files belong.
    static var effectiveUser: UInt32 { UInt32(geteuid()) }

    /// The number that the latest failed call on this thread left behind.
    static var lastError: Errno { Errno(rawValue: errno) }
}
