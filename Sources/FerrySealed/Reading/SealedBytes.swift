/// A sealed file that can be read at any offset.
package protocol SealedBytes: Sendable {
    /// Its length in bytes.
    var length: Int64 { get }

    /// The bytes of a range, which lies within the file and may be empty; fewer if the file has become shorter meanwhile.
    func bytes(_ range: Range<Int64>) async throws -> [UInt8]

    /// The error that tells the caller about a problem of this file.
    func failure(_ problem: SealedProblem) -> any Error
}

extension SealedBytes {
    /// The length of the first part that is read to find the header: that of a chunk.
    private static var usualHeader: Int64 { ChunkMap.sealedChunkLength }

    /// The header. More of the file is read only if the header is longer than a chunk.
    ///
    /// - Throws: ``failure(_:)`` if the file is not sealed or its header is invalid.
    package func header() async throws -> SealedHeader {
        var end = min(Self.usualHeader, length)
        while true {
            let beginning = try await bytes(0..<end)
            do throws(SealedProblem) {
                return try SealedHeader(reading: beginning)
            } catch {
                guard error == .header(.ends), end < length, end <= SealedHeader.longest else {
                    throw failure(error)
                }
                end = min(end * 4, length)
            }
        }
    }

    /// The nonce that follows a header; fewer bytes if the file ends before.
    package func nonce(after header: SealedHeader) async throws -> [UInt8] {
        let start = min(Int64(header.length), length)
        return try await bytes(start..<min(start + Int64(SealedPreamble.nonceLength), length))
    }

    /// The payload.
    ///
    /// - Parameter key: the key that the header and the nonce have given.
    /// - Throws: ``failure(_:)`` if the file is cut short.
    package func payload(after header: SealedHeader, _ key: PayloadKey) async throws -> SealedPayload {
        try await SealedPayload(self, from: Int64(header.length + SealedPreamble.nonceLength), key)
    }
}
