import FerryCore
import HTTPTypes
internal import Synchronization

/// The servers that act on calls. They count the arrivals of each call and how often they acted on it.
final class SimulatedService: Sendable {
    /// A fault that replaces a server's normal answer.
    enum Interference: Sendable {
        case none
        /// It is busy, and has not acted.
        case busy(status: Int, wait: Int)
        /// It fails, before or after acting.
        case fails(status: Int, acts: Bool)
        /// It reports that the same call is in progress.
        case twin
    }

    private let state = Mutex<[SimulatedCall]>([])
    private let trace: SimulationTrace
    private let files: MemoryBodyFiles

    init(trace: SimulationTrace, files: MemoryBodyFiles) {
        (self.trace, self.files) = (trace, files)
    }

    static let elsewhere = "elsewhere.example"
    /// What an application gives in place of refused credentials.
    static let freshToken = "fresh"

    // MARK: Calls

    /// Creates a call.
    ///
    /// - Parameter source: the call whose answer it needs.
    func newCall(_ plan: CallPlan, taking source: Transfer?) throws -> RequestSpecification {
        let call = try newCall(plan, taking: source, named: nil)
        return try complete(call.number, taking: source, stored(call.body, of: call.number, plan.layout))
    }

    /// Creates a call without its request. Its body is still to be copied, for the transfer that will have this name.
    func newCall(
        _ plan: CallPlan,
        taking source: Transfer?,
        named uuid: TransferUUID?
    ) throws -> SimulatedCall {
        try state.withLock { calls in
            let number = calls.count
            let call = SimulatedCall(
                number: number,
                plan: plan,
                specification: try RequestSpecification(url: plan.url(number)),
                uuid: uuid,
                source: source?.id,
                body: (0..<plan.bodyLength).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
            )
            calls.append(call)
            return call
        }
    }

    /// The request of a call with this body.
    func complete(
        _ number: Int,
        taking source: Transfer?,
        _ body: StoredBody
    ) throws -> RequestSpecification {
        let plan = state.withLock { $0[number].plan }
        var specification = try RequestSpecification(
            method: plan.method,
            url: plan.url(number, query: source == nil ? "" : "?v={v}"),
            body: body,
            key: plan.hasKey ? IdempotencyKey(value: "\"key-\(number)\"") : nil
        )
        specification.exchange.credentials = .bearer(token: "stale")
        specification.retries = plan.retries
        specification.responseLimit = plan.responseLimit
        specification.responseFile = plan.saving.map {
            ResponseFile(
                directory: SimulationScenario.directory,
                name: AnswerChecker.name(number),
                replacesExisting: $0.replaces
            )
        }
        if let source { try specification.insert("v", from: source.uuid, field: "ETag") }
        let complete = specification
        state.withLock { $0[number].specification = complete }
        return specification
    }

    /// A body of these bytes, of which a part may be in a file.
    private func stored(_ bytes: [UInt8], of number: Int, _ layout: CallPlan.Layout) -> StoredBody {
        guard layout != .bytes else { return StoredBody(bytes) }
        let edge = layout == .form ? bytes.count / 3 : 0
        let path = "/outgoing/\(number)"
        files.put(Array(bytes[edge..<bytes.count - edge]), at: path)
        guard let file = files.pinned(path) else { preconditionFailure("a file that was put is there") }
        var body = StoredBody(bytes.prefix(edge))
        body.append(file)
        body.append(bytes.suffix(edge))
        return body
    }

    /// Changes, replaces or removes the file of a call.
    func disturb(_ number: Int, _ fault: SimulatedFault) {
        let call = state.withLock { calls in
            calls[number].isDisturbed = true
            return calls[number]
        }
        guard let path = call.file else { return }
        trace.count(fault, Int64(number))
        switch fault {
        case .bodyFileChanged: files.change(path)
        // Its bytes are the same, and the file is another one.
        case .bodyFileReplaced: files.put(call.body, at: path)
        default: files.remove(path)
        }
    }

    /// Records that someone has said of a call that it did not arrive, so that it may be sent again.
    func permit(_ number: Int) {
        state.withLock { calls in
            calls[number].permits += 1
            calls[number].doubts = []
        }
    }

    /// All calls, in order of their numbers.
    var calls: [SimulatedCall] { state.withLock { $0 } }

    /// The call of a URL.
    func call(at url: HTTPURL) -> SimulatedCall? {
        let parts = url.path.split(separator: "/")
        guard parts.count >= 2, parts[0] == "call", let number = Int(parts[1]) else { return nil }
        return state.withLock { $0.indices.contains(number) ? $0[number] : nil }
    }

