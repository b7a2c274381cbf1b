import FerryCore
import FerryTesting
import HTTPTypes

/// A small simulation that answers a download machine's actions with legal but random events. Now and then the resource
/// changes, the disk fails, or the download is asked to end.
struct SimulatedEnvironment {
    struct Exchange {
        var isHeadDue = true
        var version: Int
        /// What the body holds, and where it is written; `nil` while it is held back.
        var body: Range<Int64>
        var position: Int64?
        var limit: Int64?
        /// Where it is to end, if another one takes the rest.
        var bound: Int64?
        var comparing: Int64 = 0
        var isCut = false
        var isMirror = false
        /// Whether its head names another range than its body has, so that the body must not be written.
        var isUseless = false
        var orders = 0
    }

    enum Pending {
        case event(DownloadEvent)
        case synchronize([Int: Int], isNamed: Bool)
    }

    static let length: Int64 = 300

    var random: SeededRandom
    var faultRate: Int
    var version = 1
    /// Which version each byte of the part file is of; what a program sees, and what a power cut would leave.
    var file: [Int: Int] = [:]
    var durable: [Int: Int] = [:]
    var partExists = false
    /// Whether a sync has begun since the part file has its name, and so has made it durable.
    var isNameDurable = false
    var isPublished = false
    /// Whether new part files come without a name.
    let sparesNames: Bool
    var exchanges: [ConnectionID: Exchange] = [:]
    var pending: [Pending] = []
    var finished: (AttemptOutcome, DownloadProgress)?
    var faults: [String] = []
    var asks = 0
    var samplesDue = 0
    /// Which connections were not opened, and how often one was to get the rest of another.
    var denied: Set<ConnectionID> = []
    var divisions = 0
    /// Which attempt it is, how often the first one divided a body, and how often a server was looked up.
    var attempt = 1
    var firstDivisions = 0
    var recalls = 0
    /// How many bodies came from mirrors beside the lead, and how often bytes were found wrong.
    var mirrorBodies = 0
    var wrongDigests = 0
    /// How many bodies were only compared.
    var comparisons = 0
    /// The most bytes of a body that come at once.
    var bodyPace: Int64 = 120
    var kind: Kind
    /// Whether the resource changes now and then.
    var changes = true

    /// What the origin can do.
    enum Kind: CaseIterable {
        case strong, dated, weak, silent, chunked, noRanges, ignoresIfRange
    }

    /// What a mirror serves.
    enum MirrorKind: CaseIterable {
        case same, former, wrong, short, gone
    }

    /// The mirrors, by their hosts.
    var mirrors: [String: MirrorKind] = [:]
    /// Whether the file is known by its digest, which is that of the first version.
    var isKnown = false

    static let boot = BootID(rawValue: "one")
    static let identity = FileIdentity(device: 1, inode: 5)
    static let place = FilePlace(directory: "/d", name: .fallback)
    static let origin = try? HTTPURL(parsing: "http://example.com/f")
    static let elsewhere = try? HTTPURL(parsing: "http://edge.example.com/f")

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        kind = Kind.allCases.randomElement(using: &random)!
        faultRate = [0, 3, 12].randomElement(using: &random)!
        sparesNames = Bool.random(using: &random)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func complain(_ text: String) { faults.append(text) }

    /// Whether a sync is under way.
    var isSynchronizing: Bool {
        pending.contains { if case .synchronize = $0 { true } else { false } }
    }

    // MARK: Actions

