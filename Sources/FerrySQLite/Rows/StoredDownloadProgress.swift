import FerryCore

/// The small parts of a progress for a JSON coder, without those that still have their initial value.
///
/// Most progress needs no coder (`DownloadProgress.plainText`).
struct StoredDownloadProgress: Hashable, Codable {
    private var phase: DownloadProgress.Phase?
    private var name: FileName?
    private var part: PartFileClaim?
    private var kept: PartFileClaim?
    private var validator: Validator?
    private var mediaType: MediaType?
    private var volunteered: Checksum?
    private var contentCoding: String?
    private var isDecoded: Bool?
    private var assurance: Assurance?
    private var server: Origin?
    private var source: String?
    private var trail: RedirectTrail?
    private var mirroring: Mirroring?
    private var refusedParts: Int?
    private var partStart: Int64?
    private var saved: SavedVersion?
    private var note: TransferNote?
    private var status: Int?

    /// Takes the small parts of a progress.
    init(_ progress: DownloadProgress) {
        phase = progress.phase == .receiving ? nil : progress.phase
        name = progress.name
        part = progress.part
        kept = progress.kept
        validator = progress.validator == Validator() ? nil : progress.validator
        mediaType = progress.mediaType
        volunteered = progress.volunteered
        contentCoding = progress.contentCoding
        isDecoded = progress.isDecoded ? true : nil
        assurance = progress.assurance == .single ? nil : progress.assurance
        server = progress.server
        source = progress.source
        trail = progress.trail.isEmpty ? nil : progress.trail
        mirroring = progress.mirroring == Mirroring() ? nil : progress.mirroring
        refusedParts = progress.refusedParts == 0 ? nil : progress.refusedParts
        partStart = progress.partStart
        saved = progress.saved
        note = progress.note
        status = progress.status
    }

    /// The progress with these small parts and the given segments.
    func progress(segments: SegmentMap) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.segments = segments
        if let phase { progress.phase = phase }
        progress.name = name
        progress.part = part
        progress.kept = kept
        if let validator { progress.validator = validator }
        progress.mediaType = mediaType
        progress.volunteered = volunteered
        progress.contentCoding = contentCoding
        progress.isDecoded = isDecoded ?? false
        if let assurance { progress.assurance = assurance }
        progress.server = server
        progress.source = source
        if let trail { progress.trail = trail }
        if let mirroring { progress.mirroring = mirroring }
        if let refusedParts { progress.refusedParts = max(0, min(refusedParts, Int(Int32.max))) }
        progress.partStart = partStart.map { max(0, $0) }
        progress.saved = saved
        progress.note = note
        progress.status = status
        return progress
    }
}
