import FerryCore

/// The columns that hold the progress of a transfer.
struct StoredProgress {
    /// The progress of a request without the body of the response, or the small parts of a download's progress, as JSON.
    var details: String?
    /// The segment map in its compact form.
    var segments: [UInt8]?
    /// The body of the response; `nil` for an empty one.
    var responseBody: [UInt8]?

    /// Creates the columns of a progress; an empty one takes no space.
    init(_ progress: WorkProgress, codec: RowCodec) throws {
        try progress.stored.store(in: &self, codec: codec)
    }

    /// Whether nothing is known yet.
    var isEmpty: Bool { details == nil && segments == nil }
}