    mutating func carryOut(_ action: DownloadAction) {
        if finished != nil { complain("\(action) after the end") }
        switch action {
        case .survey:
            let entry =
                partExists && !isPublished
                ? FileSurvey.Entry(identity: Self.identity, length: extent, kind: .file) : nil
            answer(.surveyed(FileSurvey(final: nil, part: entry)), .survey)
        case .createPart:
            if partExists { complain("the part file is created twice") }
            let isNamed = !sparesNames
            if answer(.partReady(Self.identity, isNamed: isNamed), .prepare) { file = [:] }
        case .namePart:
            if answer(.partNamed, .name) { partExists = true }
        case .adopt, .giveBack: complain("a file of another tool is moved, but no other tool left one")
        case .openPart:
            answer(.partReady(Self.identity), .prepare)
        case .replacePart:
            if exchanges.values.contains(where: { $0.position != nil && $0.comparing == 0 }) {
                complain("the file is replaced while a connection writes to it")
            }
            partExists = false
            if answer(.partReady(Self.identity, isNamed: !sparesNames), .prepare) { file = [:] }
        case .reserve: answer(.reserved, .prepare)
        case .expect: break
        case .trim: answer(.trimmed, .prepare)
        case .connect, .connectBeside, .shorten, .sample, .recall, .receive, .disconnect:
            carryOutOnNetwork(action)
        case .record(let progress, _):
            check(progress)
            checkName(of: progress)
        case .synchronize:
            if isSynchronizing { complain("two syncs at once") }
            pending.append(.synchronize(file, isNamed: partExists))
        case .digest(let algorithm, let length):
            let versions = Set((0..<Int(length)).map { file[$0] ?? 0 })
            let ok = isKnown ? versions == [1] : versions.count == 1
            if !ok { wrongDigests += 1 }
            answer(
                .digested(Checksum(algorithm: algorithm, digest: [UInt8](repeating: ok ? 7 : 0, count: 32))),
                .digest
            )
        case .digestPieces(let pieces, let length):
            let wrong = pieces.checksums.indices.filter { piece in
                pieces.range(of: piece, inFileOf: length).contains { file[Int($0)] != 1 }
            }
            if !wrong.isEmpty { wrongDigests += 1 }
            answer(.piecesDigested(wrong: wrong), .digest)
        case .inspect: answer(.inspected(nil), .digest)
        case .publish:
            checkPublication()
            if answer(.published(modified: nil), .publish) { isPublished = true }
        case .synchronizeDirectory: answer(.directorySynchronized, .publish)
        case .removePart: if answer(.partRemoved, .remove) { (partExists, isNameDurable) = (false, false) }
        case .remember, .note, .decode: break
        case .finish(let outcome, let progress): finish(outcome, progress)
        }
    }

    private mutating func finish(_ outcome: AttemptOutcome, _ progress: DownloadProgress) {
        if outcome != .completed || isPublished { check(progress) }
        // How far a cancelled one had come is history, not a claim.
        if outcome != .cancelled { checkName(of: progress) }
        if outcome == .completed, !isPublished { complain("completed and not published") }
        // Every failure here has a cause. A machine that reports none is wrong.
        if case .failed(let problem) = outcome, problem.failure.message.hasSuffix(" was cut.") {
            complain("it failed although nothing had: \(problem.failure.message)")
        }
        finished = (outcome, progress)
    }

    private mutating func carryOutOnNetwork(_ action: DownloadAction) {
        switch action {
        case .connect(let id, let request): connect(id, request)
        case .connectBeside(let id, let request):
            if chance(10) {
                denied.insert(id)
                pending.append(.event(.connectionEnded(id, at: nil, .denied)))
            } else {
                connect(id, request)
            }
        case .shorten(let id, let offset, let other):
            pending.append(.event(.shortened(for: other, shorten(id, to: offset))))
        case .sample: samplesDue += 1
        case .recall(let server):
            recalls += 1
            let known = ServerTraits(connectionLimit: chance(10) ? .init(2, found: .epoch) : nil)
            let isProbed = known.connectionLimit != nil && chance(50)
            pending.append(.event(.recalled(known, of: server, isProbed: isProbed)))
        case .receive(let id, let offset, let limit, let overlap):
            exchanges[id]?.orders += 1
            if exchanges[id]?.isMirror == true { mirrorBodies += 1 }
            exchanges[id]?.position = offset
            exchanges[id]?.limit = limit
            exchanges[id]?.comparing = overlap
            if overlap > 0, overlap == limit { comparisons += 1 }
            if exchanges[id]?.isUseless == true { complain("an answer without a right range is written") }
            if exchanges[id]?.body.lowerBound != offset { complain("a body is written to the wrong place") }
            checkThatNobodyElseWrites(id)
        case .disconnect(let id):
            // The answer to one that was not opened may still be on its way.
            if exchanges[id]?.isCut != false, !denied.contains(id) {
                complain("\(id) is cut twice, or is not there")
            }
            exchanges[id]?.isCut = true
        default: complain("\(action) is nothing of the network's")
        }
    }

