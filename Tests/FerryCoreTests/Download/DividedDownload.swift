import FerryTesting
import HTTPTypes

@testable import FerryCore

/// A download over several connections under the control of a test. File operations complete at once, and the test gives
/// each answer of the server.
struct DividedDownload {
    typealias Machine = DownloadMachine
    typealias ID = ConnectionID

    static let length: Int64 = 100_000_000
    static let server = Origin(scheme: .https, host: "objects.example", port: 443)

    var machine: Machine
    private(set) var now = Instant.epoch
    /// The request of each open connection.
    private(set) var asked: [ID: RangeRequest] = [:]
    /// How far each body has come, and where it ends.
    private(set) var bodies: [ID: Range<Int64>] = [:]
    private(set) var log: [DownloadAction] = []
    /// The memory of the server of the download's own URL.
    var known = ServerTraits()
    /// The memory of the servers of its mirrors.
    var knownOfMirrors: [String: ServerTraits] = [:]
    /// Whether one connection more than is remembered of a server is tried.
    var isProbed: Bool
    /// Whether a connection that must end earlier has not yet passed its new end.
    var givesUp = true
    /// The rate of each body in bytes per second, by default 10 MB.
    var speeds: [ID: Int64] = [:]
    /// Whether the part file that the progress claims is there.
    let hasPart: Bool
    let length: Int64

    /// A download that receives its first body, after `change`.
    init(
        length: Int64 = Self.length,
        tag: String? = "\"v1\"",
        fields: HTTPFields = [:],
        from progress: DownloadProgress = DownloadProgress(),
        traits: ServerTraits = ServerTraits(),
        isProbed: Bool = false,
        isStream: Bool = false,
        smallestPiece: Int64 = DownloadMachine.smallestPiece,
        hasPart: Bool = true,
        sendsParts: Bool = true,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) throws {
        (self.length, self.hasPart, self.isProbed) = (length, hasPart, isProbed)
        var options = DownloadOptions()
        change(&options)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://objects.example/f"),
            destination: isStream ? .standardOutput : .file(directory: "/d", name: .fallback),
            options: options
        )
        machine = Machine(
            specification,
            from: progress,
            traits: traits,
            isProbed: isProbed,
            boot: DownloadScenario.boot,
            smallestPiece: smallestPiece,
            at: .epoch
        )
        hand(.begin)
        // The answer of a comparison is the test's.
        guard !progress.segments.isComplete else { return }
        if progress.segments.received > 0, sendsParts {
            answers(1, 206, tag: tag)
        } else {
            answers(1, 200, tag: tag, fields: fields)
        }
    }

    static func id(_ number: Int) -> ID { ID(rawValue: number) }

    /// The numbers of the connections that are open.
    var open: [Int] { asked.keys.map(\.rawValue).sorted() }

    /// The numbers of the connections that bring bytes.
    var writing: [Int] { bodies.keys.map(\.rawValue).sorted() }

    /// Whether every byte is there and counts.
    var isWhole: Bool { log.contains(.trim(length)) }

    /// How the attempt ended.
    var outcome: AttemptOutcome? {
        for case .finish(let outcome, _) in log { return outcome }
        return nil
    }

    /// The latest memory of the server.
    var remembered: ServerTraits? { remembered(of: Self.server.host) }

    /// The latest memory of the server with this name.
    func remembered(of host: String) -> ServerTraits? {
        var last: ServerTraits?
        for case .remember(let traits, let server) in log where server.host == host { last = traits }
        return last
    }

    /// The servers that were looked up, in order.
    var lookedUp: [String] {
        log.compactMap { if case .recall(let server) = $0 { server.host } else { nil } }
    }

    /// How many connections are open to the server with this name.
    func openCount(of host: String) -> Int {
        open.count { self.host(of: $0) == host }
    }

    /// The name of a connection's server.
    func host(of number: Int) -> String { asked[Self.id(number)]?.mirror?.host ?? Self.server.host }

    /// The numbers of the connections that have not been answered yet.
    var unanswered: [Int] { open.filter { bodies[Self.id($0)] == nil } }

    // MARK: Events

    /// Hands an event to the machine, and carries out its actions.
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
            let mine = FileSurvey.Entry(identity: DownloadScenario.identity, length: length, kind: .file)
            let isFound = machine.progress.part != nil && hasPart
            return .surveyed(FileSurvey(final: nil, part: isFound ? mine : nil))
        case .openPart:
            return .partReady(DownloadScenario.identity, seal: machine.progress.part?.seal)
        case .createPart, .replacePart:
            return .partReady(DownloadScenario.identity, seal: newSeal)
        case .namePart: return .partNamed
        case .reserve: return .reserved
        case .trim: return .trimmed
        case .recall(let server):
            let isOwn = server == Self.server
            let traits = isOwn ? known : knownOfMirrors[server.host] ?? ServerTraits()
            return .recalled(traits, of: server, isProbed: isProbed)
        case .connect(let id, let request), .connectBeside(let id, let request):
            asked[id] = request
            return nil
        case .receive(let id, let offset, let limit, _):
            bodies[id] = offset..<(limit.map { offset + $0 } ?? length)
            return nil
        case .shorten(let id, let offset, let other):
            if givesUp, let body = bodies[id] {
                // It is further already.
                guard body.lowerBound <= offset else { return .shortened(for: other, false) }
                bodies[id] = body.lowerBound..<offset
            }
            return .shortened(for: other, givesUp)
        case .disconnect(let id): return ended(id, .disconnected)
        default: return nil
        }
    }

    /// The seal of a new file, with another key than the former one; `nil` if nothing is sealed. Keys are numbered from 1.
    private var newSeal: PartSeal? {
        guard machine.specification.options.isSealed else { return nil }
        let former = machine.progress.part?.seal?.key?.first ?? 0
        return PartSeal(preamble: [UInt8](repeating: 7, count: 200), key: [former + 1])
    }

    private mutating func ended(_ id: ID, _ end: DownloadEvent.ConnectionEnd) -> DownloadEvent {
        asked[id] = nil
        return .connectionEnded(id, at: bodies.removeValue(forKey: id)?.lowerBound, end)
    }

    /// A connection ends at the end of its body.
    mutating func ends(_ number: Int, _ end: DownloadEvent.ConnectionEnd) {
        hand(ended(Self.id(number), end))
    }

    /// A connection breaks, or cannot be opened.
    mutating func breaks(_ number: Int, _ code: TransferFailure.Code = .connectionLost) {
        ends(number, .failed(.transient(code, "It broke.")))
    }

    /// The server begins an answer, by default with the requested range.
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

    /// Time passes, bodies receive bytes, and complete bodies end. Then the machine measures the speed.
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

    /// Time passes until the machine has measured that another connection may help, and requests one.
    mutating func asksForMore() {
        let before = Set(asked.keys)
        for _ in 0..<4 where before.isSuperset(of: asked.keys) { passes(.milliseconds(100)) }
    }

    /// Every connection that has not been answered yet sends the right part of the same version.
    mutating func provesAll() {
        for id in asked.keys.sorted() where bodies[id] == nil { proves(id.rawValue) }
    }

    /// Lets this many connections bring bytes; the server accepts each of them.
    mutating func grows(to count: Int) {
        for _ in 0..<40 where bodies.count < count {
            passes(.milliseconds(100))
            provesAll()
        }
    }
}
