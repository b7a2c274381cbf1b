import FerryTesting

/// The peer's steps on its connections, and the client's requests. Both follow from the seed.
struct RawExchange: Sendable {
    /// The layer between the client and the bytes of the peer.
    enum Lane: CaseIterable, Sendable {
        /// Nothing.
        case plain
        /// TLS that is spoken well.
        case secure
        /// The peer speaks anything where TLS is expected.
        case brokenTLS
        /// The peer is a SOCKS proxy.
        case socks
        /// The peer is a proxy that is asked for a tunnel.
        case tunnel
    }

    /// One thing that the peer does.
    enum Step: Sendable {
        /// Waits for a request's head.
        case awaitHead
        /// Waits for that many bytes.
        case awaitBytes(Int)
        case send([UInt8])
        /// Closes its sending side.
        case halfClose
        case close
        /// Closes with RST, without a farewell of TLS.
        case reset
    }

    /// How the client treats an answer.
    enum Treatment: Sendable {
        case receive(limit: Int64?)
        case collect(Int)
        /// Looks at the head only.
        case ignore
        /// Throws when it has seen the head.
        case fail
        /// Cancels when it has seen the head.
        case cancel
    }

    struct Request: Sendable {
        var isHead: Bool
        var treatment: Treatment
    }

    let seed: UInt64
    let lane: Lane
    /// What is done on each connection in turn; the last is also that of all later ones.
    let connections: [[Step]]
    /// Sent one after the other.
    let requests: [Request]
    /// Whether the peer ends everything that it does not answer. A timeout is a defect then.
    let isEnding: Bool

    init(seed: UInt64, lane: Lane, connections: [[Step]], requests: [Request], isEnding: Bool) {
        self.seed = seed
        self.lane = lane
        self.connections = connections
        self.requests = requests
        self.isEnding = isEnding
    }

    init(seed: UInt64) {
        var dice = SeededRandom(seed: seed)
        self.seed = seed
        isEnding = false
        let lane = Self.lanes.randomElement(using: &dice) ?? .plain
        self.lane = lane
        connections = (0..<Int.random(in: 1...3, using: &dice)).map { _ in
            Self.connection(lane, using: &dice)
        }
        requests = (0..<Int.random(in: 1...3, using: &dice)).map { _ in
            Request(isHead: dice.happens(1, in: 6), treatment: Self.treatment(using: &dice))
        }
    }

    /// The answers that the peer's bytes carry; `nil` where the bytes are not all of answers, or the requests differ in
    /// whether their answers have bodies.
    var answers: Set<SecondOpinion.Answer>? {
        guard lane == .plain || lane == .secure, let isHead = requests.first?.isHead,
            requests.allSatisfy({ $0.isHead == isHead })
        else { return nil }
        return Set(
            connections.flatMap { steps in
                let bytes = steps.flatMap { step -> [UInt8] in
                    if case .send(let bytes) = step { bytes } else { [] }
                }
                return SecondOpinion(bytes, answeringHead: isHead).answers
            }
        )
    }

    private static let lanes: [Lane] = [
        .plain, .plain, .plain, .plain, .plain, .plain, .secure, .brokenTLS, .socks, .tunnel,
    ]

    private static func treatment(using dice: inout SeededRandom) -> Treatment {
        switch Int.random(in: 0..<12, using: &dice) {
        case 0: .receive(limit: Int64.random(in: 0...20, using: &dice))
        case 1: .collect(Int.random(in: 0...20, using: &dice))
        case 2: .ignore
        case 3: .fail
        case 4: .cancel
        default: .receive(limit: nil)
        }
    }

    private static func connection(_ lane: Lane, using dice: inout SeededRandom) -> [Step] {
        var steps: [Step] = []
        if dice.happens(1, in: 25) { steps += send(RawAnswer.opening(using: &dice), using: &dice) }
        switch lane {
        case .plain, .secure: break
        case .brokenTLS: return steps + broken(using: &dice)
        case .socks: steps += socks(using: &dice)
        case .tunnel:
            steps.append(.awaitHead)
            steps += send(RawAnswer.tunnel(using: &dice), using: &dice)
            return steps + broken(using: &dice)
        }
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            if !dice.happens(1, in: 30) { steps.append(.awaitHead) }
            steps += send(RawAnswer.several(using: &dice), using: &dice)
            if dice.happens(1, in: 4) { break }
        }
        return steps + ending(using: &dice)
    }

    /// What is no handshake.
    private static func broken(using dice: inout SeededRandom) -> [Step] {
        var steps: [Step] = dice.happens(1, in: 4) ? [] : [.awaitBytes(1)]
        for _ in 0..<Int.random(in: 0...3, using: &dice) {
            steps += send(RawAnswer.record(using: &dice), using: &dice)
        }
        return steps + ending(using: &dice)
    }

    /// RFC 1928, and what is near it.
    private static func socks(using dice: inout SeededRandom) -> [Step] {
        var steps: [Step] = dice.happens(1, in: 15) ? [] : [.awaitBytes(3)]
        steps += send(RawAnswer.socksMethod(using: &dice), using: &dice)
        if !dice.happens(1, in: 15) { steps.append(.awaitBytes(7)) }
        steps += send(RawAnswer.socksReply(using: &dice), using: &dice)
        return dice.happens(1, in: 8) ? steps + ending(using: &dice) : steps
    }

    private static func ending(using dice: inout SeededRandom) -> [Step] {
        switch Int.random(in: 0..<20, using: &dice) {
        case 0..<10: [.close]
        case 10..<14: [.reset]
        case 14..<17: [.halfClose]
        // The peer sends nothing more, so the client must give up.
        default: []
        }
    }

    /// Sends bytes in a random number of pieces, each of which may arrive separately.
    static func send(_ bytes: [UInt8], using dice: inout SeededRandom) -> [Step] {
        guard !bytes.isEmpty else { return [] }
        let cuts: [Int]
        switch Int.random(in: 0..<20, using: &dice) {
        case 0..<10: cuts = []
        case 10 where bytes.count <= 200: cuts = Array(1..<bytes.count)
        default:
            let count = Int.random(in: 1...4, using: &dice)
            cuts = (0..<count).map { _ in Int.random(in: 0...bytes.count, using: &dice) }.sorted()
        }
        return zip([0] + cuts, cuts + [bytes.count]).filter { $0 < $1 }.map { .send(Array(bytes[$0..<$1])) }
    }
}

extension SeededRandom {
    /// Whether something happens that happens `count` times in `total`.
    mutating func happens(_ count: Int, in total: Int) -> Bool {
        Int.random(in: 0..<total, using: &self) < count
    }
}