    private mutating func shorten(_ id: ConnectionID, to offset: Int64) -> Bool {
        guard let exchange = exchanges[id], let position = exchange.position, position <= offset else {
            return false
        }
        exchanges[id]?.bound = min(offset, exchange.bound ?? .max)
        divisions += 1
        if attempt == 1 { firstDivisions += 1 }
        return true
    }

    private mutating func checkThatNobodyElseWrites(_ id: ConnectionID) {
        guard let fresh = exchanges[id]?.toWrite else { return }
        for (other, exchange) in exchanges where other != id && !exchange.isCut {
            if let theirs = exchange.toWrite, theirs.overlaps(fresh) {
                complain("\(other) writes \(theirs), \(id) \(fresh)")
            }
        }
    }

    private var extent: Int64 { Int64((file.keys.max() ?? -1) + 1) }

    @discardableResult
    private mutating func answer(
        _ event: DownloadEvent,
        _ operation: DownloadEvent.StorageOperation
    ) -> Bool {
        let fails = chance(faultRate)
        let problem = Problem.transient(.storageFault, "as drawn")
        pending.append(.event(fails ? .storageFailed(operation, problem) : event))
        return !fails
    }

    private mutating func check(_ progress: DownloadProgress) {
        for segment in progress.segments.segments {
            // What is claimed under another boot is worth only what is durable of it.
            let isTrusted = progress.part?.boot == Self.boot
            for offset in segment.range.lowerBound..<segment.written
            where isTrusted && file[Int(offset)] == nil {
                return complain("I2: byte \(offset) is claimed as written")
            }
            for offset in segment.range.lowerBound..<segment.durable
            where durable[Int(offset)] != file[Int(offset)] {
                return complain("I2: byte \(offset) is claimed as durable")
            }
        }
    }

    /// Bytes are claimed only where they can be found again; a publication gives the name itself.
    private mutating func checkName(of progress: DownloadProgress) {
        guard !isPublished, progress.phase != .publishing else { return }
        if !isNameDurable, progress.segments.durableBytes > 0 {
            complain("I2: bytes are claimed as durable whose file a power cut would take")
        }
        // What is claimed under another boot is worth only what is durable of it.
        guard !partExists, progress.part?.boot == Self.boot else { return }
        if progress.segments.received > 0 { complain("I2: bytes of a file without a name are claimed") }
    }

    private mutating func checkPublication() {
        let versions = Set((0..<Int(Self.length)).map { file[$0] ?? 0 })
        if versions.count != 1 || versions.contains(0) { complain("I5: versions \(versions) are published") }
        if isKnown, versions != [1] { complain("a version that is not the known one is published") }
        if file.count != Int(Self.length) { complain("I1: \(file.count) bytes are published") }
        if durable != file { complain("I1: bytes are published that were not synced") }
    }

    // MARK: The origin

