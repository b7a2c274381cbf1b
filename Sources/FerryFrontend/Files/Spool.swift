import Glibc

/// Keeps bytes to be read again: a few MiB in memory, more in a temporary file without a name.
final class Spool {
    /// The most bytes that are kept in memory.
    static let memoryLimit = 4 << 20
    private static let partLength = 64 << 10

    private let directory: String
    private var bytes: [UInt8] = []
    private var descriptor: Int32?

    /// - Parameter directory: the directory of the temporary file.
    init(in directory: String) {
        self.directory = directory
    }

    deinit {
        if let descriptor { close(descriptor) }
    }

    /// Adds bytes at the end.
    func append(_ part: ArraySlice<UInt8>) throws(FileReader.Problem) {
        guard descriptor == nil, bytes.count + part.count > Self.memoryLimit else {
            return descriptor == nil ? bytes += part : try write(part)
        }
        descriptor = try makeFile()
        try write(bytes[...])
        bytes = []
        try write(part)
    }

    /// The next bytes from a position; empty at the end.
    func part(at position: Int) throws(FileReader.Problem) -> ArraySlice<UInt8> {
        guard let descriptor else { return bytes[position...].prefix(Self.partLength) }
        var part = [UInt8](repeating: 0, count: Self.partLength)
        while true {
            let count = pread(descriptor, &part, part.count, off_t(position))
            if count >= 0 { return part[..<count] }
            guard errno == EINTR else { throw .system(errno) }
        }
    }

    private func makeFile() throws(FileReader.Problem) -> Int32 {
        do {
            return try TemporaryFile.open(in: directory)
        } catch {
            throw .notKept(directory: directory, error.number)
        }
    }

    private func write(_ part: ArraySlice<UInt8>) throws(FileReader.Problem) {
        guard let descriptor else { return }
        var rest = part
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .notKept(directory: directory, errno)
            }
        }
    }
}