    /// Records a new address of a call.
    func readdress(_ number: Int, to url: HTTPURL) {
        state.withLock { calls in
            if url.origin != calls[number].specification.url.origin { calls[number].isSentElsewhere = true }
        }
    }

    // MARK: Exchanges

    /// Records that part of a call may leave now.
    func depart(_ number: Int, _ request: TransportRequest) {
        state.withLock { calls in
            calls[number].departures += 1
            calls[number].doubts.insert(request.departure)
            guard let query = request.url.query, query.hasPrefix("v=") else { return }
            trace.count(.valueSent, Int64(number))
            calls[number].queries.insert(query)
            if calls[number].queries.count > 1 {
                trace.complain(
                    "values: call \(number) leaves with several: \(calls[number].queries.sorted())"
                )
            }
        }
    }

    /// Records that part of a call has arrived, but not all.
    func arrive(_ number: Int, bytes: Int) {
        trace.note("call arrives in part", Int64(number), Int64(bytes))
        state.withLock { $0[number].arrivals += 1 }
    }

    /// Receives a complete call: acts on it, or not, and answers.
    ///
    /// - Returns: the answer's place among those to the call, and its head.
    func receive(
        _ request: TransportRequest,
        of number: Int,
        _ interference: Interference
    ) -> (place: Int, head: ResponseHead) {
        let (call, isAnother) = noteArrival(of: request, number)
        let (status, fields, acts) = reaction(to: request, call, interference)
        if acts { act(on: number, request) }
        let answer = answer(number, status, fields, isRedirect: fields[.location] != nil)
        if isAnother { state.withLock { $0[number].answers[answer.place].isToAnother = true } }
        return answer
    }

    /// Answers a call before its body is through. A server that accepts it acts only when the body is whole.
    ///
    /// - Returns: as ``receive(_:of:_:)``; `nil` if it answers only when it has acted.
    func answerEarly(
        _ request: TransportRequest,
        of number: Int,
        _ interference: Interference
    ) -> (place: Int, head: ResponseHead)? {
        let call = calls[number]
        let (status, fields, acts) = reaction(to: request, call, interference)
        guard !acts || status < 300 else { return nil }
        trace.note("call is answered early", Int64(number), Int64(status))
        checkKey(of: request, call)
        return answer(number, status, fields, isRedirect: fields[.location] != nil)
    }

    /// Receives the rest of a call that it has accepted before, and acts on it.
    ///
    /// - Parameter place: the place of its answer.
    func complete(_ request: TransportRequest, of number: Int, answered place: Int) {
        let (call, isAnother) = noteArrival(of: request, number)
        if isAnother { state.withLock { $0[number].answers[place].isToAnother = true } }
        if reaction(to: request, call, .none).acts { act(on: number, request) }
    }

    /// Records that a call has arrived whole.
    ///
    /// - Returns: the call, and whether other bytes than its own have arrived.
    private func noteArrival(
        of request: TransportRequest,
        _ number: Int
    ) -> (call: SimulatedCall, isAnother: Bool) {
        let call = state.withLock { calls in
            calls[number].arrivals += 1
            calls[number].wholeArrivals += 1
            return calls[number]
        }
        trace.note(
            "call arrives",
            Int64(number),
            Int64(request.bodyBytes.count),
            "\(request.method) \(request.url)"
        )
        checkKey(of: request, call)
        guard !isResult(request) else { return (call, false) }
        let isAnother = request.bodyBytes != call.body
        if isAnother { trace.count(.changedWhileSent, Int64(number)) }
        if request.method != call.specification.method || isAnother && !call.isDisturbed {
            trace.complain("requests: call \(number) arrives as another one")
        }
        return (call, isAnother)
    }

    private func isResult(_ request: TransportRequest) -> Bool { request.url.path.hasSuffix("/result") }

    private func reaction(
        to request: TransportRequest,
        _ call: SimulatedCall,
        _ interference: Interference
    ) -> (status: Int, fields: HTTPFields, acts: Bool) {
        let (status, fields, acts) = conduct(request, call, isResult: isResult(request))
        return switch interference {
        case .none: (status, fields, acts)
        case .busy(let other, let wait): (other, [.retryAfter: "\(wait)"], false)
        case .fails(let other, let doesAct): (other, [:], acts && doesAct)
        case .twin: (409, [:], false)
        }
    }

