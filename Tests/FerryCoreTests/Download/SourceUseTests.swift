import HTTPTypes
import Testing

@testable import FerryCore

@Suite("How the sources of one file are used together")
struct SourceUseTests {
    /// A row of the table: what holds, and `nil` where either may.
    private struct Row {
        var others: Bool? = true
        var alone: Bool? = false
        var verified: Bool? = false
        var stream: Bool?
        var sealed: Bool?
        var pieces: Bool?
        var strict: Bool?
        var pinned: Bool?
        var scattered: Bool?
        var use: SourceUse

        func holds(in situation: SourceUse.Situation) -> Bool {
            let facts: [(Bool?, Bool)] = [
                (others, situation.hasOthers), (alone, situation.isAlone),
                (verified, situation.isVerifiedLater), (stream, situation.isStream),
                (sealed, situation.isSealed), (pieces, situation.hasPieces),
                (strict, situation.isStrict), (pinned, situation.isLeadPinned),
                (scattered, situation.isScattered),
            ]
            return facts.allSatisfy { wanted, found in wanted.map { $0 == found } ?? true }
        }
    }

    private static let table = [
        Row(others: false, alone: nil, verified: nil, use: .alone),
        Row(alone: true, verified: nil, use: .alone),
        Row(verified: true, use: .verified),
        Row(stream: true, use: .failover),
        Row(sealed: true, use: .failover),
        Row(pieces: true, use: .failover),
        Row(strict: true, use: .failover),
        Row(pinned: false, use: .failover),
        Row(scattered: true, use: .failover),
        Row(
            stream: false,
            sealed: false,
            pieces: false,
            strict: false,
            pinned: true,
            scattered: false,
            use: .compared
        ),
    ]

    private static func situation(_ bits: Int) -> SourceUse.Situation {
        func bit(_ place: Int) -> Bool { bits >> place & 1 == 1 }
        return SourceUse.Situation(
            hasOthers: bit(0),
            isAlone: bit(1),
            isVerifiedLater: bit(2),
            isStream: bit(3),
            isSealed: bit(4),
            hasPieces: bit(5),
            isStrict: bit(6),
            isLeadPinned: bit(7),
            isScattered: bit(8)
        )
    }

    @Test func everySituationIsDecidedAsItsRowSays() {
        var used = Set<Int>()
        for bits in 0..<(1 << 9) {
            let situation = Self.situation(bits)
            let rows = Self.table.indices.filter { Self.table[$0].holds(in: situation) }
            used.formUnion(rows)
            #expect(Set(rows.map { Self.table[$0].use }) == [SourceUse.decide(situation)], "\(situation)")
        }
        #expect(used.count == Self.table.count, "a row is never needed")
    }

    @Test(arguments: [("\"v1\"", true), ("W/\"v1\"", false), (nil, false)] as [(String?, Bool)])
    func theTagOfTheFirstServerDecides(tag: String?, isCompared: Bool) throws {
        let mirror = try HTTPURL(parsing: "https://mirror.example/f")
        let download = try DividedDownload(tag: tag) { $0.mirrors = [mirror] }
        #expect(download.machine.download.sourceUse == (isCompared ? .compared : .failover))
    }

    @Test func aDateThatProvesTheVersionCountsOnlyWithoutATag() throws {
        let dates: [HTTPField.Name: String] = [
            .lastModified: "Tue, 14 Nov 2023 10:00:00 GMT", .date: "Wed, 15 Nov 2023 10:00:00 GMT",
        ]
        for tag in [nil, "\"v1\"", "W/\"v1\""] {
            var fields = HTTPFields()
            for (name, value) in dates { fields[name] = value }
            fields[.eTag] = tag
            #expect(Validator(fields, receivedAt: .epoch).pinsParts == (tag != "W/\"v1\""))
        }
    }

    // MARK: Answers of a mirror

