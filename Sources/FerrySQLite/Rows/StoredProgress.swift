import FerryCore
import Foundation

/// The columns that a checkpoint is spread over.
struct StoredProgress {
    /// The small parts as JSON.
    var checkpoint: String?
    /// The segment map in its compact form.
    var segments: Data?
    /// The explanation for people.
    var note: String?

    /// Spreads a checkpoint; one of which nothing is known takes no room.
    init(_ checkpoint: Checkpoint, codec: RowCodec) throws {
        let small = StoredCheckpoint(checkpoint)
        self.checkpoint = small.isEmpty ? nil : try codec.encode(small)
        note = checkpoint.note
        segments = checkpoint.segments == Self.untouched ? nil : Data(checkpoint.segments.encoded)
    }

    private static let untouched = SegmentMap(length: nil)
}
