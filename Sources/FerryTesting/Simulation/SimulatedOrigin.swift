import FerryCore
import HTTPTypes
internal import Synchronization

/// The servers of a simulation: each site's current resource and all its versions.
final class SimulatedOrigin: Sendable {
    /// One resource, at an address, at a second address, and perhaps behind a redirect.
    struct Site: Sendable {
        var url: HTTPURL
        var alias: HTTPURL
        var entrance: HTTPURL
        var resource: ScriptedResource
        var versions: [[UInt8]]
        /// The versions that have entity tags.
        var tagged: [String: [UInt8]] = [:]
        var strength: Strength
        var hasChecksum: Bool
        var mirrors: [(url: HTTPURL, kind: Mirror)] = []
        /// It sent bytes of no version, or a false length.
        var hasLied = false
    }

    /// What its server says about versions.
    enum Strength: CaseIterable, Sendable {
        case strong, weak, dated, taggedAndDated, silent
    }

    /// The content of a mirror.
    enum Mirror: CaseIterable, Sendable {
        /// The current version of the site.
        case same
        /// The first version.
        case former
        /// Other bytes of the same length; only if a checksum is given.
        case liar
        /// Another, longer file. If it is the only source, it is the file.
        case longer
        /// Nothing.
        case none
    }

    private struct State {
        var sites: [Site] = []
        var versions = 0
    }

    private let state = Mutex(State())
    private let clock: ManualClock

    init(clock: ManualClock) {
        self.clock = clock
    }

    // MARK: Bytes

    /// Bytes of a version: no two versions share a byte at any offset.
    private static func content(length: Int, version: Int) -> [UInt8] {
        let shift = UInt8(truncatingIfNeeded: version &* 37)
        return patterns.withLock { patterns in
            let pattern =
                patterns[shift]
                ?? (0..<longest).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) &+ shift }
            patterns[shift] = pattern
            return Array(pattern.prefix(length))
        }
    }

    private static let longest = 80_000
    /// Created once for all simulations, because that takes longer than most of a run.
    private static let patterns = Mutex<[UInt8: [UInt8]]>([:])

    // MARK: Sites

    /// Adds a site; returns its number.
    ///
    /// - Parameter mayHaveChecksum: whether its content may be asked for with a checksum. Its server may lie then.
    func addSite(_ dice: SimulationDice, mayHaveChecksum: Bool = true) throws -> Int {
        let number = state.withLock { $0.sites.count }
        let host = dice.pick(["origin.example", "archive.example"])
        let url = try HTTPURL(parsing: "http://\(host)/\(number)/file.bin")
        let alias = try HTTPURL(parsing: "http://\(host)/\(number)/file.bin?fresh")
        let redirect = try HTTPURL(parsing: "http://other.example/\(number)/there.bin")
        let hasChecksum = mayHaveChecksum && dice.happens(250)
        let length =
            hasChecksum
            ? dice.pick([0, 1, 900, 3_000])
            : dice.pick([0, 1, 200, 3_000, 9_000, 9_000, 20_000, 20_000, 80_000])
        var resource = ScriptedResource([])
        resource.servesRanges = dice.happens(850)
        resource.honoursIfRange = dice.happens(800)
        resource.honoursIfMatch = dice.happens(800)
        resource.tellsLength = dice.happens(800)
        let strength = dice.pick(Strength.allCases)
        let (version, now) = state.withLock { state in
            state.versions += 1
            return (state.versions, OriginClock.start.advanced(by: clock.elapsed))
        }
        resource.bytes = Self.content(length: length, version: version)
        resource.label(strength, version: version, at: now)
        var site = Site(
            url: url,
            alias: alias,
            entrance: dice.happens(100) ? redirect : url,
            resource: resource,
            versions: [resource.bytes],
            strength: strength,
            hasChecksum: hasChecksum
        )
        site.noteTag()
        let new = site
        state.withLock { $0.sites.append(new) }
        return number
    }

    /// Adds mirrors of a site; returns their URLs.
    func addMirrors(of number: Int, _ dice: SimulationDice) throws -> [HTTPURL] {
        var urls: [HTTPURL] = []
        for place in 0..<dice.pick([1, 1, 2, 3]) {
            let url = try HTTPURL(parsing: "http://mirror\(place).example/\(number)/copy.bin")
            urls.append(url)
            let kind = dice.pick(Mirror.allCases)
            state.withLock { state in
                let isLiar = kind == .liar && state.sites[number].hasChecksum
                state.sites[number].mirrors.append((url, kind == .liar && !isLiar ? .same : kind))
                if kind == .longer {
                    let bytes = Site.longer(state.sites[number].versions[0])
                    state.sites[number].versions.append(bytes)
                }
                // If a digest decides, bytes may be mixed until then.
                if state.sites[number].hasChecksum, isLiar || kind == .former {
                    state.sites[number].hasLied = true
                }
            }
        }
        return urls
    }

    /// Changes the resource, often without changing its length.
    func change(_ number: Int, _ dice: SimulationDice) {
        let isSameLength = dice.happens(600)
        let other = dice.number(in: 0..<9_000)
        let now = OriginClock.start.advanced(by: clock.elapsed)
        state.withLock { state in
            state.versions += 1
            let length = isSameLength ? state.sites[number].resource.bytes.count : other
            let bytes = Self.content(length: length, version: state.versions)
            state.sites[number].resource.bytes = bytes
            state.sites[number].resource.label(
                state.sites[number].strength,
                version: state.versions,
                at: now
            )
            state.sites[number].versions.append(bytes)
            state.sites[number].noteTag()
        }
    }

    /// Records that the site has sent something that is true of no version.
    func noteLie(_ number: Int) { state.withLock { $0.sites[number].hasLied = true } }

    /// The number of sites.
    var count: Int { state.withLock { $0.sites.count } }

    func site(_ number: Int) -> Site { state.withLock { $0.sites[number] } }

    func entrance(of number: Int) -> HTTPURL { site(number).entrance }

    func checksum(of number: Int) -> Checksum? {
        let site = site(number)
        return site.hasChecksum ? ReferenceDigest.digest(.sha256, of: site.resource.bytes) : nil
    }

    /// The digests of the pieces of a site's current version, each `length` bytes long.
    func pieces(of number: Int, of length: Int) -> PieceDigests? {
        let bytes = site(number).resource.bytes
        let checksums = stride(from: 0, to: bytes.count, by: length).map { begin in
            ReferenceDigest.digest(.crc32c, of: Array(bytes[begin..<min(begin + length, bytes.count)]))
        }
        return PieceDigests(length: Int64(length), checksums: checksums)
    }

    /// Whether some bytes are a complete version of a site, or of any site if `number` is `nil`.
    func isVersion(_ bytes: [UInt8], of number: Int?) -> Bool {
        state.withLock { state in
            let sites = number.map { [state.sites[$0]] } ?? state.sites
            return sites.contains { $0.versions.contains { $0.hasSameBytes(as: bytes) } }
        }
    }

    /// Whether some bytes are the version of a site that has an entity tag.
    func isVersion(_ bytes: [UInt8], of number: Int, tagged tag: String) -> Bool {
        site(number).tagged[tag]?.hasSameBytes(as: bytes) ?? false
    }

    /// The site that answers at a URL, and its resource there.
    func resource(at url: HTTPURL) -> (site: Int, resource: ScriptedResource)? {
        state.withLock { state in
            for (number, site) in state.sites.enumerated() {
                if url == site.url || url == site.alias { return (number, site.resource) }
                if let mirror = site.mirrors.first(where: { $0.url == url }) {
                    return site.resource(of: mirror.kind).map { (number, $0) }
                }
                guard url == site.entrance else { continue }
                var redirect = ScriptedResource([])
                redirect.redirect = (302, site.url.absoluteString)
                return (number, redirect)
            }
            return nil
        }
    }
}

