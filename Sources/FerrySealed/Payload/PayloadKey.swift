internal import Crypto

/// The key of one payload. It seals and opens single chunks (age, "Payload"; STREAM, https://eprint.iacr.org/2015/189).
///
/// Two texts that are sealed as one chunk with one key reveal each other, and allow forgeries. So only ``PayloadSealer``
/// seals, which remembers what it has sealed.
package struct PayloadKey: Sendable {
    private let key: SymmetricKey

    /// The length of the key in bytes.
    package static let length = 32

    init(_ key: SymmetricKey) {
        self.key = key
    }

    /// Takes a key that was kept while its file was not complete; `nil` for another number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// The bytes of the key, to be kept until its file is complete, and then erased. They are a secret (I7).
    package var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }

    /// The nonce of a chunk: its number in 11 bytes, and whether it is the last.
    private static func nonce(_ chunk: Int64, isLast: Bool) -> [UInt8] {
        let number = (0..<8).map { UInt8(truncatingIfNeeded: chunk >> Int64(8 * (7 - $0))) }
        return [0, 0, 0] + number + [isLast ? 1 : 0]
    }

    func seal(_ text: ArraySlice<UInt8>, as chunk: Int64, isLast: Bool) -> [UInt8] {
        AuthenticatedCipher.seal(text, key, Self.nonce(chunk, isLast: isLast))
    }

    func open(_ sealed: ArraySlice<UInt8>, as chunk: Int64, isLast: Bool) -> [UInt8]? {
        AuthenticatedCipher.open(sealed, key, Self.nonce(chunk, isLast: isLast))
    }
}

extension PayloadKey: CustomStringConvertible {
    /// Shows no part of it (I7).
    package var description: String { "a payload key" }
}
