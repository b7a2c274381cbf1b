/// One connection of HTTP/1, from its opening to its end, without I/O (RFC 9112 §9).
///
/// Its owner calls a method for each event and carries out what it returns. One request is under way at a time. Time is an
/// argument. The only wait is the one for `100 Continue`; the owner detects a peer that stalls.
package struct WireConnection: Sendable {
    /// What its owner has to do.
    package enum Effect: Hashable, Sendable {
        /// Pass on an interim answer. With `startsBody`, the server asks for the request's body.
        case interim(ResponseHead, startsBody: Bool)
        /// Pass on the head, and do this with the request's body.
        case head(ResponseHead, BodyFraming, BodyTurn)
        /// Pass on a part of the body: this range of the given bytes.
        case body(Range<Int>)
        /// The answer is whole.
        case end(ResponseReader.End, Afterwards)
        /// The unwanted rest of an answer is read.
        case drained(Afterwards)
        /// The exchange is lost. Close the connection.
        case lost(ExchangeLoss)
        /// Close the connection, which carries no exchange.
        case close
    }

    /// What becomes of the connection after an exchange.
    package enum Afterwards: Hashable, Sendable {
        /// It is free for another request, up to this time if the server has given one.
        case free(upTo: Duration?)
        /// Close it.
        case close
        /// It is a tunnel from now on; the bytes after the answer belong to the tunnel.
        case tunnel
    }

    /// What follows from a request.
    package enum Beginning: Hashable, Sendable {
        /// The connection cannot take the request. Nothing was sent.
        case refused
        /// Write the head; from now on its first byte may be sent.
        case write([UInt8], BodyStart, isReused: Bool)
    }

    /// When the body of a request is sent.
    package enum BodyStart: Hashable, Sendable {
        /// The request has no body.
        case none
        /// At once.
        case now
        /// When the server asks for it, or at this moment (``waited(at:)``), because some servers never ask.
        case onceAsked(Instant)
    }

    /// What follows from a part of a body.
    package enum Part: Hashable, Sendable {
        /// Write it between these bytes.
        case write(RequestBodyWriter.Frame)
        /// Drop it: the answer came early, or the connection is closed.
        case unwanted
    }

    /// What follows from an answer, or the rest of it, that is not wanted.
    package enum Dropping: Hashable, Sendable {
        /// Close the connection.
        case closes
        /// Read a short rest, so that the connection can be used again: ``Effect/drained(_:)`` follows. Close it if that
        /// takes too long.
        case reads
        /// Read on for a while, and only then close the connection: the peer may not have read the request's body yet.
        /// ``Effect/drained(_:)`` follows if the rest ends before.
        case lingers
        /// Send the body to its end. ``Effect/end(_:_:)`` follows, or the connection lingers then (``isDraining``).
        case sends
    }

    private enum State {
        /// Being opened. Exits: `idle`, `closed`.
        case connecting
        /// No request is under way, after `uses` requests. Exits: `exchanging`, `closed`.
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
        /// Whether the request asks to close the connection.
        var closes: Bool
        /// Whether the peer has answered a request with a body, and may still be reading that. A refusal says that it is not
        /// interested in the body.
        var mayBeUnread = false
        /// Whether the request has a body.
        let hasBody: Bool
        var phase: Phase
    }

    private enum Phase {
        /// The body waits until the server asks for it. Exits: `sending`, `receiving`.
        case waiting(Instant, RequestBodyWriter)
        /// The body is leaving. Exits: `awaitingHead`, `receiving`.
        case sending(RequestBodyWriter)
        /// The whole request has left. Exits: `receiving`.
        case awaitingHead
        /// The answer is arriving. Exits: `answered`, `discarding`, `draining`, the end of the exchange.
        case receiving(Sent)
        /// The answer is whole and the request is not. Exits: the end of the exchange.
        case answered(ResponseReader.End, RequestBodyWriter)
        /// The rest of the answer is not wanted, and the body is leaving. Exits: `answered`, `draining`.
        case discarding(RequestBodyWriter)
        /// The rest of the answer is not wanted; up to `left` bytes of it are read. Exits: the end of the exchange.
        case draining(left: Int64)
    }

    /// What the head of an answer means for the body of the request.
    package enum BodyTurn: Hashable, Sendable {
        /// Nothing.
        case none
        /// It waited until the server asked for it, and is sent now.
        case starts
        /// No more of it is sent.
        case stops
    }

    /// How much of the request has left when the answer begins.
    private enum Sent {
        case all
        /// The body is still being sent: a server may answer before it has read everything.
        case some(RequestBodyWriter)
        /// The body was stopped. The server may mistake the next bytes for the rest of it.
        case stopped
    }

    /// Maximum bytes of an unwanted rest that are read to keep its connection. A new connection costs about as much.
    package static let longestRest: Int64 = 64 * 1024

    private let continueWait: Duration
    private let limits: ResponseLimits
    private var state = State.connecting

    /// A connection that is being opened.
    ///
    /// - Parameter continueWait: maximum time that a body waits for the server to ask for it.
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

    /// Whether it reads an answer that is not wanted, and nothing else is under way.
    package var isDraining: Bool {
        if case .exchanging(let exchange) = state, case .draining = exchange.phase { true } else { false }
    }

    /// Whether the peer may still be reading the request's body, although it has answered.
    package var mayBeUnread: Bool {
        if case .exchanging(let exchange) = state { exchange.mayBeUnread } else { false }
    }

    // MARK: - The owner's side

    /// The connection is open.
    package mutating func opened() {
        if case .connecting = state { state = .idle(uses: 0) }
    }

    /// Begins a request.
    ///
    /// - Throws: why the request cannot be written. Then nothing was sent, and the connection is unchanged.
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
        state = .exchanging(
            Exchange(
                reader: reader,
                uses: uses,
                closes: request.closes,
                hasBody: start != .none,
                phase: phase
            )
        )
        return .write(head, start, isReused: uses > 0)
    }

    /// Time has passed.
    ///
    /// - Returns: whether to send the body now, although the server has not asked for it.
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
    /// - Throws: when the body is longer than announced. Then close the connection.
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
            case .discarding(var body):
                frame = try body.part(of: count)
                exchange.phase = .discarding(body)
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
    /// - Throws: when the body is shorter than announced. Then close the connection.
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
            case .discarding(var body):
                let bytes = try body.end()
                exchange.phase = .draining(left: .max)
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

    /// The answer, or the rest of it, is not wanted. A body that is being sent is sent to its end all the same.
    ///
    /// To close a connection resets it if bytes of the answer are unread or arrive later. Then the peer's kernel drops what the
    /// peer has not read of the request (RFC 9112 §9.6). So after a success that came early the connection lingers. No other
    /// answer needs this: a request without a body is read before it is answered, and after a refusal its body does not count.
    ///
    /// - Parameter limit: maximum bytes to read to keep the connection.
    package mutating func drop(reading limit: Int64) -> Dropping {
        guard case .exchanging(var exchange) = state else { return .closes }
        let dropping: Dropping
        switch exchange.phase {
        case .receiving(.all):
            let isShort = !exchange.closes && exchange.reader.mayPersist(within: limit)
            guard isShort || exchange.mayBeUnread else {
                close()
                return .closes
            }
            // Where the peer may be reading, only the owner's patience bounds the rest.
            exchange.phase = .draining(left: exchange.mayBeUnread ? .max : limit)
            dropping = isShort ? .reads : .lingers
        case .receiving(.some(let body)):
            exchange.phase = .discarding(body)
            dropping = .sends
        case .answered, .discarding: return .sends
        case .draining: return exchange.mayBeUnread ? .lingers : .reads
        case .waiting, .sending, .awaitingHead, .receiving:
            close()
            return .closes
        }
        state = .exchanging(exchange)
        return dropping
    }

    /// Gives the connection up.
    package mutating func close() {
        state = .closed
    }

    // MARK: - The peer's side

    /// Reads from `position`, and moves it past the bytes read.
    ///
    /// - Returns: the next effect; `nil` when the bytes are used up, or belong to a tunnel.
    package mutating func receive(_ bytes: RawSpan, at position: inout Int) -> Effect? {
        switch state {
        case .connecting, .idle:
            // Unrequested bytes, which the next request would take for its answer.
            guard position < bytes.byteCount else { return nil }
            position = bytes.byteCount
            state = .closed
            return .close
        case .closed:
            return nil
        case .exchanging(var exchange):
            // So that `exchange` is the only owner of its memory, and nothing is copied.
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
            switch exchange.phase {
            case .receiving(.some), .discarding: return .lost(.closedWhileSending)
            case .waiting, .sending, .awaitingHead, .receiving, .answered, .draining: return .end(end, .close)
            }
        } catch .closedBeforeAnswer {
            return .lost(.unanswered(isReused: exchange.uses > 0))
        } catch {
            return .lost(.fault(error))
        }
    }

    /// Reads more of an exchange, and sets the state.
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

    /// Notes what was read; returns the effect, if any.
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
            let turn = begin(head, in: &exchange)
            state = .exchanging(exchange)
            return .head(head, framing, turn)
        case .body(let part):
            switch exchange.phase {
            case .discarding: return nil
            case .draining(let left):
                guard part.count <= left else { return .close }
                exchange.phase = .draining(left: left - Int64(part.count))
                return nil
            case .waiting, .sending, .awaitingHead, .receiving, .answered:
                state = .exchanging(exchange)
                return .body(part)
            }
        case .end(let end):
            switch exchange.phase {
            case .receiving(.some(let body)), .discarding(let body):
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

    /// A final head has arrived; returns what becomes of the request's body.
    ///
    /// After a success all of it is sent, also if the server has not asked for it: without its body, a request cannot have
    /// succeeded.
    private func begin(_ head: ResponseHead, in exchange: inout Exchange) -> BodyTurn {
        exchange.mayBeUnread = exchange.hasBody && head.status < 300
        switch exchange.phase {
        case .sending(let body) where head.status < 300:
            exchange.phase = .receiving(.some(body))
            return .none
        case .waiting(_, let body) where head.status < 300:
            exchange.phase = .receiving(.some(body))
            return .starts
        case .sending, .waiting:
            exchange.phase = .receiving(.stopped)
            return .stops
        case .awaitingHead, .receiving, .answered, .discarding, .draining:
            exchange.phase = .receiving(.all)
            return .none
        }
    }

    /// Ends an exchange whose whole request was sent.
    ///
    /// - Parameter isWhole: whether no bytes follow the answer.
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
