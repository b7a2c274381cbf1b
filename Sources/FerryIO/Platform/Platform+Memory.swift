internal import SystemPackage

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension Platform {
    /// The size of this process's address space in bytes; `nil` if the system does not report it.
    package static func addressSpace() -> Int? {
        var bytes = [UInt8](repeating: 0, count: 128)
        let count: Int
        do {
            let file = try FileDescriptor.open("/proc/self/statm", .readOnly, options: .closeOnExec)
            defer { close(file) }
            count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
        } catch {
            return nil
        }
        let pages = Int(String(decoding: bytes.prefix(count).prefix { $0 != 0x20 }, as: UTF8.self))
        return pages.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }
}
