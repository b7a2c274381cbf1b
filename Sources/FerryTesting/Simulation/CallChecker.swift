import FerryCore
import HTTPTypes
internal import Synchronization

/// Checks the guarantees for requests. Only the servers know what really happened to each.
final class CallChecker: Sendable {
    private struct State {
        /// The number of each request's call.
        var numbers: [TransferID: Int] = [:]
        /// Requests whose attempt has recorded that they are sent, and is not settled.
        var underWay: Set<TransferID> = []
        /// Requests whose owner died in that state.
        var outlived: Set<TransferID> = []
        /// The entity tags of the answers that completed calls have.
        var tags: [TransferID: String] = [:]
        /// Calls of which a person or an application has said that they have arrived.
        var presumed: Set<TransferID> = []
    }

    private let service: SimulatedService
    let answers: AnswerChecker
    private let trace: SimulationTrace
    private let state = Mutex(State())

    init(service: SimulatedService, files: MemoryPartFileSystem, trace: SimulationTrace) {
        self.service = service
        answers = AnswerChecker(files: files, service: service, trace: trace)
        self.trace = trace
    }

    /// Records that a request was added.
    ///
    /// - Returns: its call's place among the errands.
    func added(_ id: TransferID, at url: HTTPURL) -> Int? {
        guard let call = service.call(at: url) else { return nil }
        state.withLock { $0.numbers[id] = call.number }
        return call.plan.place
    }

    /// The call of a transfer.
    func call(of id: TransferID) -> SimulatedCall? {
        state.withLock { $0.numbers[id] }.map { service.calls[$0] }
    }

    /// The transfer of a call.
    func transfer(of call: SimulatedCall) -> TransferID? {
        state.withLock { $0.numbers.first { $0.value == call.number }?.key }
    }

    /// Records that a transfer got another URL.
    func readdressed(_ id: TransferID, to url: HTTPURL) {
        if let number = state.withLock({ $0.numbers[id] }) { service.readdress(number, to: url) }
    }

    /// Records what someone has said of a request of unknown outcome. It counts, right or wrong.
    func resolved(_ id: TransferID, as outcome: RequestOutcome) {
        let number = state.withLock { state in
            switch outcome {
            case .arrived: state.presumed.insert(id)
            case .notArrived: state.outlived.remove(id)
            }
            return state.numbers[id]
        }
        if outcome == .notArrived, let number { service.permit(number) }
    }

    // MARK: Attempts

    /// Records the progress that an attempt has recorded.
    func recorded(_ progress: RequestProgress, of id: TransferID) {
        if progress.sent != nil { state.withLock { _ = $0.underWay.insert(id) } }
    }

    /// Records the end of an attempt.
    func settled(_ transfer: Transfer) {
        state.withLock { _ = $0.underWay.remove(transfer.id) }
        guard transfer.state == .completed, let response = transfer.request?.progress.response,
            let call = call(of: transfer.id)
        else { return }
        answers.checkCompletion(of: transfer.id, call, response)
    }

    /// Records that the owners of these transfers are gone.
    func freed(_ ids: [TransferID]) {
        state.withLock { state in
            for id in ids where state.underWay.remove(id) != nil { state.outlived.insert(id) }
        }
    }

    /// Records a power loss.
    func lostPower(_ rows: [Transfer]) {
        // The record that nothing was sent need not survive. Only the record of sending must.
        let reopened = rows.filter { $0.state == .active && $0.request?.progress.sent != nil }.map(\.id)
        state.withLock { state in
            state.outlived.formUnion(state.underWay.union(reopened))
            state.underWay = []
        }
    }

    /// Checks a call just before its bytes leave. By now the record of sending must survive power loss. A
    /// call that could have its effect twice must not have left before (I8).
    ///
    /// - Parameter durable: its row as it would be after a power loss; `nil` for a forgotten one.
    func departs(_ call: SimulatedCall, as request: TransportRequest, _ durable: Transfer?) {
        if let durable, durable.request?.progress.sent == nil {
            trace.complain(
                "I8: \(durable.id) leaves before it is recorded, to survive power loss, that it is sent"
            )
        }
        checkValue(of: call, in: request)
        let others = call.doubts.subtracting([request.departure])
        if !others.isEmpty, service.isUnsafe(request) {
            trace.complain("I8: call \(call.number) is sent again although it may have had its effect")
        }
    }

    /// Checks that a call leaves with the entity tag of the answer that it needs.
    private func checkValue(of call: SimulatedCall, in request: TransportRequest) {
        // A redirect, or another address that someone gave it, has no value.
        guard let source = call.source, request.url.path == "/call/\(call.number)",
            request.url.query != "fresh",
            !call.isSentElsewhere
        else { return }
        let tag = state.withLock { $0.tags[source] }
        guard request.url.query != tag.map({ "v=%22\($0.dropFirst().dropLast())%22" }) || tag == nil else {
            return
        }
        trace.complain(
            "values: call \(call.number) leaves with \(request.url.query ?? "none") and needs \(tag ?? "one")"
        )
    }

