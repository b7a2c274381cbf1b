import FerryCore
import HTTPTypes
internal import Synchronization

/// The servers of a simulation: for each site its present resource and every version that it ever had.
final class SimulatedOrigin: Sendable {
    /// One resource, at an address, at a second address, and perhaps behind a redirect.
    struct Site: Sendable {
        var url: HTTPURL
        var alias: HTTPURL
        var entrance: HTTPURL
        var resource: ScriptedResource
        var versions: [[UInt8]]
        var strength: Strength
        var hasChecksum: Bool
        var mirrors: [(url: HTTPURL, kind: Mirror)] = []
        /// Bytes of it were sent that are of no version, or a length that was none.
        var hasLied = false
    }

    /// What its server says about versions.
    enum Strength: CaseIterable, Sendable {
        case strong, weak, dated, taggedAndDated, silent
    }

    /// What a mirror of a site has.
    enum Mirror: CaseIterable, Sendable {
        /// What the site has at the moment.
        case same
        /// The first version that there was.
        case former
        /// Other bytes of the same length; only where a checksum is given.
        case liar
        /// Another, longer file. Where nobody else is there, it is the file.
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
    /// Made once for all simulations, as making them takes longer than most of a run.
    private static let patterns = Mutex<[UInt8: [UInt8]]>([:])

    // MARK: Sites

    /// Puts up a site; returns its number.
    func addSite(_ dice: SimulationDice) throws -> Int {
        let number = state.withLock { $0.sites.count }
        let host = dice.pick(["origin.example", "archive.example"])
        let url = try HTTPURL(parsing: "http://\(host)/\(number)/file.bin")
        let alias = try HTTPURL(parsing: "http://\(host)/\(number)/file.bin?fresh")
        let redirect = try HTTPURL(parsing: "http://other.example/\(number)/there.bin")
        let hasChecksum = dice.happens(250)
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
        let site = Site(
            url: url,
            alias: alias,
            entrance: dice.happens(100) ? redirect : url,
            resource: resource,
            versions: [resource.bytes],
            strength: strength,
            hasChecksum: hasChecksum
        )
        state.withLock { $0.sites.append(site) }
        return number
    }

    /// Puts up mirrors of a site; returns their URLs.
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
                // Where a digest decides, bytes may be mixed until it does.
                if state.sites[number].hasChecksum, isLiar || kind == .former {
                    state.sites[number].hasLied = true
                }
            }
        }
        return urls
    }

    /// The resource changes; often its length stays.
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
        }
    }

    /// Notes that the site has sent what is true of no version.
    func noteLie(_ number: Int) { state.withLock { $0.sites[number].hasLied = true } }

    /// How many sites there are.
    var count: Int { state.withLock { $0.sites.count } }

    func site(_ number: Int) -> Site { state.withLock { $0.sites[number] } }

    func entrance(of number: Int) -> HTTPURL { site(number).entrance }

    func checksum(of number: Int) -> Checksum? {
        let site = site(number)
        return site.hasChecksum ? ReferenceDigest.digest(.sha256, of: site.resource.bytes) : nil
    }

    /// The digests of the pieces of a site's present version, each of so many bytes.
    func pieces(of number: Int, of length: Int) -> PieceDigests? {
        let bytes = site(number).resource.bytes
        let checksums = stride(from: 0, to: bytes.count, by: length).map { begin in
            ReferenceDigest.digest(.crc32c, of: Array(bytes[begin..<min(begin + length, bytes.count)]))
        }
        return PieceDigests(length: Int64(length), checksums: checksums)
    }

    /// Whether some bytes are a whole version of a site; of any when none is named.
    func isVersion(_ bytes: [UInt8], of number: Int?) -> Bool {
        state.withLock { state in
            let sites = number.map { [state.sites[$0]] } ?? state.sites
            return sites.contains { $0.versions.contains { $0.hasSameBytes(as: bytes) } }
        }
    }

    /// The site that answers at a URL, and what it sends there.
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
    /// Bytes of which none is the same as at its place in `bytes`.
    fileprivate static func longer(_ bytes: [UInt8]) -> [UInt8] { bytes.map { $0 &+ 53 } + [0] }

    /// What a mirror sends; `nil` for one that has nothing.
    fileprivate func resource(of kind: SimulatedOrigin.Mirror) -> ScriptedResource? {
        var copy = resource
        // Its tags are its own.
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
