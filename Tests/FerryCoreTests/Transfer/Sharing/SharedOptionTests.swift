import FerryCore
import FerryTesting
import Foundation
import Testing

/// Two requests share a transfer only if both would accept every byte.
@Suite("The options of two requests for one transfer")
struct SharedOptionTests {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let owner = OwnerID(rawValue: 1)

    /// Plain options and those of every row, each paired with every other, and with those of every two rows.
    private static func everyPair() throws -> [(asked: DownloadOptions, had: DownloadOptions)] {
        let changes = samples.sorted { $0.key < $1.key }.flatMap(\.value)
        var all = [DownloadOptions()]
        for change in changes {
            var one = DownloadOptions()
            try change(&one)
            all.append(one)
        }
        let few = all
        for (index, change) in changes.enumerated() {
            for other in changes[..<index] {
                var two = DownloadOptions()
                try change(&two)
                try other(&two)
                all.append(two)
            }
        }
        return few.flatMap { one in all.flatMap { [(one, $0), ($0, one)] } }
    }

    /// A new option has no row yet.
    @Test func everyFieldStandsInOneRow() throws {
        let parts: [Any] = [DownloadOptions(), ExchangeTerms(), WorkTerms()]
        let options = parts.flatMap { Mirror(reflecting: $0).children.compactMap(\.label) }
        let connection = Mirror(reflecting: ConnectionOptions()).children.compactMap(\.label)
        let fields =
            options.filter { !["exchange", "terms", "connection"].contains($0) }
            + connection.map { "connection.\($0)" }
        #expect(SharedOption.all.flatMap(\.fields).sorted() == fields.sorted())
        #expect(SharedOption.all.map(\.name).sorted() == Self.samples.keys.sorted())
        for option in SharedOption.all {
            for change in try #require(Self.samples[option.name]) {
                var (changed, copy) = (DownloadOptions(), DownloadOptions())
                try change(&changed)
                #expect(changed != copy, "\(option.name) has a sample that changes nothing")
                option.set(&copy, to: changed)
                #expect(changed == copy, "\(option.name) does not copy all of it")
            }
        }
    }

    /// An option that is written and not read would have its default again after a restart.
    @Test func everyOptionIsReadAsItWasStored() throws {
        for (name, changes) in Self.samples {
            for change in changes {
                var options = DownloadOptions()
                try change(&options)
                let stored = try JSONEncoder().encode(options)
                #expect(try JSONDecoder().decode(DownloadOptions.self, from: stored) == options, "\(name)")
            }
        }
    }

    /// Different destinations are different transfers, which share nothing.
    @Test func everyDestinationIsAnother() throws {
        let url = try HTTPURL(parsing: "http://example.com/f")
        let all: [Destination] = [
            .file(directory: "/a", name: nil), .file(directory: "/b", name: nil),
            .file(directory: "/a", name: try FileName(userGiven: "n")),
            .file(directory: "/a", name: try FileName(userGiven: "m")), .stream(path: "/a"), .standardOutput,
        ]
        let identities = all.map { DownloadSpecification(url: url, destination: $0).identity }
        #expect(Set(identities).count == all.count)
    }

    // MARK: All pairs

    /// Whether a request with these options accepts every byte fetched with those; written independently of the table.
    private func accepts(_ asked: DownloadOptions, _ had: DownloadOptions) -> Bool {
        let isProved = had.checksum != nil || had.pieces != nil
        let acceptsSources =
            asked.mirrors == had.mirrors || Set(had.mirrors).isSubset(of: asked.mirrors) || isProved
        return fulfils(asked, had)
            && trusts(asked.connection, had.connection)
            && (asked.allowsDowngrade || !had.allowsDowngrade)
            && (asked.ignoresServerDigests || !had.ignoresServerDigests)
            && (!asked.strictResume || had.strictResume) && (!asked.refusesPages || had.refusesPages)
            && (!asked.ignoresServerMirrors || had.ignoresServerMirrors) && acceptsSources
            && goesTheWay(asked, had)
    }

    /// Whether a request accepts every certificate that the other accepts.
    private func trusts(_ asked: ConnectionOptions, _ had: ConnectionOptions) -> Bool {
        let isSame = asked.certificateAuthorityFile == had.certificateAuthorityFile
        return asked.trustsAnyCertificate || (!had.trustsAnyCertificate && isSame)
    }

    /// Whether the file is what is asked for.
    private func fulfils(_ asked: DownloadOptions, _ had: DownloadOptions) -> Bool {
        (asked.checksum == nil || asked.checksum == had.checksum)
            && (asked.length == nil || asked.length == had.length)
            && (asked.pieces == nil || asked.pieces == had.pieces) && isShortEnough(asked, had)
    }

    private func isShortEnough(_ asked: DownloadOptions, _ had: DownloadOptions) -> Bool {
        guard let most = asked.maximumLength else { return true }
        return had.maximumLength.map { $0 <= most } ?? false
    }

    private func goesTheWay(_ asked: DownloadOptions, _ had: DownloadOptions) -> Bool {
        let namesNone = asked.connection.proxy == nil && asked.proxies == nil
        return keepsPath(asked.connection, had.connection)
            && (namesNone || (asked.connection.proxy == had.connection.proxy && asked.proxies == had.proxies))
    }

    private func keepsPath(_ asked: ConnectionOptions, _ had: ConnectionOptions) -> Bool {
        (asked.addressFamily == nil || asked.addressFamily == had.addressFamily)
            && (asked.localAddress == nil || asked.localAddress == had.localAddress)
            && (asked.hostOverrides.isEmpty || asked.hostOverrides == had.hostOverrides)
    }

    private func isKnownAs(_ asked: DownloadOptions, _ had: DownloadOptions) -> Bool {
        (asked.credentials == nil || asked.credentials == had.credentials)
            && asked.range == had.range && asked.recipients == had.recipients
            && (asked.headers.isEmpty || asked.headers == had.headers)
            && [nil, had.connection.clientCertificate].contains(asked.connection.clientCertificate)
            && [nil, had.exchange.store].contains(asked.exchange.store)
    }

    private func transfer(
        _ state: TransferState,
        _ options: DownloadOptions,
        heldBy owner: OwnerID? = nil
    ) throws -> Transfer {
        var transfer = try TransitionTests.transfer(in: state, claimedBy: owner)
        transfer.specification.options = options
        return transfer
    }

    @Test func whatALivingOwnerHasIsSharedOnlyWhereEveryByteIsAccepted() throws {
        for (asked, had) in try Self.everyPair() {
            let held = try transfer(.active, had, heldBy: Self.owner)
            let isShared = accepts(asked, had) && isKnownAs(asked, had)
            guard let terms = terms(asked, held) else {
                if isShared { Issue.record("refused: \(asked) \(had)") }
                continue
            }
            if !isShared || terms.options != had { Issue.record("shared: \(asked) \(had)") }
        }
    }

    @Test func whatIsGoingToBeRunIsWhatBothAccept() throws {
        for (asked, had) in try Self.everyPair() {
            guard let terms = terms(asked, try transfer(.queued, had)) else {
                if accepts(asked, had), isKnownAs(asked, had) { Issue.record("refused: \(asked) \(had)") }
                continue
            }
            let isAccepted = accepts(asked, terms.options) && accepts(had, terms.options)
            if !isAccepted || !isKnownAs(asked, terms.options) || !isKnownAs(had, terms.options) {
                Issue.record("\(asked) and \(had) make \(terms.options)")
            }
            let retries = asked.retries == DownloadOptions().retries ? had.retries : asked.retries
            if terms.options.retries != retries { Issue.record("the newest named preference counts") }
        }
    }

    /// The options that both share; `nil` if they share none.
    private func terms(_ asked: DownloadOptions, _ transfer: Transfer) -> SharedTerms? {
        do {
            return try SharedTerms(asked, meeting: transfer.theDownload, as: transfer.reliance)
        } catch {
            return nil
        }
    }

    /// Gives a request the preferences of an earlier one that it leaves as every new transfer has them.
    private static func keepWhatIsNotNamed(in asked: inout DownloadOptions, of had: DownloadOptions) {
        let usual = DownloadOptions()
        func keep<Value: Equatable>(_ path: WritableKeyPath<DownloadOptions, Value>) {
            if asked[keyPath: path] == usual[keyPath: path] { asked[keyPath: path] = had[keyPath: path] }
        }
        keep(\.existingFile)
        keep(\.retries)
        keep(\.retriedStatuses)
        keep(\.redirectLimit)
        keep(\.connections)
        keep(\.mountPoint)
        keep(\.rateLimit)
        keep(\.window)
        keep(\.connection.connectTimeout)
        keep(\.connection.idleTimeout)
        keep(\.connection.lowSpeedLimit)
        keep(\.connection.lowSpeedTime)
    }

    /// A person edits a transfer, and repeats the line that added it.
    @Test func whatALaterLineDoesNotNameStays() throws {
        var had = DownloadOptions()
        (had.retries, had.existingFile, had.onChange) = (3, .overwrite, .fail)
        had.rateLimit = try RateLimit(bytesPerSecond: 4_096)
        had.window = try TimeWindow(parsing: "22:00-06:00")
        for state in [TransferState.queued, .paused] {
            let earlier = try transfer(state, had)
            let same = try #require(terms(DownloadOptions(), earlier)).options
            #expect(same.retries == 3 && same.existingFile == .overwrite && same.onChange == .automatic)
            #expect(same.rateLimit == had.rateLimit && same.window == had.window)
            var asked = DownloadOptions()
            asked.retries = 5
            let changed = try #require(terms(asked, earlier)).options
            #expect(changed.retries == 5 && changed.rateLimit == had.rateLimit)
        }
    }

    /// Whether the requirements on the file are compatible.
    private func canJoin(_ asked: DownloadOptions, _ had: DownloadOptions) -> Bool {
        func agree<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
            one == nil || other == nil || one == other
        }
        return agree(asked.checksum, had.checksum) && agree(asked.length, had.length)
            && agree(asked.pieces, had.pieces)
    }

    @Test func whatNobodyCountsOnGetsTheTermsOfTheNewestAndKeepsItsDigest() throws {
        for (asked, had) in try Self.everyPair() {
            var expected = asked
            Self.keepWhatIsNotNamed(in: &expected, of: had)
            // An entry of a pool is for all who ask for it.
            if canJoin(asked, had), asked.cache == nil || had.cache == nil {
                expected.checksum = asked.checksum ?? had.checksum
                expected.length = asked.length ?? had.length
                expected.pieces = asked.pieces ?? had.pieces
            }
            let terms = try SharedTerms(asked, meeting: transfer(.paused, had).theDownload, as: .dropped)
            if terms.options != expected { Issue.record("\(asked) and \(had) make \(terms.options)") }
        }
    }

    /// A file of a pool is served to all, so the digest of a caller whose download failed is no one else's.
    @Test func theDigestOfAFailedDownloadDoesNotStickToAPool() throws {
        var (plain, digested, lengthy) = (DownloadOptions(), DownloadOptions(), DownloadOptions())
        plain.cache = CacheTerms(pool: "a")
        (digested.cache, lengthy.cache) = (plain.cache, plain.cache)
        digested.checksum = try Self.digest("0")
        lengthy.length = 5
        for (asked, had) in [(plain, digested), (lengthy, digested), (digested, lengthy), (plain, lengthy)] {
            let dropped = try transfer(.paused, had).theDownload
            #expect(try SharedTerms(asked, meeting: dropped, as: .dropped).options == asked)
        }
        // One that will run is still someone's.
        let pending = try transfer(.queued, digested).theDownload
        #expect(try SharedTerms(plain, meeting: pending, as: .pending).options == digested)
    }

    /// Bytes of several servers belong together only as a digest says (I5).
    @Test func mixedBytesOfAPoolAreDroppedWithTheirDigest() throws {
        var plain = DownloadOptions()
        plain.cache = CacheTerms(pool: "a")
        plain.mirrors = [try HTTPURL(parsing: "http://a/")]
        var digested = plain
        digested.checksum = try Self.digest("0")
        for isMixed in [false, true] {
            var had = try experienced("http://example.com/f", digested, in: .paused).theDownload
            had.progress.mirroring.provenance.note(0..<2, from: .own)
            if isMixed { had.progress.mirroring.provenance.note(2..<5, from: .mirror(plain.mirrors[0])) }
            #expect(try SharedTerms(plain, meeting: had, as: .dropped).dropsBytes == isMixed)
            #expect(try !SharedTerms(digested, meeting: had, as: .dropped).dropsBytes)
        }
    }

    // MARK: Existing bytes

    private func experienced(
        _ url: String,
        _ options: DownloadOptions,
        in state: TransferState
    ) throws -> Transfer {
        var transfer = try transfer(state, options)
        transfer.specification.url = try HTTPURL(parsing: url)
        transfer.downloadProgress.segments = try #require(
            SegmentMap(segments: [Segment(range: 0..<10, written: 5, durable: 5)])
        )
        transfer.downloadProgress.trail = RedirectTrail(through: [transfer.specification.url])
        return transfer
    }

    /// A request for a verified connection does not resume bytes from an unverified one.
    @Test func bytesOfWeakerTermsAreDroppedUnlessADigestProvesThem() throws {
        var (insecure, proved) = (DownloadOptions(), DownloadOptions())
        insecure.connection.trustsAnyCertificate = true
        proved.checksum = try Self.digest("0")
        for state in [TransferState.queued, .paused, .waiting(.network)] {
            for (url, asked, keeps) in [
                ("https://example.com/f", DownloadOptions(), false), ("https://example.com/f", proved, true),
                ("https://example.com/f", insecure, true), ("http://example.com/f", DownloadOptions(), true),
            ] {
                var transfer = try experienced(url, insecure, in: state)
                var specification = transfer.specification
                specification.options = asked
                _ = try transfer.meet(NewTransfer(specification), holder: Self.owner, token: 9, at: Self.now)
                #expect((transfer.downloadProgress.segments.received == 5) == keeps, "\(url) \(state)")
                #expect(
                    transfer.specification.options.connection.trustsAnyCertificate
                        == asked.connection.trustsAnyCertificate
                )
                let completed = try experienced(url, insecure, in: .completed)
                #expect(completed.theDownload.serves(asked) == keeps)
            }
        }
    }

    @Test func otherTrustAndLooserResumptionCastDoubtOnTheBytes() throws {
        var own = DownloadOptions()
        own.connection.certificateAuthorityFile = "/a"
        #expect(
            try !experienced("https://example.com/f", own, in: .completed).theDownload.serves(
                DownloadOptions()
            )
        )
        var strict = DownloadOptions()
        strict.strictResume = true
        for (assurance, keeps) in [
            (Assurance.overlapChecked, false), (.proved, true), (.single, true),
        ] {
            var transfer = try experienced("http://example.com/f", DownloadOptions(), in: .paused)
            transfer.downloadProgress.assurance = assurance
            #expect(transfer.theDownload.serves(strict) == keeps)
            var specification = transfer.specification
            specification.options = strict
            _ = try transfer.meet(NewTransfer(specification), holder: nil, token: 9, at: Self.now)
            #expect((transfer.downloadProgress.segments.received == 5) == keeps)
        }
        var downgraded = DownloadOptions()
        downgraded.allowsDowngrade = true
        var transfer = try experienced("https://example.com/f", downgraded, in: .completed)
        #expect(transfer.theDownload.serves(DownloadOptions()), "it was not downgraded")
        transfer.downloadProgress.trail.insert(.downgraded)
        #expect(!transfer.theDownload.serves(DownloadOptions()))
    }

    // MARK: Messages

    /// Bytes that a dead process left unverified are verified from now on.
    @Test func anAuthorityOfOnesOwnIsMoreThanNone() throws {
        var (insecure, own) = (DownloadOptions(), DownloadOptions())
        insecure.connection.trustsAnyCertificate = true
        own.connection.certificateAuthorityFile = "/a"
        let terms = try SharedTerms(own, meeting: transfer(.queued, insecure).theDownload, as: .pending)
        #expect(terms.options == own)
        let kept = try SharedTerms(insecure, meeting: transfer(.queued, own).theDownload, as: .pending)
        #expect(kept.options == own)
    }

    @Test func aPermissionThatIsNotTakenIsTold() throws {
        var asked = DownloadOptions()
        asked.connection.trustsAnyCertificate = true
        asked.allowsDowngrade = true
        asked.ignoresServerDigests = true
        asked.mirrors = [try HTTPURL(parsing: "http://a/")]
        let plain = DownloadOptions()
        #expect(
            try transfer(.queued, plain).unheeded(of: asked) == [
                .anyCertificate, .downgrade, .noServerDigests, .mirrors,
            ]
        )
        #expect(try transfer(.queued, asked).unheeded(of: asked) == [])
        #expect(try transfer(.queued, asked).unheeded(of: plain) == [])
        #expect(try transfer(.completed, plain).unheeded(of: asked) == [])
        // A request that drops user and password needs no message that they are sent.
        var known = plain
        known.credentials = .bearer(token: "a")
        #expect(try transfer(.queued, known).unheeded(of: plain) == [])
    }

    @Test func aRefusalSaysWhatHappensAndWhatToDo() throws {
        for option in SharedOption.all where option.kind != .preference {
            for change in try #require(Self.samples[option.name]) {
                var changed = DownloadOptions()
                try change(&changed)
                for (asked, had) in [(changed, DownloadOptions()), (DownloadOptions(), changed)] {
                    var transfer = try transfer(.active, had, heldBy: Self.owner)
                    let before = transfer
                    var specification = transfer.specification
                    specification.options = asked
                    do {
                        _ = try transfer.meet(NewTransfer(specification), holder: nil, token: 9, at: Self.now)
                    } catch {
                        #expect("\(error)".hasPrefix("Transfer 7 already runs "))
                        #expect(error.remedies == [.pause, .callAgain] && error.transfer == transfer.id)
                        let isInsecure = had.connection.trustsAnyCertificate
                        #expect("\(error)".contains("without verifying") == isInsecure, "\(error)")
                        #expect(transfer == before)
                    }
                }
            }
        }
    }
}
