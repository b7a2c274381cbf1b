import FerryCore

/// Takes the bytes of a file up to its maximum length. The length of the whole may not be known before its end.
final class BoundedSink: ByteSink {
    private let most: Int64
    private let sink: any ByteSink

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - most: the maximum length of the file, in bytes (``DownloadOptions/mostLength``).
    ///   - sink: the sink of the bytes.
    init(most: Int64, before sink: any ByteSink) {
        self.most = most
        self.sink = sink
    }

    var isQuick: Bool { sink.isQuick }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        guard offset <= most, Int64(bytes.byteCount) <= most - offset else {
            throw StorageProblem(.tooLong(most: most), errno: 0)
        }
        try sink.write(bytes, at: offset)
    }
}
