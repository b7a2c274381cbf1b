internal import SystemPackage

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The system calls that differ between operating systems, each with one meaning.
///
/// Everything here blocks and is called on I/O threads. Each function throws the kernel's error number, and
/// the caller decides what it means. The Darwin branches follow its manual and are untested.
package enum Platform {
    /// Calls `body` until no signal interrupts it, and returns its result.
    static func retrying<Value: SignedInteger>(_ body: () -> Value) throws(Errno) -> Value {
        while true {
            let value = body()
            if value != -1 { return value }
            let error = lastError
            if error != .interrupted { throw error }
        }
    }

    /// The ID of the user that owns new files.
    static var effectiveUser: UInt32 { UInt32(geteuid()) }

    /// The error number of the latest failed call on this thread.
    static var lastError: Errno { Errno(rawValue: errno) }
}
