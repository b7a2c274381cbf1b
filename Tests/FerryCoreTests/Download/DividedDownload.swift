import FerryTesting
import HTTPTypes

@testable import FerryCore

/// A download over several connections as a test tells it: files and bodies do what they are told at once, and each
/// answer of the server is the test's.
struct DividedDownload {
    typealias Machine = DownloadMachine
    typealias ID = ConnectionID

    static let length: Int64 = 100_000_000
    static let server = Origin(scheme: .https, host: "objects.example", port: 443)

    var machine: Machine
    private(set) var now = Instant.epoch
    /// What each open connection asked.
    private(set) var asked: [ID: RangeRequest] = [:]
    /// How far each body has come, and where it ends.
    private(set) var bodies: [ID: Range<Int64>] = [:]
    private(set) var log: [DownloadAction] = []
    /// What is known of the server of the download's own URL.
    var known = ServerTraits()
    /// What is known of the servers of its mirrors.
    var knownOfMirrors: [String: ServerTraits] = [:]
    /// Whether a connection that is to end earlier has not come further already.
    var givesUp = true
    /// How many bytes a second each body brings, 10 MB unless told otherwise.
    var speeds: [ID: Int64] = [:]
    let length: Int64

    /// A download of which the first body is under way; `change` is what is otherwise.
    init(
        length: Int64 = Self.length,
        tag: String? = "\"v1\"",
        fields: HTTPFields = [:],
        from checkpoint: Checkpoint = Checkpoint(),
        traits: ServerTraits = ServerTraits(),
        isStream: Bool = false,
        smallestPiece: Int64 = DownloadMachine.smallestPiece,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) throws {
        self.length = length
        var options = DownloadOptions()
        change(&options)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://objects.example/f"),
            destination: isStream ? .standardOutput : .file(directory: "/d", name: .fallback),
            options: options
        )
        machine = Machine(
            specification,
            from: checkpoint,
            traits: traits,
            boot: DownloadStory.boot,
            smallestPiece: smallestPiece,
            at: .epoch
        )
        hand(.begin)
        if checkpoint.segments.received > 0 {
            proves(1)
        } else {
            answers(1, 200, tag: tag, fields: fields)
        }
    }

    static func id(_ number: Int) -> ID { ID(rawValue: number) }

    /// The numbers of the connections that are open.
    var open: [Int] { asked.keys.map(\.rawValue).sorted() }

    /// The numbers of those that bring bytes.
    var writing: [Int] { bodies.keys.map(\.rawValue).sorted() }

    /// How the attempt ended.
    var outcome: AttemptOutcome? {
        for case .finish(let outcome, _) in log { return outcome }
        return nil
    }

    /// What was to be remembered of the server, the last time.
    var remembered: ServerTraits? { remembered(of: Self.server.host) }

    /// What was to be remembered of the server with that name, the last time.
    func remembered(of host: String) -> ServerTraits? {
        var last: ServerTraits?
        for case .remember(let traits, let server) in log where server.host == host { last = traits }
        return last
    }

    /// The servers that were looked up, in order.
    var lookedUp: [String] {
        log.compactMap { if case .recall(let server) = $0 { server.host } else { nil } }
    }

    /// How many connections are open to the server with that name.
    func openCount(of host: String) -> Int {
        open.count { self.host(of: $0) == host }
    }

    /// The name of the server that a connection asks.
    func host(of number: Int) -> String { asked[Self.id(number)]?.mirror?.host ?? Self.server.host }

    /// The numbers of the connections that have not been answered yet.
    var unanswered: [Int] { open.filter { bodies[Self.id($0)] == nil } }

    // MARK: What happens

    /// Tells the machine something, and has carried out what it orders.
    mutating func hand(_ event: DownloadEvent) {
        var events = [event]
        while !events.isEmpty {
            for action in machine.handle(events.removeFirst(), at: now) {
                log.append(action)
                if let reply = carryOut(action) { events.append(reply) }
            }
        }
    }

    private mutating func carryOut(_ action: DownloadAction) -> DownloadEvent? {
        switch action {
        case .survey:
            let mine = FileSurvey.Entry(identity: DownloadStory.identity, length: length, kind: .file)
            return .surveyed(FileSurvey(final: nil, part: machine.checkpoint.part == nil ? nil : mine))
        case .createPart, .openPart, .replacePart: return .partReady(DownloadStory.identity)
        case .namePart: return .partNamed
        case .reserve: return .reserved
        case .trim: return .trimmed
        case .recall(let server):
            let isOwn = server == Self.server
            return .recalled(isOwn ? known : knownOfMirrors[server.host] ?? ServerTraits(), of: server)
        case .connect(let id, let request), .connectBeside(let id, let request):
            asked[id] = request
            return nil
        case .receive(let id, let offset, let limit, _):
            bodies[id] = offset..<(limit.map { offset + $0 } ?? length)
            return nil
        case .shorten(let id, let offset, let other):
            if givesUp, let body = bodies[id] { bodies[id] = body.lowerBound..<offset }
            return .shortened(for: other, givesUp)
        case .disconnect(let id): return ended(id, .disconnected)
        default: return nil
        }
    }

    private mutating func ended(_ id: ID, _ end: DownloadEvent.ConnectionEnd) -> DownloadEvent {
        asked[id] = nil
        return .connectionEnded(id, at: bodies.removeValue(forKey: id)?.lowerBound, end)
    }

    /// A connection ends by itself.
    mutating func ends(_ number: Int, _ end: DownloadEvent.ConnectionEnd) {
        hand(ended(Self.id(number), end))
    }

    /// A connection breaks, or cannot be opened.
    mutating func breaks(_ number: Int, _ code: TransferFailure.Code = .connectionLost) {
        ends(number, .failed(.transient(code, "It broke.")))
    }

    /// The server begins an answer; without a range it is the one that was asked for.
    mutating func answers(
        _ number: Int,
        _ status: Int,
        tag: String? = "\"v1\"",
        range: Range<Int64>? = nil,
        total: Int64? = nil,
        fields: HTTPFields = [:],
        from source: String? = nil
    ) {
        let id = Self.id(number)
        guard let request = asked[id] else { return }
        let address = source.flatMap { try? HTTPURL(parsing: $0) }
        let url = address ?? request.mirror ?? machine.specification.url
        var headers = fields
        headers[.eTag] = tag
        let part = range ?? request.from..<(request.upTo ?? length)
        if status == 206 {
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(total ?? length)"
        }
        let bodyLength = status == 206 ? part.upperBound - part.lowerBound : status == 200 ? length : 0
        let head = ResponseHead(status: status, headers: headers, bodyLength: bodyLength)
        hand(.head(id, ResponseFacts(head, from: url, at: now)))
    }

    /// The server begins the right part of the same version.
    mutating func proves(_ number: Int) { answers(number, 206) }

    /// Time passes, bodies come, and those that have come to their end are over; then the speed is looked at.
    mutating func passes(_ duration: Duration) {
        now = now.advanced(by: duration)
        for (id, body) in bodies.sorted(by: { $0.key < $1.key }) {
            let more = Int64(Double(speeds[id] ?? 10_000_000) * (duration / .seconds(1)))
            bodies[id] = min(body.upperBound, body.lowerBound + more)..<body.upperBound
        }
        hand(.sampled(bodies.mapValues(\.lowerBound)))
        for (id, body) in bodies.sorted(by: { $0.key < $1.key })
        where body.isEmpty && bodies[id] != nil {
            hand(ended(id, .complete))
        }
    }

    /// Time passes until another connection is asked for, which is as long as it takes to see that it may pay.
    mutating func asksForMore() {
        let before = Set(asked.keys)
        for _ in 0..<4 where before.isSuperset(of: asked.keys) { passes(.milliseconds(100)) }
    }

    /// Every connection that has not been answered yet sends the right part of the same version.
    mutating func provesAll() {
        for id in asked.keys.sorted() where bodies[id] == nil { proves(id.rawValue) }
    }

    /// As many connections as that bring bytes, each of which the server is glad to serve.
    mutating func grows(to count: Int) {
        for _ in 0..<40 where bodies.count < count {
            passes(.milliseconds(100))
            provesAll()
        }
    }
}
