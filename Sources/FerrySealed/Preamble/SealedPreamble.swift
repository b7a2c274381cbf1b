/// What stands before the chunks of a sealed file: the header, and the nonce that the payload's key is derived with.
package struct SealedPreamble: Sendable {
    /// The length of the nonce in bytes.
    package static let nonceLength = 16

    /// The header and the nonce.
    package let bytes: [UInt8]
    /// The key of the payload.
    package let key: PayloadKey

    /// Begins a new file, with new keys.
    ///
    /// - Parameter random: a cryptographic generator.
    /// - Throws: ``KeyProblem/lowOrder`` for a key whose shared secret everyone knows.
    package init(
        sealingTo recipients: Recipients,
        using random: inout some RandomNumberGenerator
    ) throws(KeyProblem) {
        let fileKey = FileKey(using: &random)
        let nonce = random.bytes(Self.nonceLength)
        bytes = try SealedHeader(sealing: fileKey, to: recipients, using: &random).encoded + nonce
        key = fileKey.payloadKey(nonce: nonce)
    }

    /// Opens the beginning of a file.
    ///
    /// - Parameters:
    ///   - header: its header.
    ///   - nonce: the bytes that follow it: ``nonceLength`` of them, or fewer if the file ends before.
    ///   - identities: the keys that may open it.
    ///   - mostWork: the largest work factor of a passphrase that is accepted.
    /// - Throws: ``SealedProblem``.
    package init(
        opening header: SealedHeader,
        nonce: [UInt8],
        with identities: [Identity],
        mostWork: Int = Recipients.mostWork
    ) throws(SealedProblem) {
        let fileKey = try header.fileKey(with: identities, mostWork: mostWork)
        guard nonce.count == Self.nonceLength else { throw .cutShort(chunks: 0) }
        bytes = header.encoded + nonce
        key = fileKey.payloadKey(nonce: nonce)
    }
}
