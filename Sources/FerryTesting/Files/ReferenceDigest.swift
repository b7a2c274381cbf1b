import Crypto
package import FerryCore

/// All of Ferry's digests, computed at once and in the simplest way: hashes by swift-crypto, checks bit by bit.
///
/// The live file system computes them piece by piece, the checks with tables and the processor's instructions. Its
/// tests also compare both with the values in the specifications.
package enum ReferenceDigest {
    /// The digest of `bytes`.
    package static func digest(_ algorithm: Checksum.Algorithm, of bytes: [UInt8]) -> Checksum {
        let digest =
            switch algorithm {
            case .sha512: Array(SHA512.hash(data: bytes))
            case .sha384: Array(SHA384.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            case .sha1: Array(Insecure.SHA1.hash(data: bytes))
            case .md5: Array(Insecure.MD5.hash(data: bytes))
            case .crc64nvme: remainder(of: bytes, width: 64, generator: 0xAD93_D235_94C9_3659)
            case .crc64ecma: remainder(of: bytes, width: 64, generator: 0x42F0_E1EB_A9EA_3693)
            case .crc32c: remainder(of: bytes, width: 32, generator: 0x1EDC_6F41)
            case .crc32: remainder(of: bytes, width: 32, generator: 0x04C1_1DB7)
            }
        return Checksum(algorithm: algorithm, digest: digest)
    }

    /// Long division bit by bit, the highest term first, in message order: only the input and the output are
    /// reflected.
    private static func remainder(of bytes: [UInt8], width: Int, generator: UInt64) -> [UInt8] {
        let top = UInt64(1) << UInt64(width - 1)
        let mask = UInt64.max >> UInt64(64 - width)
        var rest = mask
        for byte in bytes {
            for bit in UInt8(0)..<8 {
                let isOdd = (rest & top != 0) != (byte >> bit & 1 == 1)
                rest = (rest << 1 ^ (isOdd ? generator : 0)) & mask
            }
        }
        let inverted = ~rest & mask
        let value = (0..<UInt64(width)).reduce(0 as UInt64) { $0 << 1 | inverted >> $1 & 1 }
        return (0..<width / 8).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }
}
