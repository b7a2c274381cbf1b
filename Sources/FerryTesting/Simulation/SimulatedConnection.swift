import FerryCore
import HTTPTypes
internal import Synchronization

/// A connection with both its ends: the machine of the client, and a server that writes HTTP/1.1 to it.
///
/// It complains when the client reads anything else than the server has written.
final class SimulatedConnection: Sendable {
    /// The server refuses to ask for the body of a request (417).
    struct ExpectationFailed: Error {}

    private struct State {
        var machine = WireConnection()
        /// Whether the server has closed it, and the client does not know that yet.
        var isLeft = false
        /// The number of requests that it has carried.
        var uses = 0
        /// Whether the server has asked for the body of the present request.
        var hasAsked = false
        /// Whether the present request asks for a head only.
        var isForHead = false
        /// How many bytes of the present request's body have not left, and may still be wanted.
        var left = 0
        /// Whether the client has stopped that body.
        var isStopped = false
        /// Whether the server closes it behind the present answer.
        var closes = false
        /// How the end of the present body is found.
        var framing = BodyFraming.none
        /// How many bytes of that body were read.
        var count: Int64 = 0
        /// What becomes of the connection; `nil` until the present answer is whole.
        var afterwards: WireConnection.Afterwards?
    }

    let number: WirePool.Connection
    let key: WireKey
    private let world: SimulatedWorld
    private let process: SimulatedProcess
    private let state = Mutex(State())

    init(_ number: WirePool.Connection, _ key: WireKey, world: SimulatedWorld, process: SimulatedProcess) {
        self.number = number
        self.key = key
        self.world = world
        self.process = process
    }

    private var dice: SimulationDice { world.dice }

    /// Whether it has carried a request.
    var isUsed: Bool { state.withLock { $0.uses > 0 } }

    /// Whether neither end has closed it, and it carries no request.
    var isIdle: Bool { state.withLock { $0.machine.isIdle && !$0.isLeft } }

    /// Whether the client still has to send a part of the present request's body.
    var owesBody: Bool { state.withLock { $0.left > 0 } }

    /// Whether the server has closed it, and the client does not know that yet.
    var isLeft: Bool { state.withLock { $0.isLeft } }

    /// It is open.
    func open() { state.withLock { $0.machine.opened() } }

    /// The client gives it up.
    func close() { state.withLock { $0.machine.close() } }

    // MARK: While it is idle

    /// The server closes it; the client learns that later.
    func leave() { state.withLock { $0.isLeft = true } }

    /// The client learns that the server closes it.
    func end() {
        let words = dice.pick(["", "HTTP/1.1 408 Request Timeout\r\n\r\n"])
        let effect = read(Array(words.utf8)).effects.first ?? hearEnd(isOrderly: true)
        if effect != .close { complain("an idle connection that ends is \(text(effect))") }
    }

    // MARK: The request

    /// Begins a request; from now on it may leave.
    ///
    /// - Returns: when its body is sent.
    func begin(_ request: WireRequest) throws -> WireConnection.BodyStart {
        let now = world.uptime
        return try state.withLock { state in
            guard case .write(_, let start, let isReused) = try state.machine.begin(request, at: now) else {
                throw ExchangeLoss.nothingLeft
            }
            if isReused != (state.uses > 0) { complain("a connection does not know whether it was used") }
            (state.uses, state.hasAsked, state.framing) = (state.uses + 1, false, .none)
            (state.count, state.afterwards) = (0, nil)
            (state.left, state.isStopped) = (0, false)
            state.isForHead = request.method == .head
            if start != .none, case .streamed(let length?, _) = request.body { state.left = Int(length) }
            return start
        }
    }

    /// Sends the first `count` bytes of the request's body.
    func send(_ count: Int, _ start: WireConnection.BodyStart) async throws {
        guard start != .none else { return }
        if case .onceAsked(let moment) = start { try await ask(before: moment) }
        try sendMore(count)
    }

    /// Sends the rest of a body that its answer has overtaken.
    func sendRest() throws { try sendMore(state.withLock { $0.left }) }

    private func sendMore(_ count: Int) throws {
        var rest = count
        while rest > 0 {
            let part = dice.number(in: 0..<rest) + 1
            guard case .write = try state.withLock({ try $0.machine.send(part) }) else {
                throw complain("a part of a request's body is not wanted")
            }
            rest -= part
        }
        let effect = try state.withLock { state in
            state.left -= count
            return state.left == 0 ? try state.machine.endBody().effect : nil
        }
        if let effect { try note(effect) }
    }

    /// The client wants no more of an answer that has overtaken the request's body.
    func dropOvertaking() throws(Problem) {
        guard state.withLock({ $0.machine.drop(reading: 0) }) == .sends else {
            throw complain("a body is cut because its answer is not wanted")
        }
    }

