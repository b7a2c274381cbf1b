internal import Crypto
internal import FerryCore
internal import Synchronization

/// A stream whose bytes are digested on their way, because they cannot be read back.
final class DigestingStreamSink: StreamSink {
    private enum Hash: Sendable {
        case sha256(SHA256)
        case sha512(SHA512)

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            switch self {
            case .sha256(var hash):
                hash.update(bufferPointer: bytes)
                self = .sha256(hash)
            case .sha512(var hash):
                hash.update(bufferPointer: bytes)
                self = .sha512(hash)
            }
        }

        var checksum: Checksum {
            switch self {
            case .sha256(let hash): Checksum(algorithm: .sha256, digest: hash.finalize())
            case .sha512(let hash): Checksum(algorithm: .sha512, digest: hash.finalize())
            }
        }
    }

    private let stream: any StreamSink
    private let hash: Mutex<Hash>

    init(_ stream: any StreamSink, algorithm: Checksum.Algorithm) {
        self.stream = stream
        hash = Mutex(algorithm == .sha256 ? .sha256(SHA256()) : .sha512(SHA512()))
    }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        try stream.write(bytes, at: offset)
        bytes.withUnsafeBytes { buffer in hash.withLock { $0.update(buffer) } }
    }

    func digest() async -> Checksum? {
        hash.withLock { $0.checksum }
    }

    func close() async {
        await stream.close()
    }
}
