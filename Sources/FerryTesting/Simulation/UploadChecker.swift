import FerryCore
internal import Synchronization

/// Checks uploads in parts, against what their server has.
final class UploadChecker: Sendable {
    private struct State {
        /// The names of uploads that were recorded, and their transfers.
        var handles: [HTTPURL: TransferID] = [:]
        /// The completed transfers of each errand.
        var completed: [Int: Set<TransferID>] = [:]
    }

    private let depot: SimulatedDepot
    private let trace: SimulationTrace
    private let state = Mutex(State())

    init(depot: SimulatedDepot, trace: SimulationTrace) { (self.depot, self.trace) = (depot, trace) }

    /// The place of the errand that an upload to a URL belongs to.
    func place(of url: HTTPURL) -> Int? { depot.place(of: url) }

    /// Records the progress that an attempt has recorded.
    func recorded(_ progress: UploadProgress, of id: TransferID) {
        guard let handle = progress.handle else { return }
        state.withLock { $0.handles[handle.url] = id }
    }

    /// Checks a transfer that has changed its state.
    func checkEnd(of row: Transfer) {
        guard let work = row.upload, let place = depot.place(of: work.specification.url) else { return }
        switch row.state {
        case .completed:
            let count = state.withLock { state in
                state.completed[place, default: []].insert(row.id)
                return state.completed[place, default: []].count
            }
            if count > depot.arrivals(for: place) {
                trace.complain("uploads: \(row.id) is completed, and no whole file has arrived for it")
            }
        case .failed(let failure):
            guard !isHonest(failure, row, work, place) else { return }
            trace.complain("I10: \(row.id) failed for good: \(failure.code.rawValue), \(failure.message)")
        case .queued, .active, .waiting, .paused, .cancelled: break
        }
    }

    private func isHonest(
        _ failure: TransferFailure,
        _ row: Transfer,
        _ work: UploadWork,
        _ place: Int
    ) -> Bool {
        switch failure.code {
        case .bodyChanged: !work.specification.startsOverOnChange && depot.hasChanged(place)
        case .attemptsExhausted: work.specification.retries < 100 || row.ledger.deaths >= Transfer.mostDeaths
        case .dependencyFailed, .headFailed, .deadlinePassed: true
        default: false
        }
    }

    /// Whether an engine still has to remove a cancelled upload from its server.
    func isOwed(by row: Transfer) -> Bool { row.residue == .upload && row.claim == nil }

    /// Checks at the end that the server holds no upload that is over and was known by its name.
    func checkEnd(_ rows: [Transfer]) {
        let handles = state.withLock { $0.handles }
        for (url, id) in handles.sorted(by: { $0.value < $1.value }) where depot.holds(url) {
            let row = rows.first { $0.id == id }
            let isKnown = row?.upload?.progress.handle?.url == url
            let isKept = row.map { $0.work.progress.note?.code == .leftAtServer } ?? true
            if !isKnown, !isKept { trace.complain("uploads: the server still holds \(url) of \(id)") }
        }
    }
}
