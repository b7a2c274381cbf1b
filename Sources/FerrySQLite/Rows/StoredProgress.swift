import FerryCore

/// The columns that hold the progress of a transfer.
struct StoredProgress: Sendable {
    /// The progress of a request without the body of the response, or the small parts of a download's progress, as JSON.
    var details: String?
    /// The segment map in its compact form.
    var segments: [UInt8]?
    /// The body of the response; `nil` for an empty one.
    var responseBody: [UInt8]?

    /// Creates the columns of a progress; an empty one takes no space.
    init(_ progress: WorkProgress, codec: RowCodec) throws {
        try progress.store(in: &self, codec: codec)
    }

    /// Creates the columns that a row has.
    init(_ reader: ColumnReader<TransferColumn>) throws {
        details = try reader.optionalText(.details)
        segments = try reader.optionalBytes(.segments)
        responseBody = try reader.optionalBytes(.responseBody)
    }

    /// Whether both are the same, octet for octet.
    func isSame(as other: StoredProgress) -> Bool {
        details.hasSameOctets(as: other.details) && segments == other.segments
            && responseBody == other.responseBody
    }

    /// Whether nothing is known yet.
    var isEmpty: Bool { details == nil && segments == nil }
}
