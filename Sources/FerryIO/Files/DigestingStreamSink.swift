internal import FerryCore
internal import Synchronization

/// A stream whose bytes are digested as they are written, because they cannot be read back.
final class DigestingStreamSink: StreamSink {
    private let stream: any StreamSink
    private let digester: Mutex<Digester>

    init(_ stream: any StreamSink, algorithm: Checksum.Algorithm) {
        self.stream = stream
        digester = Mutex(Digester(algorithm))
    }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        try stream.write(bytes, at: offset)
        bytes.withUnsafeBytes { buffer in digester.withLock { $0.update(buffer) } }
    }

    func interrupt() {
        stream.interrupt()
    }

    func digest() async -> Checksum? {
        digester.withLock { $0.checksum }
    }

    func close() async {
        await stream.close()
    }
}
