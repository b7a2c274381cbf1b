package import Ferry
package import FerrySealed

/// A sealed file at a URL. Parts of it are read without the rest.
package struct RemoteSealedSource {
    private let bytes: RemoteSealedBytes
    private let header: SealedHeader

    /// Fetches the beginning of a file, and reads its header.
    ///
    /// - Throws: ``CommandFailure`` with status 15 if the file is not sealed, or in armor; ``TransferFailure``.
    package init(
        _ url: HTTPURL,
        by engine: TransferEngine,
        _ options: DownloadOptions
    ) async throws {
        let client = RangeClient(engine, url, options.exchange, retries: options.retries)
        bytes = try await RemoteSealedBytes(client, named: url.redacted)
        header = try await bytes.header()
    }

    /// The file, as messages quote it.
    package var name: String { bytes.name }

    /// Whether the file is sealed with a passphrase, so that one must be asked for.
    package var needsPassphrase: Bool { header.isSealedWithPassphrase }

    /// Opens the header.
    ///
    /// - Returns: the payload, which can be read at any offset.
    /// - Throws: ``CommandFailure`` with status 24 if none of the identities opens it, and with 32 if the file is cut short.
    package func payload(openedWith identities: [Identity]) async throws -> SealedPayload {
        let nonce = try await bytes.nonce(after: header)
        let key: PayloadKey
        do throws(SealedProblem) {
            key = try SealedPreamble(opening: header, nonce: nonce, with: identities).key
        } catch {
            throw CommandFailure(error, in: name, hasIdentities: !identities.isEmpty)
        }
        return try await bytes.payload(after: header, key)
    }
}
