import FerryCore

/// The small parts of a progress as JSON, without those that still have their initial value.
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

    /// Whether there is nothing to store.
    var isEmpty: Bool {
        phase == nil && name == nil && part == nil && kept == nil && validator == nil && mediaType == nil
            && volunteered == nil
            && contentCoding == nil && isDecoded == nil
            && assurance == nil && server == nil && source == nil && trail == nil && mirroring == nil
            && refusedParts == nil && partStart == nil && saved == nil && note == nil && status == nil
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

    /// Reads a text that ``plainText`` gives, without a decoder; `nil` for any other text.
    ///
    /// Such a text is read for every file, and for every line of a list, so its cost counts.
    init?(plainText text: String) {
        self.init(DownloadProgress())
        var json = PlainJSONReader(text)
        mediaType = json.string("mediaType").flatMap { MediaType($0) }
        name = json.fileName("name")
        part = json.member("part") { $0.part() }
        phase = json.string("phase").flatMap { DownloadProgress.Phase(rawValue: $0) }
        server = json.member("server") { $0.origin() }
        source = json.string("source")
        status = json.number("status")
        let bits: Int? = json.number("trail")
        trail = bits.map { RedirectTrail(rawValue: $0) }
        validator = json.member("validator") { $0.validator() }
        guard let written = plainText, written.hasSameOctets(as: text) else { return nil }
    }

    /// The JSON text, written without an encoder; `nil` if there is something that plain downloads do not have.
    ///
    /// Such a text is written twice for every file, so its cost counts.
    var plainText: String? {
        guard kept == nil, volunteered == nil, contentCoding == nil, isDecoded == nil, assurance == nil,
            mirroring == nil, refusedParts == nil, partStart == nil, saved == nil, note == nil,
            part?.seal == nil, part?.adoption == nil
        else { return nil }
        // In the order of the keys.
        let json = PlainJSON { json in
            json.member("mediaType", mediaType?.description)
            json.member("name", name?.rawValue)
            if let part { json.member("part") { $0.members(of: part) } }
            json.member("phase", phase?.rawValue)
            if let server {
                json.member("server") { json in
                    json.member("host", server.host)
                    json.member("port", server.port)
                    json.member("scheme", server.scheme.rawValue)
                }
            }
            json.member("source", source)
            json.member("status", status)
            json.member("trail", trail?.rawValue)
            if let validator { json.member("validator") { $0.members(of: validator) } }
        }
        return json.text
    }
}

extension PlainJSON {
    fileprivate mutating func members(of part: PartFileClaim) {
        member("boot", part.boot.rawValue)
        member("identity") { json in
            json.member("birth", part.identity.birth)
            json.member("device", part.identity.device)
            json.member("inode", part.identity.inode)
        }
        member("modified", part.modified)
        member("name", part.name.rawValue)
    }

    fileprivate mutating func members(of validator: Validator) {
        member("date", validator.date)
        member("entityTag", validator.entityTag?.description)
        member("lastModified", validator.lastModified)
        member("lastModifiedInstant", validator.lastModifiedInstant)
    }
}

extension PlainJSONReader {
    fileprivate mutating func fileName(_ key: StaticString) -> FileName? {
        guard let text = string(key) else { return nil }
        do { return try FileName(userGiven: text) } catch { return nil }
    }

    fileprivate mutating func part() -> PartFileClaim? {
        guard let boot = string("boot"), let identity = member("identity", { $0.identity() }) else {
            return nil
        }
        let modified: Int64? = number("modified")
        guard let name = fileName("name") else { return nil }
        return PartFileClaim(
            name: name,
            identity: identity,
            boot: BootID(rawValue: boot),
            modified: modified
        )
    }

    private mutating func identity() -> FileIdentity? {
        let birth: Int64? = number("birth")
        guard let device: UInt64 = number("device"), let inode: UInt64 = number("inode") else { return nil }
        return FileIdentity(device: device, inode: inode, birth: birth)
    }

    fileprivate mutating func origin() -> Origin? {
        guard let host = string("host"), let port: Int = number("port"),
            let scheme = string("scheme").flatMap({ HTTPURL.Scheme(rawValue: $0) })
        else { return nil }
        return Origin(scheme: scheme, host: host, port: port)
    }

    fileprivate mutating func validator() -> Validator? {
        let date = moment("date")
        let entityTag = string("entityTag").flatMap { EntityTag($0) }
        let lastModified = string("lastModified")
        // Follows from the text, as the comparison shows.
        _ = moment("lastModifiedInstant")
        return Validator(
            entityTag: entityTag,
            lastModified: lastModified,
            date: date,
            receivedAt: date ?? .epoch
        )
    }

    private mutating func moment(_ key: StaticString) -> Instant? {
        member(key) { json in
            let milliseconds: Int64? = json.number("milliseconds")
            return milliseconds.map { Instant(milliseconds: $0) }
        }
    }
}
