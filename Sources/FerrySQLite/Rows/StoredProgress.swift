import FerryCore

/// The columns that hold the progress of a transfer.
struct StoredProgress {
    /// The progress of a request, or the small parts of a download's progress, as JSON.
    var details: String?
    /// The segment map in its compact form.
    var segments: [UInt8]?

    /// Creates the columns of a progress; an empty one takes no space.
    init(_ progress: WorkProgress, codec: RowCodec) throws {
        switch progress {
        case .download(let progress):
            let small = StoredDownloadProgress(progress)
            details = small.isEmpty ? nil : try codec.encode(small)
            segments = progress.segments == Self.untouched ? nil : progress.segments.encoded
        case .request(let progress):
            details = progress == RequestProgress() ? nil : try codec.encodeJSON(progress)
        }
    }

    /// Whether nothing is known yet.
    var isEmpty: Bool { details == nil && segments == nil }

    private static let untouched = SegmentMap(length: nil)
}
