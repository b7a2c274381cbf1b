internal import Crypto

/// A digest function fed piece by piece; a copy continues independently.
protocol DigestFunction: Sendable {
    /// Takes the bytes that come next.
    mutating func take(_ bytes: UnsafeRawBufferPointer)

    /// The digest of all bytes taken.
    var digest: [UInt8] { get }
}

extension HashFunction where Self: DigestFunction {
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        update(bufferPointer: bytes)
    }

    var digest: [UInt8] { Array(finalize()) }
}

extension SHA256: DigestFunction {}
extension SHA384: DigestFunction {}
extension SHA512: DigestFunction {}
extension Insecure.SHA1: DigestFunction {}
extension Insecure.MD5: DigestFunction {}
