import HTTPTypes
import Testing

@testable import FerryCore

/// The connection limit of one source does not limit the other sources or the download.
@Suite("The connection limit of each source")
struct SourceLimitTests {
    private static let own = DividedDownload.server.host
    private static let mirror = "mirror.example"
    private static let other = "other.example"

    /// A download with mirrors and a digest. Its own URL sends the first bytes.
    private func download(
        from mirrors: [String] = [Self.mirror],
        length: Int64 = 1 << 34,
        connections: Int = 8,
        _ change: (inout DividedDownload) -> Void = { _ in }
    ) throws -> DividedDownload {
        let urls = try mirrors.map { try HTTPURL(parsing: $0.contains("/") ? $0 : "https://\($0)/f") }
        let checksum = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))
        var download = try DividedDownload(length: length) { options in
            options.mirrors = urls
            options.checksum = checksum
            options.connections = connections
        }
        change(&download)
        return download
    }

    /// Lets time pass. One server refuses requests above its limit, and the others serve all requests.
    private func run(
        _ download: inout DividedDownload,
        refusing host: String,
        beyond most: Int,
        with status: Int = 503,
        steps: Int = 100
    ) {
        for _ in 0..<steps {
            download.passes(.milliseconds(200))
            while let number = download.unanswered.first {
                let isTooMany = download.host(of: number) == host && download.openCount(of: host) > most
                download.answers(number, isTooMany ? status : 206)
            }
        }
    }

    // MARK: Known limits

    @Test func aLeadKnownToServeOneLeavesTheMirrorsTheRest() throws {
        var download = try download { $0.known.connectionLimit = .init(1, found: .epoch) }
        download.grows(to: 8)
        #expect(download.openCount(of: Self.own) == 1 && download.openCount(of: Self.mirror) == 7)
        #expect(download.remembered == nil && download.remembered(of: Self.mirror) == nil)
    }

    @Test func aMirrorKnownToServeTwoLeavesTheLeadTheRest() throws {
        var download = try download {
            $0.knownOfMirrors[Self.mirror] = ServerTraits(connectionLimit: .init(2, found: .epoch))
        }
        download.grows(to: 8)
        #expect(download.writing.count == 8)
        #expect(download.openCount(of: Self.mirror) <= 2 && download.openCount(of: Self.own) >= 6)
    }

    @Test func noMoreAreWantedThanAllServeTogether() throws {
        let limit = ServerTraits(connectionLimit: .init(2, found: .epoch))
        var download = try download {
            $0.known = limit
            $0.knownOfMirrors[Self.mirror] = limit
        }
        for _ in 0..<100 {
            download.passes(.milliseconds(200))
            download.provesAll()
        }
        #expect(download.openCount(of: Self.own) == 2 && download.openCount(of: Self.mirror) == 2)
        #expect(download.machine.board.pieces.plan.wanted == 4)
    }

    @Test func theUserSaysHowManyThereAreOfAll() throws {
        var download = try download(from: [Self.mirror, Self.other], connections: 3)
        for _ in 0..<100 {
            download.passes(.milliseconds(200))
            download.provesAll()
            #expect(download.open.count <= 3)
        }
        #expect(download.writing.count == 3)
    }

    @Test func eachServerIsLookedUpOnceAndOnlyForItsSecondConnection() throws {
        var download = try download()
        download.asksForMore()
        #expect(download.openCount(of: Self.mirror) == 1)
        #expect(download.lookedUp.count == Set(download.lookedUp).count)
        #expect(!download.lookedUp.contains(Self.mirror) || download.openCount(of: Self.own) == 1)
        download.grows(to: 8)
        let servers = Set(download.asked.values.map { $0.mirror?.host ?? Self.own })
        for server in servers {
            let isLookedUp = download.lookedUp.count { $0 == server } == 1
            #expect(isLookedUp || download.openCount(of: server) < 2, "\(server): \(download.lookedUp)")
        }
        #expect(download.lookedUp.count <= 2)
    }

    // MARK: One more than is known

    /// A download of one source, whose server is known to serve this many connections. One more is tried.
    private func probing(_ limit: Int) throws -> DividedDownload {
        var download = try DividedDownload(length: 1 << 34) { $0.connections = 8 }
        (download.known.connectionLimit, download.isProbed) = (.init(limit, found: .epoch), true)
        return download
    }

    @Test(arguments: [1, 4])
    func oneMoreIsTriedOnceAndTheLimitHoldsOnIfItIsRefused(limit: Int) throws {
        var download = try probing(limit)
        var refusals = 0
        for _ in 0..<100 {
            download.passes(.milliseconds(200))
            #expect(download.open.count <= limit + 1)
            while let number = download.unanswered.first {
                let isTooMany = download.open.count > limit
                if isTooMany { refusals += 1 }
                download.answers(number, isTooMany ? 503 : 206)
            }
        }
        #expect(refusals == 1 && download.writing.count == limit)
        let remembered = try #require(download.remembered?.connectionLimit)
        #expect(remembered.count == limit && remembered.found > .epoch)
    }

    @Test(arguments: [1, 4])
    func aServerThatServesOneMoreHasNoLimitAnyMore(limit: Int) throws {
        var download = try probing(limit)
        download.known.lacksIfRange = true
        download.grows(to: 8)
        #expect(download.writing.count == 8)
        let remembered = try #require(download.remembered)
        #expect(remembered.connectionLimit == nil)
        #expect(remembered.lacksIfRange, "what was known before is not forgotten for it")
    }

    /// It begins with what is known of its server, and asks nothing more about it.
    @Test(arguments: [false, true])
    func aResumedDownloadTriesOneMoreToo(isProbed: Bool) throws {
        var progress = DownloadProgress()
        progress.name = .fallback
        progress.segments = SegmentMap(having: [0..<1_000_000], length: 1 << 34)
        progress.validator = Validator([.eTag: "\"v1\""], receivedAt: .epoch)
        progress.part = PartFileClaim(
            name: FilePlace(directory: "/d", name: .fallback).part,
            identity: DownloadScenario.identity,
            boot: DownloadScenario.boot
        )
        let traits = ServerTraits(connectionLimit: .init(1, found: .epoch))
        var download = try DividedDownload(
            length: 1 << 34,
            from: progress,
            traits: traits,
            isProbed: isProbed
        ) { $0.connections = 8 }
        download.grows(to: 8)
        #expect(download.writing.count == (isProbed ? 8 : 1))
        #expect(download.lookedUp.isEmpty && (download.remembered != nil) == isProbed)
    }

    @Test func onlyWhoNamesMoreThanTheLimitIsHeldBackByIt() {
        let limit = ServerTraits.ConnectionLimit(4, found: .epoch)
        let table: [(named: Int?, isHeldBack: Bool)] = [(nil, false), (4, false), (5, true)]
        for (named, isHeldBack) in table {
            #expect(limit.holdsBack(named, at: .epoch) == isHeldBack)
            let late = Instant.epoch.advanced(by: ServerTraits.ConnectionLimit.lifetime)
            #expect(!limit.holdsBack(named, at: late), "it is not believed any more")
        }
    }

    // MARK: Refusals

    @Test(arguments: [429, 503])
    func aLeadThatRefusesIsRememberedForItsOwnConnectionsAlone(status: Int) throws {
        var download = try download { $0.speeds[DividedDownload.id(1)] = 40_000_000 }
        run(&download, refusing: Self.own, beyond: 1, with: status)
        #expect(download.remembered?.connectionLimit?.count == 1)
        #expect(download.remembered(of: Self.mirror) == nil)
        #expect(download.openCount(of: Self.own) <= 1 && download.writing.count == 8)
    }

    @Test(arguments: [1, 3])
    func aMirrorThatRefusesIsRememberedAndTheOthersTakeTheRest(most: Int) throws {
        var download = try download {
            $0.knownOfMirrors[Self.mirror] = ServerTraits(lacksIfRange: true)
            // Each further connection goes to the fastest source first.
            $0.speeds[DividedDownload.id(2)] = 40_000_000
        }
        run(&download, refusing: Self.mirror, beyond: most)
        #expect(download.remembered == nil)
        let remembered = try #require(download.remembered(of: Self.mirror))
        #expect(remembered.connectionLimit?.count == most)
        #expect(remembered.lacksIfRange, "what was known before is not forgotten for it")
        #expect(download.openCount(of: Self.mirror) <= most && download.writing.count == 8)
    }

    /// The user allows one connection to each host.
    @Test func aSourceWhoseHostHasNoneToSpareLeavesTheConnectionToAnother() throws {
        var download = try download(connections: 2) { $0.speeds[DividedDownload.id(2)] = 40_000_000 }
        var denials = 0
        for _ in 0..<200 {
            download.passes(.milliseconds(100))
            while let number = download.unanswered.first {
                let isTooMany = download.openCount(of: download.host(of: number)) > 1
                if isTooMany {
                    download.ends(number, .denied)
                    denials += 1
                } else {
                    download.answers(number, 206)
                }
            }
            guard denials > 0 else { continue }
            #expect(download.openCount(of: Self.own) == 1 && download.openCount(of: Self.mirror) == 1)
        }
        #expect(denials > 1 && download.remembered == nil && download.remembered(of: Self.mirror) == nil)
    }

    @Test func aMirrorThatSendsTheWholeBesideItsPartsServesNoMore() throws {
        var download = try download { $0.speeds[DividedDownload.id(2)] = 40_000_000 }
        run(&download, refusing: Self.mirror, beyond: 1, with: 200)
        #expect(download.remembered(of: Self.mirror)?.connectionLimit?.count == 1)
        #expect(download.openCount(of: Self.mirror) <= 1 && download.writing.count == 8)
    }

    @Test func aMirrorOfWhichOneBrokeIsAskedForMoreLater() throws {
        var download = try download { $0.speeds[DividedDownload.id(2)] = 40_000_000 }
        for _ in 0..<20 where download.openCount(of: Self.mirror) < 2 {
            download.passes(.milliseconds(100))
            if download.openCount(of: Self.mirror) < 2 { download.provesAll() }
        }
        let broken = try #require(download.unanswered.last { download.host(of: $0) == Self.mirror })
        download.breaks(broken)
        #expect(download.remembered(of: Self.mirror) == nil)
        download.grows(to: 8)
        #expect(download.openCount(of: Self.mirror) > 1)
    }

    @Test func twoAddressesOfOneServerAreCountedTogether() throws {
        var download = try download(from: ["https://\(Self.own)/g"], connections: 3)
        run(&download, refusing: Self.own, beyond: 2)
        #expect(download.remembered?.connectionLimit?.count == 2)
        #expect(download.writing.count == 2)
    }

    @Test func whatWasRefusedAnHourAgoIsAskedForAgain() throws {
        var download = try DividedDownload(length: 1 << 34)
        download.asksForMore()
        download.answers(2, 503)
        #expect(download.open == [1] && download.remembered?.connectionLimit?.count == 1)
        download.speeds[DividedDownload.id(1)] = 1_000_000
        download.passes(ServerTraits.ConnectionLimit.lifetime - .seconds(20))
        for _ in 0..<15 {
            download.passes(.seconds(1))
            #expect(download.open == [1])
        }
        download.grows(to: 2)
        for _ in 0..<40 where download.open.count < 2 { download.passes(.seconds(1)) }
        #expect(download.open.count > 1)
    }

    // MARK: Another leading source

    @Test func anotherLeadIsMetWithItsOwnLimit() throws {
        // The bytes of its own URL come fast, but turn out to be wrong.
        var download = try download(length: DividedDownload.length) {
            $0.known.connectionLimit = .init(1, found: .epoch)
            $0.knownOfMirrors[Self.mirror] = ServerTraits(connectionLimit: .init(3, found: .epoch))
            $0.speeds[DividedDownload.id(1)] = 1_000_000_000
        }
        download.passes(.milliseconds(100))
        let wrong = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 1, count: 32))
        download.hand(.digested(wrong))
        try #require(download.open.count == 1 && download.openCount(of: Self.mirror) == 1)
        download.answers(try #require(download.open.first), 200)
        for _ in 0..<20 {
            download.passes(.milliseconds(100))
            download.provesAll()
        }
        #expect(download.openCount(of: Self.mirror) == 3 && download.openCount(of: Self.own) == 0)
        #expect(download.lookedUp == [Self.mirror])
    }
}
