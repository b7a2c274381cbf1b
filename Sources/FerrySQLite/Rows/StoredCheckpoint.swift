import FerryCore

/// The small parts of a checkpoint as JSON; what is as it was at the beginning is left out.
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
    private var bestReceived: Int64?
    private var deaths: Int?
    private var receivedAtDeath: Int64?
    private var unknownHosts: Int?
    private var refusedParts: Int?
    private var left: Leaving?

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
        bestReceived = checkpoint.bestReceived == 0 ? nil : checkpoint.bestReceived
        deaths = checkpoint.deaths == 0 ? nil : checkpoint.deaths
        receivedAtDeath = checkpoint.receivedAtDeath == 0 ? nil : checkpoint.receivedAtDeath
        unknownHosts = checkpoint.unknownHosts == 0 ? nil : checkpoint.unknownHosts
        refusedParts = checkpoint.refusedParts == 0 ? nil : checkpoint.refusedParts
        left = checkpoint.left
    }

    /// Whether there is nothing to store.
    var isEmpty: Bool {
        phase == nil && name == nil && part == nil && validator == nil && mediaType == nil
            && volunteered == nil
            && contentCoding == nil && isDecoded == nil
            && assurance == nil && server == nil && source == nil && trail == nil && mirroring == nil
            && bestReceived == nil && deaths == nil && receivedAtDeath == nil && unknownHosts == nil
            && refusedParts == nil && left == nil
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
        if let bestReceived { checkpoint.bestReceived = bestReceived }
        if let deaths { checkpoint.deaths = max(0, min(deaths, Int(Int32.max))) }
        if let receivedAtDeath { checkpoint.receivedAtDeath = receivedAtDeath }
        if let unknownHosts { checkpoint.unknownHosts = max(0, min(unknownHosts, Int(Int32.max))) }
        if let refusedParts { checkpoint.refusedParts = max(0, min(refusedParts, Int(Int32.max))) }
        checkpoint.left = left
        return checkpoint
    }
}