    /// The server closes when it has answered, and has not read the whole body of the request.
    ///
    /// - Throws: the client's verdict. Returns if the client takes the exchange for a success.
    func cutBody() throws {
        let effect = hearEnd(isOrderly: dice.happens(500))
        if case .lost(let loss) = effect { throw loss }
        try note(effect)
    }

    /// Asks for the request's body, refuses to, or never asks.
    private func ask(before moment: Instant) async throws {
        switch dice.number(in: 0..<3) {
        case 0:
            try await SimulatedClock(base: world.clock, process: process)
                .sleep(for: world.uptime.duration(to: moment))
            let now = world.uptime
            guard state.withLock({ $0.machine.waited(at: now) }) else {
                throw complain("a request waits for ever to be asked for its body")
            }
        case 1:
            world.trace.count(.expectationFailed)
            _ = try head(ResponseHead(status: 417, headers: [:], bodyLength: 0), nil)
            throw ExpectationFailed()
        default:
            let effects = try feed("HTTP/1.1 100 Continue\r\n\r\n")
            guard case .interim(_, startsBody: true)? = effects.first else {
                throw complain("a request is asked for its body, and does not send it")
            }
            state.withLock { $0.hasAsked = true }
        }
    }

    // MARK: The answer

    /// No answer comes: the server closes before one, or within its head, or writes what is none.
    ///
    /// - Returns: the client's verdict.
    func lose() -> any Error {
        let (isLeft, hasAsked, uses) = state.withLock { ($0.isLeft, $0.hasAsked, $0.uses) }
        let isForHead = state.withLock { $0.isForHead }
        // A server that has asked for the body had the request.
        let loss = hasAsked ? ExchangeLoss.fault(.closedWithinHead) : .unanswered(isReused: uses > 1)
        let (words, verdict) =
            isLeft
            ? ("", loss)
            : dice.pick([
                ("", loss), ("", loss),
                ("HTTP/1.1 2", .fault(.closedWithinHead)),
                ("HTTP/1.1 200 OK\r\nETag: \"a", .fault(.closedWithinHead)),
                ("SSH-2.0-other\r\n", .fault(.noStatusLine)),
                // Of an answer without a body, no one needs the length.
                isForHead
                    ? ("", loss)
                    : ("HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n", .fault(.invalidContentLength)),
            ])
        if !words.isEmpty { world.trace.count(.headBroken) }
        let effect = read(Array(words.utf8)).effects.first ?? hearEnd(isOrderly: dice.happens(500))
        return effect == .lost(verdict) ? verdict : complain("a lost answer is \(text(effect))")
    }

    /// Brings the head of an answer to the client.
    func head(_ head: ResponseHead, _ listener: (any ExchangeListener)?) throws(Problem) -> ResponseHead {
        var fields = head.headers
        fields[.contentLength] = head.bodyLength.map { "\($0)" }
        if head.bodyLength == nil, dice.happens(700) { fields[.transferEncoding] = "chunked" }
        fields[.connection] = dice.happens(100) ? "close" : nil
        if dice.happens(200) { fields[Self.keepAlive] = "timeout=\(dice.number(in: 0..<8))" }
        var words = dice.happens(50) ? "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" : ""
        words += "HTTP/1.1 \(head.status)\(dice.pick([" As Said", " ", ""]))\r\n"
        for field in fields { words += "\(field.name.rawName): \(field.value)\r\n" }
        var arrived: ResponseHead?
        for effect in try feed(words + "\r\n") {
            switch effect {
            case .interim(let interim, _): listener?.received(interim: interim)
            case .head(let read, let framing, let turn):
                arrived = read
                state.withLock { state in
                    state.framing = framing
                    state.closes = fields[.connection] != nil || framing == .untilClose
                    if turn == .stops { (state.left, state.isStopped) = (0, true) }
                }
                if read.status >= 300, owesBody { throw complain("a body is sent although it was refused") }
            default: break
            }
        }
        guard arrived == ResponseHead(status: head.status, headers: fields, bodyLength: head.bodyLength)
        else {
            throw complain("the head \(words) is read as \(text(arrived))")
        }
        return head
    }

    private static let keepAlive = HTTPField.Name("Keep-Alive")!

    /// Brings a part of the body to the client, which reads it in pieces.
    func body(_ bytes: [UInt8]) throws(Problem) -> [ArraySlice<UInt8>] {
        guard !bytes.isEmpty else { return [] }
        var written = bytes
        if state.withLock({ $0.framing }) == .chunked {
            written = Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
        }
        let parts = try take(written).body
        let count = parts.reduce(0) { $0 + $1.count }
        guard count == bytes.count else { throw complain("\(count) bytes of \(bytes.count) are read") }
        return parts.map { written[$0] }
    }

    /// The server has no more of the body, unless the client wanted less than all.
    func endBody() throws(Problem) {
        switch state.withLock({ ($0.framing, $0.count) }) {
        case (.length(let length), let count) where count < length: return
        case (.none, _), (.length, _): break
        case (.chunked, _): _ = try feed("0\r\n\(dice.pick(["", "Expires: 0\r\n"]))\r\n")
        case (.untilClose, _): try note(hearEnd(isOrderly: true))
        }
        if state.withLock({ $0.afterwards == nil && $0.left == 0 }) { throw complain("an answer has no end") }
    }