    private func conduct(
        _ request: TransportRequest,
        _ call: SimulatedCall,
        isResult: Bool
    ) -> (status: Int, fields: HTTPFields, acts: Bool) {
        let path = "/call/\(call.number)"
        if isResult { return (200, [:], false) }
        if request.url.path.hasSuffix("/there") { return (200, [:], true) }
        switch call.plan.conduct {
        // With fresh credentials it is accepted.
        case .refuses(401) where request.headers[.authorization] == "Bearer \(Self.freshToken)":
            trace.count(.credentialsRenewed, Int64(call.number))
            return (200, [:], true)
        case .accepts: return (call.number.isMultiple(of: 2) ? 200 : 201, [:], true)
        case .refuses(let status): return (status, [:], false)
        case .seeOther: return (303, [.location: "\(path)/result"], true)
        case .moves(let status, let elsewhere):
            trace.count(.callRedirected, Int64(call.number))
            let base = elsewhere ? "http://\(Self.elsewhere)" : ""
            return (status, [.location: "\(base)\(path)/there"], false)
        }
    }

    private func act(on number: Int, _ request: TransportRequest) {
        let call = state.withLock { calls in
            // A server that knows the key acts on it only once.
            let isKnown =
                key(of: request) != nil && !calls[number].keptKeys.insert(request.url.origin).inserted
            if !isKnown { calls[number].effects += 1 }
            return calls[number]
        }
        trace.note("call has its effect", Int64(number), Int64(call.effects))
        if call.effects > call.permits + 1, !call.isIdempotent {
            trace.complain("I8: call \(number) was acted on \(call.effects) times")
        }
    }

    private func answer(
        _ number: Int,
        _ status: Int,
        _ fields: HTTPFields,
        isRedirect: Bool
    ) -> (place: Int, head: ResponseHead) {
        state.withLock { calls in
            let place = calls[number].answers.count
            var fields = fields
            fields[.eTag] = "\"\(number)-\(place)\""
            // No two answers have the same body, except empty ones.
            let length = isRedirect ? 0 : calls[number].plan.answerLength
            let body = (0..<length).map { UInt8(truncatingIfNeeded: $0 &+ number &* 11 &+ place &* 3) }
            calls[number].answers.append(
                SimulatedCall.Answer(
                    response: StoredResponse(
                        status: status,
                        fields: fields.map { .init(name: $0.name.rawName, value: $0.value) },
                        body: body
                    )
                )
            )
            return (place, ResponseHead(status: status, headers: fields, bodyLength: Int64(length)))
        }
    }

    /// Records that a process received the head of an answer.
    func begin(_ place: Int, to request: TransportRequest, of number: Int) {
        state.withLock { calls in
            let status = calls[number].answers[place].response.status
            // A server with this status has not acted, unless it answers a redirected form of the call.
            let hasNotActed = [408, 425, 429, 503].contains(status) || (400..<500).contains(status)
            if hasNotActed, status != 409, request.method == calls[number].specification.method {
                calls[number].doubts.remove(request.departure)
            }
        }
    }

    /// Records that a process received the wanted part of an answer.
    func give(_ count: Int, of place: Int, of number: Int) {
        let status = state.withLock { calls in
            calls[number].answers[place].given = count
            calls[number].answers[place].hasEnded = true
            return calls[number].answers[place].response.status
        }
        trace.note("call is answered", Int64(number), Int64(status), "\(count) bytes")
    }

    // MARK: Keys

    /// The key by which a server recognises a request; `nil` without one.
    func key(of request: TransportRequest) -> String? {
        request.headers.first { $0.name.canonicalName == "idempotency-key" }?.value
    }

    /// Whether a request may have its effect each time that it arrives.
    func isUnsafe(_ request: TransportRequest) -> Bool {
        !request.method.isIdempotent && key(of: request) == nil
    }

    /// Checks that a call has the same key each time, and gives it to no other origin.
    private func checkKey(of request: TransportRequest, _ call: SimulatedCall) {
        let isHome = request.url.origin == call.specification.url.origin
        if !isHome, !call.isSentElsewhere, request.headers[.authorization] != nil {
            trace.complain("I7: call \(call.number) brings its credentials to \(request.url.host)")
        }
        let isResult = request.method != call.specification.method
        let wanted = isHome ? call.specification.key?.value : nil
        let found = key(of: request)
        if found == wanted || (found == nil && (call.isSentElsewhere || isResult)) { return }
        trace.complain("requests: call \(call.number) arrives with the key \(found ?? "of none")")
    }
}

extension TransportRequest {
    /// The sending of the request.
    var departure: SimulatedCall.Departure? { listener.map(SimulatedCall.Departure.init) }
}
