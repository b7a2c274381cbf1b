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
        let pages = text(of: "/proc/self/statm").flatMap { Int($0.prefix { $0 != " " }) }
        return pages.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    /// The beginning of a small file of the system; `nil` if it cannot be read.
    private static func text(of path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 2048)
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            defer { close(file) }
            let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        } catch {
            return nil
        }
    }

    /// The memory with the words of this process's command, each ended by a zero byte, as other users of the machine see them
    /// (proc(5), `arg_start`); `nil` if the system does not tell it.
    package static func commandWords() -> UnsafeMutableBufferPointer<UInt8>? {
        guard let text = text(of: "/proc/self/stat"),
            // The second field is a name in parentheses, which may contain blanks.
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 46, let start = UInt(fields[45]), let stop = UInt(fields[46]), stop > start,
            let pointer = UnsafeMutablePointer<UInt8>(bitPattern: start)
        else { return nil }
        return UnsafeMutableBufferPointer(start: pointer, count: Int(stop - start))
    }
}