    /// The connection breaks within a body.
    ///
    /// - Returns: the number of bytes of the body if it was whole before.
    /// - Throws: the client's verdict.
    func breakOff() throws(Problem) -> Int64 {
        let (framing, count, afterwards) = state.withLock { ($0.framing, $0.count, $0.afterwards) }
        guard afterwards == nil else { return count }
        // After an orderly end, a body that ends with the connection is whole.
        let effect = hearEnd(isOrderly: framing != .untilClose && dice.happens(500))
        guard effect == .lost(.fault(.closedWithinBody)) else {
            throw complain("a body that breaks off is \(text(effect))")
        }
        throw .transient(.connectionLost, "The connection broke within the body, as was drawn.")
    }

    /// The client wants no more of the answer.
    ///
    /// - Returns: what becomes of the connection.
    func finish() throws(Problem) -> WireConnection.Afterwards {
        let afterwards = try afterwardsOnceRead()
        if afterwards != .close, state.withLock({ $0.closes }) {
            throw complain("a connection is kept that the server closes")
        }
        if afterwards != .close, state.withLock({ $0.isStopped }) {
            throw complain("a connection is kept that has carried a part of a request")
        }
        return afterwards
    }

    private func afterwardsOnceRead() throws(Problem) -> WireConnection.Afterwards {
        if let afterwards = state.withLock({ $0.afterwards }) { return afterwards }
        switch state.withLock({ $0.machine.drop(reading: WireConnection.longestRest) }) {
        case .closes: return .close
        case .lingers where dice.happens(500): return .close
        case .reads, .lingers: break
        case .sends: throw complain("an exchange is over before the request's body is sent")
        }
        switch state.withLock({ ($0.framing, $0.count) }) {
        case (.length(let length), let count) where count < length:
            _ = try take([UInt8](repeating: 7, count: Int(length - count)))
        case (.chunked, _): _ = try feed("3\r\nabc\r\n0\r\n\r\n")
        case (.untilClose, _) where hearEnd(isOrderly: true) == .close: return .close
        case (let framing, let count): throw complain("\(count) bytes are read of \(framing), and no end")
        }
        guard let afterwards = state.withLock({ $0.afterwards }) else {
            throw complain("the rest of an answer has no end")
        }
        return afterwards
    }

    // MARK: Bytes

    private func feed(_ words: String) throws(Problem) -> [WireConnection.Effect] {
        try take(Array(words.utf8)).effects
    }

    /// Brings bytes of a valid answer to the client.
    private func take(
        _ bytes: [UInt8]
    ) throws(Problem) -> (effects: [WireConnection.Effect], body: [Range<Int>]) {
        let (effects, body, isAllRead) = read(bytes)
        guard isAllRead else { throw complain("bytes are left behind an answer: \(text(effects.last))") }
        for effect in effects { try note(effect) }
        return (effects, body)
    }

    private func note(_ effect: WireConnection.Effect?) throws(Problem) {
        switch effect {
        case .end(_, let afterwards), .drained(let afterwards):
            state.withLock { $0.afterwards = afterwards }
        case .interim, .head, .body: break
        case .close, .lost, nil: throw complain("a valid answer is \(text(effect))")
        }
    }

    /// Brings bytes to the client, in pieces.
    ///
    /// - Returns: what follows, and where in the bytes there are parts of the body.
    private func read(
        _ bytes: [UInt8]
    ) -> (effects: [WireConnection.Effect], body: [Range<Int>], isAllRead: Bool) {
        var (effects, body, start): ([WireConnection.Effect], [Range<Int>], Int) = ([], [], 0)
        while start < bytes.count {
            let end = dice.happens(700) ? bytes.count : dice.number(in: start..<bytes.count) + 1
            let piece = bytes[start..<end]
            var position = 0
            state.withLock { state in
                while let effect = state.machine.receive(piece.span.bytes, at: &position) {
                    guard case .body(let part) = effect else {
                        effects.append(effect)
                        continue
                    }
                    state.count += Int64(part.count)
                    body.append(start + part.lowerBound..<start + part.upperBound)
                }
            }
            guard position == piece.count else { return (effects, body, false) }
            start = end
        }
        return (effects, body, true)
    }

    private func hearEnd(isOrderly: Bool) -> WireConnection.Effect? {
        state.withLock { $0.machine.peerClosed(isOrderly: isOrderly) }
    }

    private func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "nothing" }

    /// Notes a violation, unless the process is dead and its connections are closed.
    ///
    /// - Returns: what the exchange fails with.
    @discardableResult
    private func complain(_ text: String) -> Problem {
        if process.isRunning { world.trace.complain("wire: \(text)") }
        return .permanent(.internalFault, text)
    }
}
