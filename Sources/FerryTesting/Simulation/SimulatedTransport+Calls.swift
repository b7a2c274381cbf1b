import FerryCore
import HTTPTypes

/// The exchanges of calls, with losses in both directions.
extension SimulatedTransport {
    /// The outcome of one exchange.
    private enum Fate {
        case answered(SimulatedService.Interference)
        /// No connection is made, or it is lost before anything has left.
        case nothingLeaves(Problem)
        /// The connection is lost when this many bytes of the body have arrived; `nil` for before the head.
        case lost(arriving: Int?)
        /// The call arrives, and its answer comes when the world releases it.
        case stalled
        /// The call arrives, and no answer comes.
        case timedOut(Duration)
        /// The answer breaks off within its body.
        case brokenOff
        /// The answer comes before the body is through.
        case overtaken(Overtaking)
    }

    /// An answer that comes before the body of its call is through.
    private struct Overtaking {
        /// How many bytes of the body have arrived.
        var arriving: Int
        var interference: SimulatedService.Interference
        /// Whether the server reads no more of the body, although it has not refused the call.
        var cutsBody: Bool
    }

    func exchange<Result: Sendable>(
        _ request: TransportRequest,
        of call: SimulatedCall,
        on connection: SimulatedConnection,
        _ start: WireConnection.BodyStart,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        let number = call.number
        let fate = drawFate(of: request, call)
        try await base.pace()
        if case .nothingLeaves(let problem) = fate { throw problem }
        world.trace.note("call departs", process.number, Int64(number))
        world.checker.departs(call, as: request, by: process)
        world.service.depart(number, request)
        request.listener?.requestMayLeave()
        var interference = SimulatedService.Interference.none
        if case .answered(let drawn) = fate { interference = drawn }
        let count = request.bodyBytes.count
        if connection.isLeft { throw connection.lose() }
        if case .overtaken(let overtaking) = fate {
            interference = overtaking.interference
            let answer = world.service.answerEarly(request, of: number, interference)
            if let answer {
                return try await overtake(
                    overtaking,
                    answer,
                    request,
                    of: number,
                    on: connection,
                    start,
                    handle
                )
            }
        }
        try await readBody(of: request, number, on: connection, start)
        if case .lost(let arriving) = fate, arriving != count {
            try await base.pace()
            if let arriving {
                try await connection.send(arriving, start)
                world.service.arrive(number, bytes: arriving)
            }
            throw lost(connection)
        }
        try await connection.send(count, start)
        request.listener?.bodyLeft(upTo: Int64(count))
        do {
            for _ in 0...(count / base.pieceLength) { try await base.pace() }
        } catch {
            outlive(request, number)
            throw error
        }
        return try await answer(request, of: number, fate, interference, on: connection, handle)
    }

    /// May change a file of the body as the request leaves, and reads it. If it was changed, no more of the body leaves.
    ///
    /// Other requests leave without being read: the kernel sends their files, as they are then.
    private func readBody(
        of request: TransportRequest,
        _ number: Int,
        on connection: SimulatedConnection,
        _ start: WireConnection.BodyStart
    ) async throws {
        guard case .source(let source) = request.body else { return }
        if world.dice.happens(world.rates.events * 4) { world.service.disturb(number, .bodyFileChanged) }
        guard world.dice.happens(500) else { return }
        try await base.pace()
        do {
            try source.check()
        } catch {
            world.trace.count(.changedWhileRead, Int64(number))
            let count = world.dice.number(in: 0..<max(1, request.bodyBytes.count))
            try await connection.send(count, start)
            world.service.arrive(number, bytes: count)
            throw error
        }
    }

    /// Brings the answer to a call that has arrived, or none.
    private func answer<Result: Sendable>(
        _ request: TransportRequest,
        of number: Int,
        _ fate: Fate,
        _ interference: SimulatedService.Interference,
        on connection: SimulatedConnection,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        let (place, head) = world.service.receive(request, of: number, interference)
        try await base.pace()
        switch fate {
        case .lost: throw lost(connection)
        case .stalled:
            try await base.stalls.wait()
            guard process.isRunning else { throw CancellationError() }
        case .timedOut(let duration): try await base.timeOut(after: duration)
        case .answered, .nothingLeaves, .brokenOff, .overtaken: break
        }
        var breaksOff = false
        if case .brokenOff = fate { breaksOff = true }
        let body = CallAnswerBody(
            transport: self,
            request: request,
            number: number,
            place: place,
            breaksOff: breaksOff
        )
        world.trace.note("head", process.number, Int64(head.status))
        return try await handle(
            try connection.head(head, request.listener),
            WiredBody(base: body, connection: connection)
        )
    }

    /// Brings an answer that comes before the body is through. What becomes of the body is the client's decision.
    private func overtake<Result: Sendable>(
        _ overtaking: Overtaking,
        _ answer: (place: Int, head: ResponseHead),
        _ request: TransportRequest,
        of number: Int,
        on connection: SimulatedConnection,
        _ start: WireConnection.BodyStart,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        world.trace.count(.answeredEarly, Int64(number))
        var (arrived, isWhole) = (0, false)
        defer { if !isWhole { world.service.arrive(number, bytes: arrived) } }
        // A server that refuses a call need not ask for its body.
        if start == .now || answer.head.status < 300 || world.dice.happens(500) {
            try await connection.send(overtaking.arriving, start)
            arrived = overtaking.arriving
            request.listener?.bodyLeft(upTo: Int64(arrived))
        }
        try await base.pace()
        let body = CallAnswerBody(
            transport: self,
            request: request,
            number: number,
            place: answer.place,
            breaksOff: false
        )
        world.trace.note("early head", process.number, Int64(answer.head.status))
        let result = try await handle(
            try connection.head(answer.head, request.listener),
            WiredBody(base: body, connection: connection)
        )
        guard connection.owesBody else { return result }
        if world.dice.happens(300) { try connection.dropOvertaking() }
        try await base.pace()
        if overtaking.cutsBody {
            world.trace.count(.bodyCut, Int64(number))
            try connection.cutBody()
        } else {
            try connection.sendRest()
            isWhole = true
            world.service.complete(request, of: number, answered: answer.place)
        }
        return result
    }

