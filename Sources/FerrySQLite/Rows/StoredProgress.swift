import FerryCore

/// The columns that hold the progress of a transfer.
struct StoredProgress {
    /// The progress of a request, or the small parts of a download's checkpoint; as JSON.
    var checkpoint: String?
    /// The segment map in its compact form.
    var segments: [UInt8]?
    /// The explanation for people.
    var note: String?

    /// Creates the columns of a progress; an empty one takes no space.
    init(_ progress: WorkProgress, codec: RowCodec) throws {
        switch progress {
        case .download(let progress):
            let small = StoredCheckpoint(progress)
            checkpoint = small.isEmpty ? nil : try codec.encode(small)
            note = progress.note
            segments = progress.segments == Self.untouched ? nil : progress.segments.encoded
        case .request(let progress):
            checkpoint = progress == RequestProgress() ? nil : try codec.encodeJSON(progress)
        }
    }

    /// Whether nothing is known yet.
    var isEmpty: Bool { checkpoint == nil && segments == nil && note == nil }

    private static let untouched = SegmentMap(length: nil)
}
