package import HTTPTypes

/// Reads one final answer of HTTP/1, with the interim ones before it, from bytes that come in pieces of any size.
///
/// It does not copy or keep bytes of the body: it returns their range in the given piece. The cuts between pieces affect
/// only how the body is cut. It never traps on any bytes, and ``ResponseLimits`` bounds what it keeps.
///
/// `docs/WIRE.md` lists what it accepts beyond the grammar, and what it refuses.
package struct ResponseReader: Sendable {
    /// What the next bytes are.
    package enum Event: Hashable, Sendable {
        /// An interim answer (1xx other than 101): the request is still under way.
        case interim(ResponseHead)
        /// The head of the final answer.
        case head(ResponseHead, BodyFraming)
        /// A part of the body: where it lies in the piece that was given.
        case body(Range<Int>)
        /// The answer is whole. Bytes behind it are left where they are.
        case end(End)
    }

    /// What is known when an answer is whole.
    package struct End: Hashable, Sendable {
        /// How the length of the body was known.
        package var framing: BodyFraming
        /// The fields behind a chunked body.
        package var trailers: HTTPFields
        /// What becomes of the connection.
        package var persistence: Persistence
    }

    private enum State {
        /// Waiting for a status line, or within one. Exits: `fields`, `failed`.
        case statusLine
        /// Behind a status line. Exits: `statusLine` after an interim answer, `body`, `failed`.
        case fields(StatusLine)
        /// Behind a final head. Exits: `ended`, `failed`.
        case body(Place, End)
        /// The answer is whole. Final.
        case ended
        /// The bytes are no answer. Final.
        case failed(WireFault)
    }

    /// A place in a body.
    private enum Place {
        /// This many bytes are left. Exits: `over`.
        case rest(Int64)
        /// The body ends with the connection.
        case untilClose
        /// In the line with the size of a chunk. Exits: `chunk`, `trailers`.
        case chunkSize
        /// This many bytes of a chunk are left. Exits: `chunkEnd`.
        case chunk(Int64)
        /// In the line end behind the data of a chunk. Exits: `chunkSize`.
        case chunkEnd
        /// In the trailers. Exits: `over`.
        case trailers
        /// Behind the body.
        case over
    }

    /// What one step has led to.
    private enum Step {
        case event(Event)
        case proceed
        /// The piece is used up.
        case wait
    }

    /// What was taken of a line.
    private enum LinePiece {
        case whole
        case beginning
        case tooLong
    }

    private let method: HTTPRequest.Method
    private let limits: ResponseLimits
    private var state = State.statusLine
    /// The line so far.
    private var line: [UInt8] = []
    private var section = FieldSection()
    /// Bytes of whole lines of the present head, or of the trailers.
    private var spent = 0
    private var interimAnswers = 0
    private var emptyLines = 0

    /// Creates a reader of the answer to a request.
    package init(answering method: HTTPRequest.Method, limits: ResponseLimits = ResponseLimits()) {
        self.method = method
        self.limits = limits
    }

    /// Whether any byte of an answer has come.
    package var hasBegun: Bool {
        if case .statusLine = state { return !line.isEmpty || interimAnswers > 0 || emptyLines > 0 }
        return true
    }

    /// Whether an answer is whole.
    package var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Whether the connection may be used again once at most `limit` more bytes of the body are read.
    package func mayPersist(within limit: Int64) -> Bool {
        guard case .body(let place, let end) = state, case .persists = end.persistence else { return false }
        return switch place {
        case .rest(let rest), .chunk(let rest): rest <= limit
        case .chunkSize, .chunkEnd, .trailers, .over: true
        case .untilClose: false
        }
    }

    /// Reads on from `position`, and moves it behind what was read.
    ///
    /// - Returns: what was read; `nil` when the piece is used up, or the answer is whole.
    /// - Throws: what is wrong with the bytes, and the same again from then on.
    package mutating func next(in bytes: RawSpan, at position: inout Int) throws(WireFault) -> Event? {
        do throws(WireFault) {
            while true {
                switch try step(bytes, &position) {
                case .event(let event): return event
                case .proceed: continue
                case .wait: return nil
                }
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// No more bytes will come.
    ///
    /// - Parameter isOrderly: whether the peer has said so itself, by the end of its stream, and under TLS by a closing
    ///   alert (RFC 9112 §9.8). Otherwise anyone on the path may have cut the connection.
    /// - Returns: the end of an answer that ends with the connection; `nil` when the answer was whole before.
    /// - Throws: what is missing.
    package mutating func close(isOrderly: Bool) throws(WireFault) -> Event? {
        switch state {
        case .ended:
            return nil
        case .failed(let fault):
            throw fault
        case .body(.untilClose, let end) where isOrderly:
            state = .ended
            return .end(end)
        case .body(.trailers, var end), .body(.over, var end):
            // RFC 9112 §8: a chunked body is complete once its last chunk has come.
            end.persistence = .closes
            state = .ended
            return .end(end)
        case .statusLine, .fields, .body:
            let fault = closingFault
            state = .failed(fault)
            throw fault
        }
    }

    private var closingFault: WireFault {
        switch state {
        case .statusLine where !hasBegun: .closedBeforeAnswer
        case .statusLine where !StatusLine.mayBecomeHTTP(line):
            StatusLine.otherProtocol(line) ?? .closedWithinHead
        case .statusLine, .fields: .closedWithinHead
        case .body, .ended, .failed: .closedWithinBody
        }
    }

    private mutating func step(_ bytes: RawSpan, _ position: inout Int) throws(WireFault) -> Step {
        switch state {
        case .statusLine: try readStatusLine(bytes, &position)
        case .fields(let line): try readField(of: line, bytes, &position)
        case .body(let place, let end): try readBody(place, end, bytes, &position)
        case .ended: .wait
        case .failed(let fault): throw fault
        }
    }

    // MARK: - The head

    private mutating func readStatusLine(_ bytes: RawSpan, _ position: inout Int) throws(WireFault) -> Step {
        let piece = takeLine(bytes, &position, atMost: limits.lineBytes)
        if case .whole = piece, isLineEmpty {
            emptyLines += 1
            guard emptyLines <= limits.emptyLines else { throw .noStatusLine }
            dropLine()
            return .proceed
        }
        // Another protocol may never send a line break, so its first bytes are judged as soon as they are there.
        let isTelling = if case .whole = piece { true } else { line.count >= StatusLine.markLength }
        if isTelling, let other = StatusLine.otherProtocol(line) { throw other }
        switch piece {
        case .beginning: return .wait
        case .tooLong: throw .lineTooLong
        case .whole: break
        }
        let statusLine = try StatusLine(try wholeLine())
        dropLine()
        state = .fields(statusLine)
        return .proceed
    }

    private mutating func readField(
        of statusLine: StatusLine,
        _ bytes: RawSpan,
        _ position: inout Int
    ) throws(WireFault) -> Step {
        guard try addField(bytes, &position, within: limits.headBytes, else: .headTooLarge) else {
            return .wait
        }
        guard line.isEmpty else {
            dropLine()
            return .proceed
        }
        spent = 0
        let isDoubtful = section.hasLeftOut
        let fields = try section.take()
        return .event(try finishHead(statusLine, fields, isDoubtful: isDoubtful))
    }

    /// - Parameter isDoubtful: whether a line was left out. It may be one of the body, with the empty line before it lost.
    private mutating func finishHead(
        _ line: StatusLine,
        _ fields: HTTPFields,
        isDoubtful: Bool
    ) throws(WireFault) -> Event {
        if line.status < 200 {
            guard line.status != 101 else { throw .unaskedUpgrade }
            interimAnswers += 1
            guard interimAnswers <= limits.interimAnswers else { throw .tooManyInterimAnswers }
            state = .statusLine
            return .interim(ResponseHead(status: line.status, headers: fields, bodyLength: 0))
        }
        let framing = try BodyFraming(status: line.status, fields, answering: method)
        // Nothing else would tell that the beginning of such a body is missing.
        if isDoubtful, framing == .untilClose { throw .garbledFraming }
        let persistence = Persistence(line, fields, framing, answering: method)
        let place: Place =
            switch framing {
            case .none, .length(0): .over
            case .length(let length): .rest(length)
            case .chunked: .chunkSize
            case .untilClose: .untilClose
            }
        state = .body(place, End(framing: framing, trailers: HTTPFields(), persistence: persistence))
        return .head(
            ResponseHead(status: line.status, headers: fields, bodyLength: framing.bodyLength),
            framing
        )
    }

    // MARK: - The body

    private mutating func readBody(
        _ place: Place,
        _ end: End,
        _ bytes: RawSpan,
        _ position: inout Int
    ) throws(WireFault) -> Step {
        switch place {
        case .rest(let rest):
            guard let part = takePart(bytes, &position, atMost: rest) else { return .wait }
            let left = rest - Int64(part.count)
            state = .body(left == 0 ? .over : .rest(left), end)
            return .event(.body(part))
        case .untilClose:
            guard let part = takePart(bytes, &position, atMost: .max) else { return .wait }
            return .event(.body(part))
        case .chunkSize:
            switch takeLine(bytes, &position, atMost: limits.chunkLineBytes) {
            case .beginning: return .wait
            case .tooLong: throw .chunkLineTooLong
            case .whole: break
            }
            let size = try ChunkSize.read(try wholeLine())
            dropLine()
            spent = 0
            state = .body(size == 0 ? .trailers : .chunk(size), end)
            return .proceed
        case .chunk(let rest):
            guard let part = takePart(bytes, &position, atMost: rest) else { return .wait }
            let left = rest - Int64(part.count)
            state = .body(left == 0 ? .chunkEnd : .chunk(left), end)
            return .event(.body(part))
        case .chunkEnd:
            switch takeLine(bytes, &position, atMost: 2) {
            case .beginning: return .wait
            case .tooLong: throw .chunkWithoutEnd
            case .whole: guard isLineEmpty else { throw .chunkWithoutEnd }
            }
            dropLine()
            state = .body(.chunkSize, end)
            return .proceed
        case .trailers:
            return try readTrailer(end, bytes, &position)
        case .over:
            state = .ended
            return .event(.end(end))
        }
    }

    private mutating func readTrailer(
        _ end: End,
        _ bytes: RawSpan,
        _ position: inout Int
    ) throws(WireFault) -> Step {
        guard try addField(bytes, &position, within: limits.trailerBytes, else: .trailersTooLarge) else {
            return .wait
        }
        if line.isEmpty {
            var end = end
            end.trailers = try section.take()
            state = .body(.over, end)
        }
        dropLine()
        return .proceed
    }

    // MARK: - Bytes

    /// Takes a line of fields, and adds it to the section unless it is the empty one at the end.
    ///
    /// - Returns: whether the line is whole; it is in `line` then.
    private mutating func addField(
        _ bytes: RawSpan,
        _ position: inout Int,
        within bound: Int,
        else fault: WireFault
    ) throws(WireFault) -> Bool {
        let rest = bound - spent
        switch takeLine(bytes, &position, atMost: min(limits.lineBytes, rest)) {
        case .beginning: return false
        case .tooLong: throw rest < limits.lineBytes ? fault : .lineTooLong
        case .whole: break
        }
        spent += line.count + 1
        let line = try wholeLine()
        if !line.isEmpty { try section.add(line, limits: limits) }
        return true
    }

    /// Takes the bytes up to the next line feed into `line`, without the line feed.
    ///
    /// - Parameter limit: maximum bytes of the line, with the line feed.
    private mutating func takeLine(
        _ bytes: RawSpan,
        _ position: inout Int,
        atMost limit: Int
    ) -> LinePiece {
        var isWhole = false
        bytes.withUnsafeBytes { buffer in
            let window = buffer[position...].prefix(limit - line.count)
            let end = window.firstIndex(of: 0x0A)
            line.append(contentsOf: window[..<(end ?? window.endIndex)])
            isWhole = end != nil
            position = end.map { $0 + 1 } ?? window.endIndex
        }
        if isWhole { return .whole }
        return line.count < limit ? .beginning : .tooLong
    }

    /// Whether a whole line has nothing but its end.
    private var isLineEmpty: Bool { line.isEmpty || line.count == 1 && line[0] == 0x0D }

    /// The line without the CR of its end.
    private mutating func wholeLine() throws(WireFault) -> [UInt8] {
        if line.last == 0x0D { line.removeLast() }
        guard !line.contains(where: { $0 == 0x0D || $0 == 0 }) else { throw .strayControl }
        return line
    }

    private mutating func dropLine() {
        line.removeAll(keepingCapacity: line.capacity <= 1024)
    }

    /// Takes up to `limit` bytes of a body; `nil` when the piece is used up.
    private func takePart(_ bytes: RawSpan, _ position: inout Int, atMost limit: Int64) -> Range<Int>? {
        let rest = bytes.byteCount - position
        guard rest > 0 else { return nil }
        let count = Int(min(Int64(rest), limit))
        defer { position += count }
        return position..<(position + count)
    }
}
