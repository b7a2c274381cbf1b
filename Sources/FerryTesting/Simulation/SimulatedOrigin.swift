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
        /// Bytes of it were sent that are of no version, or a length that was none.
        var hasLied = false
    }

    /// What its server says about versions.
    enum Strength: CaseIterable, Sendable {
        case strong, weak, dated, taggedAndDated, silent
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
        let url = try HTTPURL(parsing: "http://origin.example/\(number)/file.bin")
        let alias = try HTTPURL(parsing: "http://origin.example/\(number)/file.bin?fresh")
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
                guard url == site.entrance else { continue }
                var redirect = ScriptedResource([])
                redirect.redirect = (302, site.url.absoluteString)
                return (number, redirect)
            }
            return nil
        }
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
