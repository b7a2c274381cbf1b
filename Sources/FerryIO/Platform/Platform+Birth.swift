internal import SystemPackage

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

#if os(Linux)
internal import CFerryPlatform
#endif

/// The birth times of files: they identify a file after the device number of its file system has changed.
extension Platform {
    /// The birth of an open file in nanoseconds since 1970; `nil` if unknown.
    static func birth(of descriptor: FileDescriptor) -> Int64? {
        #if os(Linux)
        birth(of: "", beneath: descriptor, flags: ferry_at_empty_path())
        #else
        nil
        #endif
    }

    /// The birth of a directory entry, without following a link.
    static func birth(of name: String, beneath directory: FileDescriptor) -> Int64? {
        #if os(Linux)
        birth(of: name, beneath: directory, flags: AT_SYMLINK_NOFOLLOW)
        #else
        nil
        #endif
    }

    #if os(Linux)
    /// Failure is harmless: without a birth time the file is only not recognized.
    private static func birth(of name: String, beneath directory: FileDescriptor, flags: CInt) -> Int64? {
        var seconds: Int64 = 0
        var nanoseconds: UInt32 = 0
        let result = name.withCString {
            ferry_birth(directory.rawValue, $0, flags, &seconds, &nanoseconds)
        }
        // Some file systems return 1970 for an unknown time.
        guard result == 0, seconds > 0 else { return nil }
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = scaled.addingReportingOverflow(Int64(nanoseconds))
        return overflow || sumOverflow ? nil : sum
    }
    #endif
}