    private mutating func connect(_ id: ConnectionID, _ request: RangeRequest) {
        if exchanges[id] != nil { complain("\(id) is connected twice") }
        if changes, chance(4) { version += 1 }
        let end = min(Self.length, request.upTo ?? .max)
        let mirror = request.mirror.map { mirrors[$0.host] ?? .gone }
        let version = version(of: mirror)
        exchanges[id] = Exchange(version: version, body: request.from..<max(request.from, end))
        exchanges[id]?.isMirror = mirror != nil
        guard chance(90) else {
            exchanges[id]?.isHeadDue = false
            return
        }
        let (status, from) = mirror == .gone ? (404, 0) : status(for: request, version: version)
        let upTo = status == 206 ? end : status == 200 ? Self.length : from
        exchanges[id]?.body = from..<upTo
        let total = mirror == .short ? Self.length - 10 : Self.length
        var facts = facts(status: status, from: from, upTo: upTo, version: version, total: total)
        // Now and then it is another server behind the same name that answers.
        facts.url = chance(3) ? Self.elsewhere : request.mirror ?? Self.origin
        if status == 206, chance(6) {
            exchanges[id]?.isUseless = true
            facts.makeUseless(by: Int.random(in: 0..<4, using: &random))
        } else if status == 200, request.isWhole, chance(6) {
            // It evidently is the whole if it has a length.
            facts.status = 206
            facts.contentRange = .present(.bytes(0..<Self.length, total: Self.length))
            exchanges[id]?.isUseless = facts.bodyLength == nil
        }
        pending.append(.event(.head(id, facts)))
    }

    private func version(of mirror: MirrorKind?) -> Int {
        switch mirror {
        case nil, .same: version
        case .former: 1
        case .wrong, .short, .gone: 99
        }
    }

    private mutating func status(for request: RangeRequest, version: Int) -> (Int, Int64) {
        if chance(3) { return (503, 0) }
        let tag = "\"v\(version)\""
        if case .ifMatch(let wanted) = request.condition, wanted.description != tag { return (412, 0) }
        guard !request.isWhole, kind != .noRanges else { return (200, 0) }
        if request.from >= Self.length { return (416, 0) }
        switch request.condition {
        case .ifRange(let wanted) where wanted.description != tag && kind != .ignoresIfRange: return (200, 0)
        case .ifUnmodifiedDate(let date) where date != Self.date(of: version): return (200, 0)
        default: return (206, request.from)
        }
    }

    private func facts(
        status: Int,
        from: Int64,
        upTo: Int64,
        version: Int,
        total: Int64
    ) -> ResponseFacts {
        var headers: HTTPFields = [.contentType: "application/zip"]
        switch kind {
        case .strong, .chunked, .noRanges, .ignoresIfRange: headers[.eTag] = "\"v\(version)\""
        case .weak: headers[.eTag] = "W/\"v\(version)\""
        case .dated:
            headers[.lastModified] = Self.date(of: version)
            headers[.date] = "Wed, 15 Nov 2023 10:00:00 GMT"
        case .silent: break
        }
        if status == 206 { headers[.contentRange] = "bytes \(from)-\(upTo - 1)/\(total)" }
        if status == 416 { headers[.contentRange] = "bytes */\(total)" }
        let length: Int64? = kind == .chunked && status == 200 ? nil : (status < 300 ? upTo - from : 0)
        return ResponseFacts(ResponseHead(status: status, headers: headers, bodyLength: length), at: .epoch)
    }

    private static func date(of version: Int) -> String {
        Instant(seconds: 1_600_000_000 + Int64(version) * 60).httpDate
    }
}

extension SimulatedEnvironment.Exchange {
    /// The bytes that are still to be written by it. What it only compares is not among them.
    fileprivate var toWrite: Range<Int64>? {
        guard let position else { return nil }
        let end = min(body.upperBound, bound ?? .max, limit.map { body.lowerBound + $0 } ?? .max)
        let start = max(position, body.lowerBound + comparing)
        return start < end ? start..<end : nil
    }
}

extension ResponseFacts {
    /// Makes the head of a right part one that does not say which part the body is.
    fileprivate mutating func makeUseless(by choice: Int) {
        switch (choice, contentRange) {
        case (0, .present(.bytes(let range, let total))):
            contentRange = .present(.bytes(range.lowerBound + 1..<range.upperBound + 1, total: total))
        case (1, _): contentRange = .unreadable
        case (2, _): mediaType = MediaType("multipart/byteranges; boundary=x")
        default: contentRange = .absent
        }
    }
}
