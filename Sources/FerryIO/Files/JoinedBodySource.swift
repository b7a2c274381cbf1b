internal import FerryCore
internal import Synchronization

/// Bytes and files, one after the other, as the body of a request. One file is open at a time.
final class JoinedBodySource: BodySource {
    /// A part of the body.
    enum Part: Sendable {
        case bytes([UInt8])
        /// A file, and the path under which it is now.
        case file(PinnedFile, path: String)

        fileprivate var length: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.count)
            case .file(let file, _): file.length
            }
        }
    }

    private struct OpenFile: Sendable {
        let index: Int
        let source: FileBodySource
    }

    private let parts: [Part]
    /// The offset at which each part ends.
    private let ends: [Int64]
    private let openFile = Mutex<OpenFile?>(nil)

    /// Joins the parts, in order. Blocks.
    ///
    /// - Throws: ``Problem`` when one of the files is gone or is not the pinned one. Nothing was sent then.
    init(_ parts: [Part]) throws(Problem) {
        for case .file(let file, let path) in parts { _ = try FileBodySource(file, at: path) }
        self.parts = parts
        var end: Int64 = 0
        ends = parts.map { part in
            end += part.length
            return end
        }
    }

    var length: Int64? { ends.last ?? 0 }

    var descriptor: CInt? { nil }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        guard let index = ends.firstIndex(where: { offset < $0 }) else { return 0 }
        let start = ends[index] - parts[index].length
        switch parts[index] {
        case .bytes(let bytes):
            let rest = bytes[Int(offset - start)...].prefix(buffer.count)
            buffer.copyBytes(from: rest)
            return rest.count
        case .file(let file, let path):
            let count = min(Int64(buffer.count), ends[index] - offset)
            return try source(index, file, path).read(
                at: offset - start,
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(count)])
            )
        }
    }

    /// The open file of a part. Checks the file before it once more: all of its bytes have been read.
    private func source(_ index: Int, _ file: PinnedFile, _ path: String) throws(Problem) -> FileBodySource {
        let former = openFile.withLock { $0 }
        if let former, former.index == index { return former.source }
        try former?.source.check()
        let source = try FileBodySource(file, at: path)
        openFile.withLock { $0 = OpenFile(index: index, source: source) }
        return source
    }

    func check() throws(Problem) { try openFile.withLock { $0 }?.source.check() }
}