    /// The course of a mirror's answer to a request without a condition, and whether it is taken.
    ///
    /// - Parameters:
    ///   - isMixed: whether another source brings bytes as well; by default, if it was asked beside others.
    ///   - change: changes the download, which has 8 MiB of the lead.
    private func isTaken(
        tag: String?,
        from address: String = "https://mirror.example/f",
        overlap: Int64 = 0,
        isBeside: Bool = true,
        date: String? = nil,
        isMixed: Bool? = nil,
        _ change: (inout Download, SourceID) -> Void = { _, _ in }
    ) throws -> Bool {
        let mirror = try HTTPURL(parsing: "https://mirror.example/f")
        let source = SourceID.mirror(mirror)
        var download = try DividedDownload { $0.mirrors = [mirror] }.machine.download
        download.progress.segments.advance(0, writtenTo: 8 << 20)
        change(&download, source)
        let range = (8 << 20) - overlap..<(16 << 20)
        var headers = HTTPFields()
        headers[.eTag] = tag
        headers[.lastModified] = date
        headers[.contentRange] =
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(DividedDownload.length)"
        let length = range.upperBound - range.lowerBound
        let head = ResponseHead(status: 206, headers: headers, bodyLength: length)
        let facts = ResponseFacts(head, from: try HTTPURL(parsing: address), at: .epoch)
        let request = RangeRequest(
            from: range.lowerBound,
            upTo: range.upperBound,
            condition: .overlap(overlap)
        )
        let answer = ConnectionAnswer(
            id: DividedDownload.id(2),
            status: 206,
            facts: facts,
            form: download.form(of: facts),
            connection: OpenConnection(.segment(0), request, from: source, at: .epoch, isBeside: isBeside),
            segment: Segment(8 << 20..<16 << 20),
            hasOthers: isBeside,
            isSourceShared: isBeside,
            hasOtherSources: isMixed ?? isBeside,
            isGiverReceiving: false,
            traitsOfLead: ServerTraits()
        )
        return download.course(of: answer) == .join(comparing: overlap)
    }

    @Test(
        "a mirror's second answer counts only if it is of the version that the first one had",
        arguments: [
            ("\"m1\"", "mirror.example", true), (nil, "mirror.example", false),
            ("\"m2\"", "mirror.example", false), ("\"m1\"", "other.example", false),
        ] as [(String?, String, Bool)]
    )
    func itsVersionIsPinned(tag: String?, host: String, counts: Bool) throws {
        let isTaken = try isTaken(tag: tag, from: "https://\(host)/f") { download, source in
            download.progress.mirroring.versions[source] = Mirroring.Version(
                validator: Validator([.eTag: "\"m1\""], receivedAt: .epoch),
                source: "https://mirror.example/f"
            )
        }
        #expect(isTaken == counts)
    }

    @Test(
        arguments: [
            ("\"m1\"", true, true), (nil, true, false), (nil, false, true),
        ] as [(String?, Bool, Bool)]
    )
    func anOverlapIsEnoughForAMirrorThatTakesOverOnly(tag: String?, isBeside: Bool, counts: Bool) throws {
        #expect(try isTaken(tag: tag, overlap: 10, isBeside: isBeside) == counts)
    }

    // MARK: Dates

    private static let date = "Sat, 01 Jan 2000 00:00:00 GMT"
    private static let otherDate = "Thu, 01 Jun 2000 00:00:00 GMT"

    @Test(
        "without a digest, a mirror of another date gives nothing beside others",
        arguments: [
            (date, date, true, true), (date, nil, true, true), (nil, otherDate, true, true),
            (date, "Saturday, 01-Jan-00 00:00:00 GMT", true, true), (date, otherDate, true, false),
            (date, otherDate, false, true),
        ] as [(String?, String?, Bool, Bool)]
    )
    func dates(lead: String?, mirror: String?, isMixed: Bool, counts: Bool) throws {
        let isTaken = try isTaken(tag: "\"m1\"", date: mirror, isMixed: isMixed) { download, _ in
            download.progress.validator = Validator(
                entityTag: EntityTag("\"v1\""),
                lastModified: lead,
                date: nil,
                receivedAt: .epoch
            )
        }
        #expect(isTaken == counts)
    }

    @Test func aDateSaysNothingBesideADigest() throws {
        let mirror = try HTTPURL(parsing: "https://mirror.example/f")
        for isVerified in [true, false] {
            let download = try DividedDownload(fields: [.lastModified: Self.date]) { options in
                options.mirrors = [mirror]
                let digest = [UInt8](repeating: 7, count: 32)
                if isVerified { options.checksum = Checksum(algorithm: .sha256, digest: digest) }
            }.machine.download
            let other = Validator([.lastModified: Self.otherDate], receivedAt: .epoch)
            #expect(download.isOfOtherDate(other) == !isVerified)
            #expect(!download.isOfOtherDate(download.progress.validator))
        }
    }
}
