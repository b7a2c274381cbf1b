internal import FerryCore

/// Bytes and files, one after the other, as the body of a request.
final class JoinedBodySource: BodySource {
    /// A part of the body.
    enum Part: Sendable {
        case bytes([UInt8])
        case file(FileBodySource)

        fileprivate var length: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.count)
            case .file(let source): source.fileLength
            }
        }
    }

    private let parts: [Part]
    /// The offset at which each part ends.
    private let ends: [Int64]

    /// Joins the parts, in order.
    init(_ parts: [Part]) {
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
        case .file(let source):
            let count = min(Int64(buffer.count), ends[index] - offset)
            return try source.read(
                at: offset - start,
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(count)])
            )
        }
    }

    func check() throws(Problem) {
        for case .file(let source) in parts { try source.check() }
    }
}
