import FerryCore

extension DownloadProgress {
    /// Reads a text that ``plainText`` gives, without a decoder; `nil` for any other text.
    ///
    /// Such a text is read for every file, and for every line of a list, so its cost counts.
    init?(plainText text: String) {
        self.init()
        var json = PlainJSONReader(text)
        mediaType = json.string("mediaType").flatMap { MediaType($0) }
        name = json.fileName("name")
        part = json.member("part") { $0.part() }
        if let stored = json.string("phase").flatMap({ Phase(rawValue: $0) }) { phase = stored }
        server = json.member("server") { $0.origin() }
        source = json.string("source")
        status = json.number("status")
        let bits: Int? = json.number("trail")
        if let bits { trail = RedirectTrail(rawValue: bits) }
        if let stored = json.member("validator", { $0.validator() }) { validator = stored }
        guard let written = plainText, written.hasSameOctets(as: text) else { return nil }
    }

    /// The JSON text of the small parts, written without an encoder; `nil` if there is something that plain downloads do
    /// not have.
    ///
    /// Such a text is written twice for every file, so its cost counts.
    var plainText: String? {
        guard kept == nil, volunteered == nil, contentCoding == nil, !isDecoded, assurance == .single,
            mirroring == Mirroring(), refusedParts == 0, partStart == nil, saved == nil, note == nil,
            part?.seal == nil, part?.adoption == nil
        else { return nil }
        // In the order of the keys.
        let json = PlainJSON { json in
            json.member("mediaType", mediaType?.description)
            json.member("name", name?.rawValue)
            if let part { json.member("part") { $0.members(of: part) } }
            if phase != .receiving { json.member("phase", phase.rawValue) }
            if let server {
                json.member("server") { json in
                    json.member("host", server.host)
                    json.member("port", server.port)
                    json.member("scheme", server.scheme.rawValue)
                }
            }
            json.member("source", source)
            json.member("status", status)
            if !trail.isEmpty { json.member("trail", trail.rawValue) }
            if validator != Validator() { json.member("validator") { $0.members(of: validator) } }
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