    /// No answer comes, in time or at all.
    private func lost(_ connection: SimulatedConnection) -> any Error {
        world.dice.happens(700)
            ? connection.lose() : Problem.transient(.timeout, "Nothing came, as was drawn.")
    }

    /// The exchange is cut, or its process is dead. Bytes that have left this machine may still arrive.
    private func outlive(_ request: TransportRequest, _ number: Int) {
        let dice = world.dice
        switch dice.number(in: 0..<3) {
        case 0: break
        case 1 where !request.bodyBytes.isEmpty:
            world.service.arrive(number, bytes: dice.number(in: 0..<request.bodyBytes.count))
        default:
            world.trace.count(.callOutlived, Int64(number))
            _ = world.service.receive(request, of: number, .none)
        }
    }

    /// Draws the faults of an exchange.
    private func drawFate(of request: TransportRequest, _ call: SimulatedCall) -> Fate {
        let (dice, trace, number) = (world.dice, world.trace, Int64(call.number))
        if world.network.isAway {
            trace.note("no route", process.number)
            return .nothingLeaves(world.noRoute())
        }
        guard dice.happens(world.rates.calls) else { return .answered(.none) }
        // A server says so only of a key that an earlier attempt may have brought.
        let mayBeInProgress =
            world.service.key(of: request) != nil && !call.doubts.subtracting([request.departure]).isEmpty
        if mayBeInProgress, dice.happens(300) {
            trace.count(.twinInProgress, number)
            return .answered(.twin)
        }
        let count = request.bodyBytes.count
        switch dice.number(in: 0..<13) {
        case 0:
            trace.count(.connectionBroken, number)
            return .nothingLeaves(.transient(.connectionLost, "It was lost before anything left."))
        case 1, 2:
            trace.count(.callLost, number)
            return .lost(arriving: nil)
        case 3 where count > 0:
            trace.count(.callCutShort, number)
            return .lost(arriving: dice.number(in: 0..<count))
        case 4, 5:
            trace.count(.answerLost, number)
            return .lost(arriving: count)
        case 6 where call.plan.answerLength > 0:
            trace.count(.answerCutShort, number)
            return .brokenOff
        case 7:
            trace.count(.stalled, number)
            return .stalled
        case 8:
            trace.count(.timedOut, number)
            return .timedOut(.seconds(dice.number(in: 1..<60)))
        case 9:
            trace.count(.serverError, number)
            return .answered(.fails(status: dice.pick([500, 502, 504]), acts: dice.happens(500)))
        case 10 where count > 0, 11 where count > 0:
            let interference = dice.pick([
                .none, .none, .none, busy(dice),
                SimulatedService.Interference.fails(status: 500, acts: false),
            ])
            let arriving = dice.number(in: 0..<count)
            return .overtaken(
                Overtaking(arriving: arriving, interference: interference, cutsBody: dice.happens(400))
            )
        default:
            trace.count(.serverBusy, number)
            return .answered(busy(dice))
        }
    }

    private func busy(_ dice: SimulationDice) -> SimulatedService.Interference {
        .busy(status: dice.pick([408, 425, 429, 503]), wait: dice.number(in: 0..<120))
    }
}

/// The body of the answer to a call.
private struct CallAnswerBody: ResponseBody {
    let transport: SimulatedTransport
    let request: TransportRequest
    let number: Int
    let place: Int
    let breaksOff: Bool

    private var bytes: [UInt8] { transport.world.service.calls[number].answers[place].response.body }

    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64 {
        transport.world.trace.count(.answerSaved, Int64(number))
        let (given, breaksOff) = try await receive(upTo: .max) { part, place in
            try sink.write(part.span.bytes, at: offset + Int64(place))
            progress(offset + Int64(place + part.count))
        }
        guard !breaksOff else { throw Self.brokenOff }
        transport.world.service.give(given, of: place, of: number)
        return Int64(given)
    }

    func collect(upTo bound: Int) async throws -> [UInt8] {
        let (given, breaksOff) = try await receive(upTo: bound) { _, _ in }
        // No one waits for the end of a body that is longer than the bound.
        guard !breaksOff || given == bound else { throw Self.brokenOff }
        transport.world.service.give(given, of: place, of: number)
        return Array(bytes.prefix(given))
    }

    private static let brokenOff = Problem.transient(.connectionLost, "The answer broke off, as was drawn.")

    /// Receives the body in pieces.
    ///
    /// - Returns: how many bytes have come, and whether the rest is lost.
    private func receive(
        upTo bound: Int,
        _ take: (ArraySlice<UInt8>, _ place: Int) throws -> Void
    ) async throws -> (given: Int, breaksOff: Bool) {
        let bytes = bytes
        transport.world.service.begin(place, to: request, of: number)
        let breaksOff = breaksOff && !bytes.isEmpty
        let end = breaksOff ? transport.world.dice.number(in: 0..<max(1, bytes.count)) : bytes.count
        var given = 0
        while given < min(end, bound) {
            try await transport.base.pace()
            let next = min(given + transport.base.pieceLength, end, bound)
            try take(bytes[given..<next], given)
            given = next
        }
        return (given, breaksOff)
    }
}
