import FerryCore

/// Compares the first bytes of a body with those already present, and writes only the bytes after them.
final class OverlapSink: ByteSink {
    private let expected: [UInt8]
    private let start: Int64
    private let sink: any ByteSink

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - expected: the bytes already present.
    ///   - start: the offset of the first of them.
    ///   - sink: the sink of the bytes after them.
    init(expecting expected: [UInt8], at start: Int64, before sink: any ByteSink) {
        self.expected = expected
        self.start = start
        self.sink = sink
    }

    var isQuick: Bool { sink.isQuick }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        let end = start + Int64(expected.count)
        let overlap = max(0, min(Int64(bytes.byteCount), end - offset))
        for index in 0..<Int(overlap) {
            let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            guard byte == expected[Int(offset - start) + index] else {
                throw .bytesDiffer
            }
        }
        if overlap < bytes.byteCount {
            try sink.write(bytes.extracting(Int(overlap)..<bytes.byteCount), at: offset + overlap)
        }
    }
}
