package import Ferry

/// An upload in parts that has not ended at its store, and what the transfers of this machine know of it.
package struct UnfinishedUpload: Sendable {
    /// The bucket and the beginning of the key that it was listed under.
    package let prefix: ObjectPrefix
    /// What the store says.
    package let listed: ListedUpload
    /// The transfer that began it, and that may still resume or remove it; `nil` if none is known.
    package let transfer: TransferID?

    package init(_ prefix: ObjectPrefix, _ listed: ListedUpload, _ transfer: TransferID?) {
        (self.prefix, self.listed, self.transfer) = (prefix, listed, transfer)
    }

    /// The name of the object.
    package var name: String { prefix.object(listed.key)?.description ?? "" }

    /// Whether it began at least so long ago. If the store does not say when, only an age of 0 is certain.
    package func hasAge(_ age: Duration, at now: Instant) -> Bool {
        listed.begun.map { $0 <= now.advanced(by: .zero - age) } ?? (age == .zero)
    }

    /// Its members. Their names are a contract that docs/JSON.md documents.
    package var json: [JSON.Member] {
        [
            .init(name: "name", value: .string(name)), .init(name: "upload", value: .string(listed.id)),
            .init(name: "begun", value: .optional(listed.begun.map { SystemTime.timestamp($0) })),
            .init(name: "transfer", value: .optional(transfer?.rawValue)),
        ]
    }

    /// A line for people.
    package var line: String {
        let begun = listed.begun.map { SystemTime.minute($0) } ?? "-"
        return [
            TerminalText.padded(begun, to: Self.widths.begun),
            TerminalText.rightAligned(transfer.map { "\($0)" } ?? "-", to: Self.widths.transfer),
            TerminalText.safe(listed.id), TerminalText.safe(name),
        ].joined(separator: "  ")
    }

    /// The line above all others.
    package static let heading = [
        TerminalText.padded("BEGUN", to: widths.begun),
        TerminalText.rightAligned("TRANSFER", to: widths.transfer),
        "UPLOAD", "NAME",
    ].joined(separator: "  ")

    private static let widths = (begun: 16, transfer: 8)
}

/// The uploads that the transfers of a store have begun in one bucket, and have not ended.
package struct KnownUploads: Sendable {
    private struct Place: Hashable {
        let object: ObjectName
        let id: String
    }

    private var transfers: [Place: TransferID] = [:]

    /// Reads all transfers that may have one. A cancelled transfer has one until the store has removed it.
    package init(in prefix: ObjectPrefix, _ access: some TransferAccess) async throws {
        let states = TransferState.Name.allCases.filter { $0 != .completed }
        for try await transfer in access.transfers(.states(states)) { note(transfer, in: prefix) }
    }

    private mutating func note(_ transfer: Transfer, in prefix: ObjectPrefix) {
        guard case .upload(let work) = transfer.work, let handle = work.progress.handle,
            let id = handle.name, let object = work.url.objectName, object.store == prefix.store,
            object.bucket == prefix.bucket
        else { return }
        transfers[Place(object: object, id: id)] = transfer.id
    }

    /// The transfer that has begun an upload; `nil` if none has.
    package func transfer(of upload: ListedUpload, in prefix: ObjectPrefix) -> TransferID? {
        prefix.object(upload.key).flatMap { transfers[Place(object: $0, id: upload.id)] }
    }
}
