/// One connection of HTTP/1, from its opening to its end, without I/O (RFC 9112 §9).
///
/// Its owner tells what happens in verbs, and does what they return. One request is under way at a time. Time is an
/// argument; the only wait of its own is the one for `100 Continue`. A peer that stalls is its owner's concern.
package struct WireConnection: Sendable {
    /// What its owner has to do.
    package enum Effect: Hashable, Sendable {
        /// Hand on an interim answer. With `startsBody` the server asks for the request's body.
        case interim(ResponseHead, startsBody: Bool)
        /// Hand on the head. With `stopsBody` no more of the request's body is wanted.
        case head(ResponseHead, BodyFraming, stopsBody: Bool)
        /// Hand on a part of the body: where it lies in the bytes that were given.
        case body(Range<Int>)
        /// The answer is whole.
        case end(ResponseReader.End, Afterwards)
        /// The unwanted rest of an answer is read.
        case drained(Afterwards)
        /// The exchange is lost. Close the connection.
        case lost(ExchangeLoss)
        /// Close the connection. No exchange is concerned.
        case close
    }

    /// What becomes of the connection after an exchange.
    package enum Afterwards: Hashable, Sendable {
        /// It takes another request. The server may have said for how long.
        case free(upTo: Duration?)
        /// Close it.
        case close
        /// It is a tunnel from now on; the bytes behind the answer belong to that.
        case tunnel
    }

    /// What follows from a request.
    package enum Beginning: Hashable, Sendable {
        /// The connection takes no request. Nothing has left.
        case refused
        /// Write the head; its first byte may leave from now on.
        case write([UInt8], BodyStart, isReused: Bool)
    }

    /// When the body of a request is sent.
    package enum BodyStart: Hashable, Sendable {
        /// The request has no body.
        case none
        /// At once.
        case now
        /// When the server asks for it, or this moment has come (``waited(at:)``), as a server may not know how to ask.
        case onceAsked(Instant)
    }

    /// What follows from a part of a body.
    package enum Part: Hashable, Sendable {
        /// Write it, with these bytes around it.
        case write(RequestBodyWriter.Frame)
        /// Drop it: the answer came early, or the connection is closed.
        case unwanted
    }

    private enum State {
        /// Being opened. Exits: `idle`, `closed`.
        case connecting
        /// No request is under way; this many were before. Exits: `exchanging`, `closed`.
        case idle(uses: Int)
        /// A request is under way. Exits: `idle`, `closed`.
        case exchanging(Exchange)
        /// Closed, to be closed, or handed over as a tunnel. Final.
        case closed
    }

    private struct Exchange {
        var reader: ResponseReader
        /// Requests that the connection carried before.
        var uses: Int
        /// Whether the request says that the connection closes.
        var closes: Bool
        var phase: Phase
    }

    private enum Phase {
        /// The body waits until the server asks for it. Exits: `sending`, `receiving`.
        case waiting(Instant, RequestBodyWriter)
        /// The body is leaving. Exits: `awaitingHead`, `receiving`.
        case sending(RequestBodyWriter)
        /// The whole request has left. Exits: `receiving`.
        case awaitingHead
        /// The answer is arriving. Exits: `answered`, `draining`, the end of the exchange.
        case receiving(Sent)
        /// The answer is whole and the request is not. Exits: the end of the exchange.
        case answered(ResponseReader.End, RequestBodyWriter)
        /// The rest of the answer is not wanted; this many bytes are read for the sake of the connection. Exits: the
        /// end of the exchange.
        case draining(left: Int64)
    }

    /// How much of the request has left when the answer begins.
    private enum Sent {
        case all
        /// The body is still leaving, as a server may answer before it has read everything.
        case some(RequestBodyWriter)
        /// The body was stopped. The server may take what comes next for the rest of it.
        case stopped
    }

    private let continueWait: Duration
    private let limits: ResponseLimits
    private var state = State.connecting

    /// A connection that is being opened.
    ///
    /// - Parameter continueWait: how long a body waits for the server to ask for it.
    package init(continueWait: Duration = .seconds(1), limits: ResponseLimits = ResponseLimits()) {
        self.continueWait = continueWait
        self.limits = limits
    }

    /// Whether it takes a request.
    package var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    /// Whether it is closed, or has to be.
    package var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    // MARK: - The owner's side

    /// The connection is open.
    package mutating func opened() {
        if case .connecting = state { state = .idle(uses: 0) }
    }

    /// Begins a request.
    ///
    /// - Throws: what makes it impossible to write. Nothing has left then, and the connection is as it was.
    package mutating func begin(_ request: WireRequest, at now: Instant) throws(RequestFault) -> Beginning {
        let head = try request.head()
        guard case .idle(let uses) = state else { return .refused }
        let phase: Phase
        let start: BodyStart
        switch request.body {
        case .none, .streamed(length: 0, _):
            (phase, start) = (.awaitingHead, .none)
        case .streamed(let length, expectsContinue: false):
            (phase, start) = (.sending(RequestBodyWriter(length: length)), .now)
        case .streamed(let length, expectsContinue: true):
            let moment = now.advanced(by: continueWait)
            (phase, start) = (.waiting(moment, RequestBodyWriter(length: length)), .onceAsked(moment))
        }
        let reader = ResponseReader(answering: request.method, limits: limits)
        state = .exchanging(Exchange(reader: reader, uses: uses, closes: request.closes, phase: phase))
        return .write(head, start, isReused: uses > 0)
    }

    /// Time has passed.
    ///
    /// - Returns: whether the body is to be sent now, although the server has not asked for it.
    package mutating func waited(at now: Instant) -> Bool {
        guard case .exchanging(var exchange) = state, case .waiting(let moment, let body) = exchange.phase,
            now >= moment
        else { return false }
        exchange.phase = .sending(body)
        state = .exchanging(exchange)
        return true
    }

    /// A part of the request's body is ready.
    ///
    /// - Throws: when the body is longer than its length. The connection has to be closed then.
    package mutating func send(_ count: Int) throws(RequestFault) -> Part {
        guard case .exchanging(var exchange) = state else { return .unwanted }
        do throws(RequestFault) {
            let frame: RequestBodyWriter.Frame
            switch exchange.phase {
            case .sending(var body):
                frame = try body.part(of: count)
                exchange.phase = .sending(body)
            case .receiving(.some(var body)):
                frame = try body.part(of: count)
                exchange.phase = .receiving(.some(body))
            case .answered(let end, var body):
                frame = try body.part(of: count)
                exchange.phase = .answered(end, body)
            case .waiting, .awaitingHead, .receiving, .draining:
                return .unwanted
            }
            state = .exchanging(exchange)
            return .write(frame)
        } catch {
            state = .closed
            throw error
        }
    }

    /// The request's body is over.
    ///
    /// - Returns: the bytes of its end, and what follows when the answer is whole already.
    /// - Throws: when the body is shorter than its length. The connection has to be closed then.
    package mutating func endBody() throws(RequestFault) -> (bytes: [UInt8], effect: Effect?) {
        guard case .exchanging(var exchange) = state else { return ([], nil) }
        do throws(RequestFault) {
            switch exchange.phase {
            case .sending(var body):
                let bytes = try body.end()
                exchange.phase = .awaitingHead
                state = .exchanging(exchange)
                return (bytes, nil)
            case .receiving(.some(var body)):
                let bytes = try body.end()
                exchange.phase = .receiving(.all)
                state = .exchanging(exchange)
                return (bytes, nil)
            case .answered(let end, var body):
                let bytes = try body.end()
                return (bytes, .end(end, settle(exchange, end, isWhole: true)))
            case .waiting, .awaitingHead, .receiving, .draining:
                return ([], nil)
            }
        } catch {
            state = .closed
            throw error
        }
    }

    /// The answer, or the rest of it, is not wanted.
    ///
    /// - Parameter limit: how many bytes are read to keep the connection.
    /// - Returns: whether the connection has to be closed. Otherwise it ends with ``Effect/drained(_:)``.
    package mutating func drop(reading limit: Int64) -> Bool {
        guard case .exchanging(var exchange) = state, case .receiving(.all) = exchange.phase,
            !exchange.closes,
            exchange.reader.mayPersist(within: limit)
        else {
            close()
            return true
        }
        exchange.phase = .draining(left: limit)
        state = .exchanging(exchange)
        return false
    }

    /// Gives the connection up.
    package mutating func close() {
        state = .closed
    }

    // MARK: - The peer's side

    /// Reads on from `position`, and moves it behind what was read.
    ///
    /// - Returns: what has to be done; `nil` when the bytes are used up, or belong to a tunnel.
    package mutating func receive(_ bytes: RawSpan, at position: inout Int) -> Effect? {
        switch state {
        case .connecting, .idle:
            // No one asked. The next answer could begin with these bytes.
            guard position < bytes.byteCount else { return nil }
            position = bytes.byteCount
            state = .closed
            return .close
        case .closed:
            return nil
        case .exchanging(var exchange):
            // So that the exchange alone holds its memory, and none is copied.
            state = .closed
            return read(&exchange, bytes, &position)
        }
    }

    /// The peer sends no more, or the connection broke.
    ///
    /// - Parameter isOrderly: as in ``ResponseReader/close(isOrderly:)``.
    package mutating func peerClosed(isOrderly: Bool) -> Effect? {
        switch state {
        case .closed:
            return nil
        case .connecting, .idle:
            state = .closed
            return .close
        case .exchanging(var exchange):
            state = .closed
            return end(&exchange, isOrderly: isOrderly)
        }
    }

    private func end(_ exchange: inout Exchange, isOrderly: Bool) -> Effect {
        if case .draining = exchange.phase { return .close }
        do throws(WireFault) {
            let event = try exchange.reader.close(isOrderly: isOrderly)
            guard case .end(let end) = event else { return .lost(.closedWhileSending) }
            if case .receiving(.some) = exchange.phase { return .lost(.closedWhileSending) }
            return .end(end, .close)
        } catch .closedBeforeAnswer {
            return .lost(.unanswered(isReused: exchange.uses > 0))
        } catch {
            return .lost(.fault(error))
        }
    }

    /// Reads on in an exchange, and puts the state where it belongs.
    private mutating func read(_ exchange: inout Exchange, _ bytes: RawSpan, _ position: inout Int) -> Effect?
    {
        do throws(WireFault) {
            while let event = try exchange.reader.next(in: bytes, at: &position) {
                let isExcess = position < bytes.byteCount
                guard let effect = note(event, in: &exchange, isExcess: isExcess) else { continue }
                return effect
            }
        } catch {
            if case .draining = exchange.phase { return .close }
            return .lost(.fault(error))
        }
        if case .answered(var end, let body) = exchange.phase, position < bytes.byteCount {
            position = bytes.byteCount
            end.persistence = .closes
            exchange.phase = .answered(end, body)
        }
        state = .exchanging(exchange)
        return nil
    }

    /// Notes what was read; returns what has to be done, if anything.
    private mutating func note(
        _ event: ResponseReader.Event,
        in exchange: inout Exchange,
        isExcess: Bool
    ) -> Effect? {
        switch event {
        case .interim(let head):
            var startsBody = false
            if head.status == 100, case .waiting(_, let body) = exchange.phase {
                exchange.phase = .sending(body)
                startsBody = true
            }
            state = .exchanging(exchange)
            return .interim(head, startsBody: startsBody)
        case .head(let head, let framing):
            let stopsBody = begin(head, in: &exchange)
            state = .exchanging(exchange)
            return .head(head, framing, stopsBody: stopsBody)
        case .body(let part):
            guard case .draining(let left) = exchange.phase else {
                state = .exchanging(exchange)
                return .body(part)
            }
            guard part.count <= left else { return .close }
            exchange.phase = .draining(left: left - Int64(part.count))
            return nil
        case .end(let end):
            switch exchange.phase {
            case .receiving(.some(let body)):
                exchange.phase = .answered(end, body)
                return nil
            case .draining:
                return .drained(settle(exchange, end, isWhole: !isExcess))
            case .receiving(.all):
                return .end(end, settle(exchange, end, isWhole: !isExcess))
            case .waiting, .sending, .awaitingHead, .receiving(.stopped), .answered:
                return .end(end, .close)
            }
        }
    }

    /// A final head has come; returns whether no more of the request's body is wanted.
    private func begin(_ head: ResponseHead, in exchange: inout Exchange) -> Bool {
        switch exchange.phase {
        case .sending(let body) where head.status < 300:
            exchange.phase = .receiving(.some(body))
            return false
        case .sending, .waiting:
            exchange.phase = .receiving(.stopped)
            return true
        case .awaitingHead, .receiving, .answered, .draining:
            exchange.phase = .receiving(.all)
            return false
        }
    }

    /// Ends an exchange whose request has left as a whole.
    ///
    /// - Parameter isWhole: whether nothing came behind the answer.
    private mutating func settle(
        _ exchange: Exchange,
        _ end: ResponseReader.End,
        isWhole: Bool
    ) -> Afterwards {
        state = .closed
        switch end.persistence {
        case .tunnels: return .tunnel
        case .persists(let time) where isWhole && !exchange.closes:
            state = .idle(uses: exchange.uses + 1)
            return .free(upTo: time)
        case .persists, .closes: return .close
        }
    }
}