    /// What an application knows about a call of unknown outcome: whether its server has acted. It may still arrive.
    func outcome(of id: TransferID) -> RequestOutcome? {
        guard let call = call(of: id), call.effects > 0 else { return nil }
        return .arrived
    }

    // MARK: Rows

    /// Checks that the row of each call that may have had its effect says so.
    func check(_ rows: [TransferID: Transfer]) {
        let numbers = state.withLock { $0.numbers }
        guard !numbers.isEmpty else { return }
        let calls = service.calls
        for (id, number) in numbers.sorted(by: { $0.key < $1.key }) {
            guard let row = rows[id], row.request?.progress.sent == nil else {
                continue
            }
            if !calls[number].doubts.isEmpty {
                trace.complain("I8: \(id) may have had its effect, and its row says that it was never sent")
            }
        }
    }

    /// Checks a transfer that has changed its state.
    func checkEnd(of transfer: Transfer) {
        guard let work = transfer.request, let call = call(of: transfer.id) else { return }
        switch transfer.state {
        case .completed: checkCompletion(of: transfer.id, work, call)
        case .failed(let failure):
            guard !isHonest(failure, transfer, work, call) else { return }
            trace.complain(
                "I10: \(transfer.id) failed for good: \(failure.code.rawValue), \(failure.message)"
            )
        case .queued, .active, .waiting, .paused, .cancelled: break
        }
    }

    private func checkCompletion(of id: TransferID, _ work: RequestWork, _ call: SimulatedCall) {
        if let response = work.progress.response, (200..<300).contains(response.status) {
            let tag = response.fields.first { $0.isNamed("ETag") }?.value
            state.withLock { $0.tags[id] = tag }
        }
        guard !state.withLock({ $0.presumed.contains(id) }) else { return }
        guard let response = work.progress.response, (200..<300).contains(response.status),
            call.hasGiven(response)
        else {
            return trace.complain("requests: \(id) is completed with an answer that no server gave")
        }
        if call.effects == 0, call.specification.method != .get {
            trace.complain("requests: \(id) is completed and had no effect")
        }
    }

    /// Whether a request may fail permanently with this failure.
    private func isHonest(
        _ failure: TransferFailure,
        _ transfer: Transfer,
        _ work: RequestWork,
        _ call: SimulatedCall
    ) -> Bool {
        switch failure.code {
        case .outcomeUnknown:
            // Its process may have died between the record and the departure.
            let mayHaveArrived =
                !call.doubts.isEmpty || state.withLock { $0.outlived.contains(transfer.id) }
            return mayHaveArrived && !work.specification.isRepeatable
        case .attemptsExhausted:
            return work.specification.retries < 100 || transfer.ledger.deaths >= Transfer.mostDeaths
        case .redirectRefused:
            guard case .moves(_, elsewhere: true) = call.plan.conduct else { return false }
            return work.specification.key != nil && !call.isIdempotent
        case .valueMissing:
            return call.source.map { source in state.withLock { $0.tags[source] == nil } } ?? false
        // It says that nothing of it may have taken effect, unless that would do no harm.
        case .bodyChanged: return call.isDisturbed && (call.doubts.isEmpty || work.specification.isRepeatable)
        // The rest was checked when it failed.
        case .deadlinePassed:
            return call.doubts.isEmpty || work.specification.isRepeatable || work.progress.unsaved != nil
        case .responseLost:
            return call.plan.saving != nil && !call.doubts.isEmpty && !work.specification.isRepeatable
        case .destinationExists: return call.plan.saving != nil && answers.exists(call)
        // The order's checks verify that the other one has failed.
        case .dependencyFailed, .headFailed: return true
        case .refused, .notFound, .notAuthorised:
            guard case .refuses(let status) = call.plan.conduct, let response = work.progress.response else {
                return false
            }
            return response.status == status && (call.hasGiven(response) || call.hasBegun(response))
        default: return false
        }
    }

    // MARK: Totals

    /// The results of all calls, in words.
    func totals(_ rows: [Transfer]) -> [String: Int] {
        let calls = service.calls
        var totals = ["added": state.withLock { $0.numbers.count }]
        for row in rows where row.request != nil {
            switch row.state {
            case .failed(let failure) where failure.code == .outcomeUnknown:
                totals["unknown", default: 0] += 1
            case .completed, .failed, .cancelled: totals[row.state.name.rawValue, default: 0] += 1
            case .queued, .active, .waiting, .paused: totals["unfinished", default: 0] += 1
            }
        }
        totals["departed"] = calls.reduce(0) { $0 + $1.departures }
        totals["partly-arrived"] = calls.reduce(0) { $0 + $1.arrivals - $1.wholeArrivals }
        totals["arrived"] = calls.reduce(0) { $0 + $1.wholeArrivals }
        totals["acted-on"] = calls.reduce(0) { $0 + $1.effects }
        return totals
    }
}
