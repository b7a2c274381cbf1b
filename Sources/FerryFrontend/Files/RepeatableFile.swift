/// A file or pipe that can be read again from its beginning.
///
/// A regular file is read from disk each time. The bytes of a pipe are kept in a ``Spool``.
final class RepeatableFile {
    private let stream: FileStream
    private let version: FileStream.Version?
    private let spool: Spool
    private var hasEnded = false
    /// The position up to which the spool has been read again; `nil` while the stream is read.
    private var position: Int?

    /// Opens the file at `path`; `-` is standard input.
    ///
    /// - Parameter directory: the directory for the bytes of a long pipe.
    init(_ path: String, keptIn directory: String) throws(FileReader.Problem) {
        stream = try FileStream(path, from: .stream)
        version = try stream.version()
        spool = Spool(in: directory)
    }

    /// The next part; empty at the end.
    ///
    /// - Throws: ``FileReader/Problem/changed`` when a regular file was written to since it was opened.
    func next() throws(FileReader.Problem) -> ArraySlice<UInt8> {
        if let position {
            let part = try spool.part(at: position)
            self.position = position + part.count
            return part
        }
        let part = try stream.next()
        if part.isEmpty { hasEnded = true }
        guard let version else {
            try spool.append(part)
            return part
        }
        guard try stream.version() == version else { throw .changed }
        return part
    }

    /// Goes back to the beginning. If a pipe has not ended yet, reading continues there.
    func rewind() throws(FileReader.Problem) {
        if version != nil {
            try stream.rewind()
        } else if hasEnded {
            position = 0
        }
    }
}
