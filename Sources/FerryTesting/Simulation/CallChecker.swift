import FerryCore
import HTTPTypes
internal import Synchronization

/// Looks whether the promises hold that are made of requests. Only the servers know what really became of each.
final class CallChecker: Sendable {
    private struct State {
        /// Which call each request is.
        var numbers: [TransferID: Int] = [:]
        /// Those whose attempt has recorded that they are sent, and was not settled.
        var underWay: Set<TransferID> = []
        /// Those whose owner was gone at such a moment.
        var outlived: Set<TransferID> = []
    }

    private let service: SimulatedService
    private let trace: SimulationTrace
    private let state = Mutex(State())

    init(service: SimulatedService, trace: SimulationTrace) {
        self.service = service
        self.trace = trace
    }

    /// A request was added.
    ///
    /// - Returns: its call's place among the errands.
    func added(_ id: TransferID, at url: HTTPURL) -> Int? {
        guard let call = service.call(at: url) else { return nil }
        state.withLock { $0.numbers[id] = call.number }
        return call.plan.place
    }

    /// The call that a transfer is.
    func call(of id: TransferID) -> SimulatedCall? {
        state.withLock { $0.numbers[id] }.map { service.calls[$0] }
    }

    /// The transfer that a call is.
    func transfer(of call: SimulatedCall) -> TransferID? {
        state.withLock { $0.numbers.first { $0.value == call.number }?.key }
    }

    /// A transfer was given another URL.
    func readdressed(_ id: TransferID, to url: HTTPURL) {
        if let number = state.withLock({ $0.numbers[id] }) { service.readdress(number, to: url) }
    }

    // MARK: Attempts

    /// An attempt has recorded how far it is.
    func recorded(_ progress: RequestProgress, of id: TransferID) {
        if progress.sent != nil { state.withLock { _ = $0.underWay.insert(id) } }
    }

    /// An attempt has come to its end.
    func settled(_ id: TransferID) { state.withLock { _ = $0.underWay.remove(id) } }

    /// The owners of these are gone.
    func freed(_ ids: [TransferID]) {
        state.withLock { state in
            for id in ids where state.underWay.remove(id) != nil { state.outlived.insert(id) }
        }
    }

    /// The machine lost power.
    func lostPower(_ rows: [Transfer]) {
        // That nothing had left need not have survived. Only the record that it is sent must.
        let reopened = rows.filter { $0.state == .active && $0.request?.progress.sent != nil }.map(\.id)
        state.withLock { state in
            state.outlived.formUnion(state.underWay.union(reopened))
            state.underWay = []
        }
    }

    /// Something of a call is about to leave. That it is sent survives power loss by now, and it has not left before if it
    /// could have its effect twice (I8).
    ///
    /// - Parameter durable: its row as it would be after a loss of power; `nil` for one that is forgotten.
    func departs(_ call: SimulatedCall, as request: TransportRequest, _ durable: Transfer?) {
        if let durable, durable.request?.progress.sent == nil {
            trace.complain(
                "I8: \(durable.id) leaves before it is recorded, to survive power loss, that it is sent"
            )
        }
        let others = call.doubts.subtracting([request.departure])
        if !others.isEmpty, service.isUnsafe(request) {
            trace.complain("I8: call \(call.number) is sent again although it may have had its effect")
        }
    }

    // MARK: Rows

    /// The row of each call that may have had its effect says so.
    func check(_ rows: [TransferID: Transfer]) {
        let numbers = state.withLock { $0.numbers }
        guard !numbers.isEmpty else { return }
        let calls = service.calls
        for (id, number) in numbers.sorted(by: { $0.key < $1.key }) {
            guard let row = rows[id], row.request?.progress.sent == nil, row.state != .cancelled else {
                continue
            }
            if !calls[number].doubts.isEmpty {
                trace.complain("I8: \(id) may have had its effect, and its row says that it was never sent")
            }
        }
    }

    /// A transfer has come to another state.
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
        guard let response = work.progress.response, (200..<300).contains(response.status),
            call.hasGiven(response)
        else {
            return trace.complain("requests: \(id) is completed with an answer that no server gave")
        }
        if call.effects == 0, call.specification.method != .get {
            trace.complain("requests: \(id) is completed and had no effect")
        }
    }

    /// Whether a request may fail for good with this.
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
        // Whether the other one has failed is for those to check who look after the order.
        case .dependencyFailed, .headFailed: return true
        case .refused, .notFound:
            guard case .refuses(let status) = call.plan.conduct, let response = work.progress.response else {
                return false
            }
            return response.status == status && call.hasGiven(response)
        default: return false
        }
    }

    // MARK: Totals

    /// What became of all calls, in words.
    func totals(_ rows: [Transfer]) -> [String: Int] {
        let calls = service.calls
        var totals = ["added": state.withLock { $0.numbers.count }]
        for row in rows where row.request != nil {
            switch row.state {
            case .failed(let failure) where failure.code == .outcomeUnknown:
                totals["unknown", default: 0] += 1
            case .completed, .failed, .cancelled: totals[row.state.name, default: 0] += 1
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