extension SimulatedOrigin.Site {
    /// Records the entity tag of the current version.
    fileprivate mutating func noteTag() {
        if let tag = resource.entityTag { tagged[tag] = resource.bytes }
    }

    /// Bytes that differ from `bytes` at every offset.
    fileprivate static func longer(_ bytes: [UInt8]) -> [UInt8] { bytes.map { $0 &+ 53 } + [0] }

    /// The resource of a mirror; `nil` for one without content.
    fileprivate func resource(of kind: SimulatedOrigin.Mirror) -> ScriptedResource? {
        var copy = resource
        // It has its own tags.
        if copy.entityTag != nil { copy.entityTag = "\"m\(versions.count)\"" }
        switch kind {
        case .same: break
        case .former:
            copy.bytes = versions[0]
            copy.entityTag = copy.entityTag.map { _ in "\"m0\"" }
        case .liar: copy.bytes = resource.bytes.map { $0 &+ 101 }
        case .longer:
            copy.bytes = Self.longer(versions[0])
            copy.entityTag = copy.entityTag.map { _ in "\"longer\"" }
        case .none: return nil
        }
        return copy
    }
}

extension ScriptedResource {
    fileprivate mutating func label(_ strength: SimulatedOrigin.Strength, version: Int, at now: Instant) {
        switch strength {
        case .strong: entityTag = "\"v\(version)\""
        case .weak: entityTag = "W/\"v\(version)\""
        case .dated: lastModified = now.httpDate
        case .taggedAndDated:
            entityTag = "\"v\(version)\""
            lastModified = now.httpDate
        case .silent: break
        }
    }
}
