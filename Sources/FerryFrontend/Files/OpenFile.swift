import Glibc

/// An open file, which is closed when it is no longer used.
final class OpenFile: Sendable {
    let descriptor: Int32
    private let closesAtEnd: Bool

    /// - Parameter closesAtEnd: `false` for standard input, which belongs to the process.
    init(_ descriptor: Int32, closesAtEnd: Bool) {
        (self.descriptor, self.closesAtEnd) = (descriptor, closesAtEnd)
    }

    deinit {
        if closesAtEnd { close(descriptor) }
    }

    /// The bytes of a regular file from an offset on; fewer when the file ends before.
    func bytes(at offset: Int64, count: Int) throws(FileReader.Problem) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor,
                    buffer.baseAddress.map { $0 + done },
                    count - done,
                    off_t(offset) + off_t(done)
                )
            }
            if got == 0 { break }
            if got > 0 {
                done += got
            } else if errno != EINTR {
                throw .system(errno)
            }
        }
        bytes.removeLast(count - done)
        return bytes
    }
}
