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
}
