internal import SystemPackage

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What the kernel does with the bytes that it sends.
extension Platform {
    /// Whether the kernel can send a file by itself (`sendfile(2)`). Some file systems cannot, mostly those in user space. A
    /// connection that finds it out is lost, so this tries it with one byte.
    static func canSend(_ file: FileDescriptor) -> Bool {
        #if os(Linux)
        do {
            let sink = try FileDescriptor.open("/dev/null", .writeOnly, options: .closeOnExec)
            defer { close(sink) }
            var offset: off_t = 0
            return try retrying { sendfile(sink.rawValue, file.rawValue, &offset, 1) } >= 0
        } catch {
            return false
        }
        #else
        true
        #endif
    }

    /// How many bytes that were written to a TCP socket its peer has not acknowledged; `nil` if the system does not tell.
    static func unacknowledgedBytes(of socket: CInt) -> Int? {
        var count: CInt = 0
        #if canImport(Darwin)
        var size = socklen_t(MemoryLayout<CInt>.size)
        let result = getsockopt(socket, SOL_SOCKET, SO_NWRITE, &count, &size)
        #else
        // The same number as SIOCOUTQ (tcp(7)).
        let result = ioctl(socket, numericCast(TIOCOUTQ), &count)
        #endif
        return result == 0 ? Int(count) : nil
    }
}
