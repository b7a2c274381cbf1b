package import Ferry

/// What is done before a request is added: with the files and pipes of its body, and with the IDs of earlier requests.
package struct RequestPreparation: Sendable {
    /// Notes which file is at a path now.
    var pin: @Sendable (String) async throws -> PinnedFile
    /// Copies what a pipe gives, for the transfer with this UUID.
    var copy: @Sendable (PipedBody, TransferUUID) async throws -> StoredBody
    /// Computes digests of a body.
    var digests: @Sendable (StoredBody, [Checksum.Algorithm]) async throws -> [Checksum]
    /// Finds the UUID of an earlier transfer.
    var uuid: @Sendable (TransferID) async throws -> TransferUUID

    init(
        pin: @escaping @Sendable (String) async throws -> PinnedFile,
        copy: @escaping @Sendable (PipedBody, TransferUUID) async throws -> StoredBody,
        digests: @escaping @Sendable (StoredBody, [Checksum.Algorithm]) async throws -> [Checksum],
        uuid: @escaping @Sendable (TransferID) async throws -> TransferUUID
    ) {
        (self.pin, self.copy, self.digests, self.uuid) = (pin, copy, digests, uuid)
    }

    /// Prepares for the store of a client or an engine.
    package init(_ access: some TransferAccess) {
        self.init {
            try await access.pin($0)
        } copy: {
            try await access.copyBody($0, for: $1)
        } digests: {
            try await access.digests(of: $0, by: $1)
        } uuid: {
            try await access.snapshot(of: $0).uuid
        }
    }
}
