internal import Crypto
internal import FerryCore

/// Computes the digest of bytes that arrive piece by piece, by any of Ferry's algorithms.
///
/// It is a value: a copy has the digest of the bytes so far and continues independently.
struct Digester: Sendable {
    let algorithm: Checksum.Algorithm
    private var function: any DigestFunction

    init(_ algorithm: Checksum.Algorithm) {
        self.algorithm = algorithm
        function =
            switch algorithm {
            case .sha512: SHA512()
            case .sha384: SHA384()
            case .sha256: SHA256()
            case .sha1: Insecure.SHA1()
            case .md5: Insecure.MD5()
            case .crc64nvme: RedundancyFunction(.crc64nvme, .crc64nvme)
            case .crc64ecma: RedundancyFunction(.crc64ecma, .crc64ecma)
            case .crc32c: RedundancyFunction(.crc32c, .crc32c)
            case .crc32: RedundancyFunction(.crc32, .crc32)
            }
    }

    /// Takes the bytes that come next.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        function.take(bytes)
    }

    /// The checksum of all bytes taken.
    var checksum: Checksum {
        Checksum(algorithm: algorithm, digest: function.digest)
    }
}
