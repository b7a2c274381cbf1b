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
        let pages = contents(of: "/proc/self/statm").prefix { $0 != UInt8(ascii: " ") }
        return Int(String(decoding: pages, as: UTF8.self)).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    /// The beginning of a small file of the system; nothing if it cannot be read.
    private static func contents(of path: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 2048)
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            defer { close(file) }
            let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
            return Array(bytes.prefix(count))
        } catch {
            return []
        }
    }

    /// The memory with the words of this process's command, each ended by a zero byte, as other users of the machine see them
    /// (proc(5), `arg_start`); `nil` if the system does not tell it.
    package static func commandWords() -> UnsafeMutableBufferPointer<UInt8>? {
        let line = contents(of: "/proc/self/stat")
        // The second field is a name in parentheses, which may contain blanks.
        guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
        func address(_ index: Int) -> UInt? {
            fields.indices.contains(index) ? UInt(String(decoding: fields[index], as: UTF8.self)) : nil
        }
        guard let start = address(45), let stop = address(46), stop > start,
            let pointer = UnsafeMutablePointer<UInt8>(bitPattern: start)
        else { return nil }
        return UnsafeMutableBufferPointer(start: pointer, count: Int(stop - start))
    }
}
