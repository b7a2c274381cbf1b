import FerryCore

/// The small parts of a checkpoint as JSON, without those that still have their initial value.
struct StoredCheckpoint: Hashable, Codable {
    private var phase: Checkpoint.Phase?
    private var name: FileName?
    private var part: PartFileClaim?
    private var validator: Validator?
    private var mediaType: MediaType?
    private var volunteered: Checksum?
    private var contentCoding: String?
    private var isDecoded: Bool?
    private var assurance: Checkpoint.Assurance?
    private var server: Origin?
    private var source: String?
    private var trail: RedirectTrail?
    private var mirroring: Mirroring?
    private var refusedParts: Int?

    /// Takes the small parts of a checkpoint.
    init(_ checkpoint: Checkpoint) {
        phase = checkpoint.phase == .receiving ? nil : checkpoint.phase
        name = checkpoint.name
        part = checkpoint.part
        validator = checkpoint.validator == Validator() ? nil : checkpoint.validator
        mediaType = checkpoint.mediaType
        volunteered = checkpoint.volunteered
        contentCoding = checkpoint.contentCoding
        isDecoded = checkpoint.isDecoded ? true : nil
        assurance = checkpoint.assurance == .single ? nil : checkpoint.assurance
        server = checkpoint.server
        source = checkpoint.source
        trail = checkpoint.trail.isEmpty ? nil : checkpoint.trail
        mirroring = checkpoint.mirroring == Mirroring() ? nil : checkpoint.mirroring
        refusedParts = checkpoint.refusedParts == 0 ? nil : checkpoint.refusedParts
    }

    /// Whether there is nothing to store.
    var isEmpty: Bool {
        phase == nil && name == nil && part == nil && validator == nil && mediaType == nil
            && volunteered == nil
            && contentCoding == nil && isDecoded == nil
            && assurance == nil && server == nil && source == nil && trail == nil && mirroring == nil
            && refusedParts == nil
    }

    /// The checkpoint with these small parts and the given segments.
    func checkpoint(segments: SegmentMap) -> Checkpoint {
        var checkpoint = Checkpoint()
        checkpoint.segments = segments
        if let phase { checkpoint.phase = phase }
        checkpoint.name = name
        checkpoint.part = part
        if let validator { checkpoint.validator = validator }
        checkpoint.mediaType = mediaType
        checkpoint.volunteered = volunteered
        checkpoint.contentCoding = contentCoding
        checkpoint.isDecoded = isDecoded ?? false
        if let assurance { checkpoint.assurance = assurance }
        checkpoint.server = server
        checkpoint.source = source
        if let trail { checkpoint.trail = trail }
        if let mirroring { checkpoint.mirroring = mirroring }
        if let refusedParts { checkpoint.refusedParts = max(0, min(refusedParts, Int(Int32.max))) }
        return checkpoint
    }
}
