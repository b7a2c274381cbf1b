import FerryCore
internal import Synchronization

/// Checks the invariants after every event, by their numbers in `docs/GUARANTEES.md`. Only it sees what is
/// durable in store and disk, and every version of each resource.
final class InvariantChecker: Sendable {
    struct State {
        /// The errand of each transfer.
        var errands: [TransferID: Int] = [:]
        /// The site of each download.
        var sites: [TransferID: Int] = [:]
        var acknowledged: Set<TransferID> = []
        var completed: Set<TransferID> = []
        var forgotten: Set<TransferID> = []
        /// Each transfer's holder that has not been seen to release it.
        var holders: [TransferID: Holder] = [:]
        /// The final files that were found complete; they never change again.
        var published: Set<UInt64> = []
        /// The files from before, by name.
        var bystanders: [FileName: (identity: FileIdentity, bytes: [UInt8])] = [:]
        /// Whether someone did something that may leave a file under a name that a transfer wants.
        var namesMayClash = false
        /// The transfers that each one was requested to come after.
        var order: [TransferID: Set<TransferID>] = [:]
        /// Transfers that someone asked to cancel.
        var unwanted: Set<TransferID> = []
        /// Whether any queue has ever cancelled its oldest.
        var mayGiveWay = false
        /// Whether any queue has ever failed those behind a failed transfer.
        var mayFailBehind = false
        /// The files that were made by processes which were taken for dead.
        var doubtfulFiles: Set<UInt64> = []
        /// The state of each at the last check.
        var formerStates: [TransferID: TransferState] = [:]
    }

    struct Holder {
        var claim: Claim
        var process: SimulatedProcess
    }

    let store: MemoryTransferStore
    let files: MemoryPartFileSystem
    let origin: SimulatedOrigin
    let calls: CallChecker
    let copies: CopyChecker
    let results: ResultChecker
    let answers: AnswerChecker
    let uploads: UploadChecker
    let deadlines: DeadlineChecker
    let trees: TreeChecker
    let pools: PoolChecker
    let trace: SimulationTrace
    let scenario: SimulationScenario
    let state = Mutex(State())

    init(
        store: MemoryTransferStore,
        files: MemoryPartFileSystem,
        origin: SimulatedOrigin,
        bodies: MemoryBodyFiles,
        calls: CallChecker,
        uploads: UploadChecker,
        deadlines: DeadlineChecker,
        trace: SimulationTrace,
        scenario: SimulationScenario
    ) {
        trees = TreeChecker(origin: origin, files: files, trace: trace, scenario: scenario)
        pools = PoolChecker(origin: origin, files: files, trace: trace, pool: scenario.pool)
        self.store = store
        self.files = files
        self.origin = origin
        self.calls = calls
        (self.uploads, self.deadlines) = (uploads, deadlines)
        copies = CopyChecker(bodies: bodies, calls: calls, trace: trace)
        results = ResultChecker(trace: trace)
        answers = calls.answers
        self.trace = trace
        self.scenario = scenario
    }

    /// Whether a name may be taken without a fault of the engine.
    var namesMayClash: Bool { scenario.namesMayClash || state.withLock { $0.namesMayClash } }

    /// Records an action that may leave a file under a name that a transfer wants.
    func expectClashes() { state.withLock { $0.namesMayClash = true } }

    /// The current rows.
    var rows: [Transfer] { look { $0.rows.values.map(\.transfer).sorted { $0.id < $1.id } } }

    func look<Value: Sendable>(_ body: @Sendable (StoreImage) -> Value) -> Value {
        do {
            return try store.read(body)
        } catch {
            preconditionFailure("the simulated store is never closed")
        }
    }

    /// Records a file that does not belong to Ferry.
    func placed(_ bystander: SimulationScenario.Bystander, _ identity: FileIdentity) {
        state.withLock { $0.bystanders[bystander.name] = (identity, bystander.bytes) }
    }

    /// Whether the store has ends of transfers that are not handled.
    var hasUnhandledResults: Bool { look { !$0.results.isEmpty } }

    // MARK: Actions of owners

    /// - Parameter wasRunning: whether it was running, so that the request changed nothing.
    func added(_ id: TransferID, for new: NewTransfer, wasRunning: Bool) {
        let errand =
            switch new.work {
            case .download: scenario.errands.firstIndex { $0.identity == new.work.identity }
            case .request: calls.added(id, at: new.work.url)
            case .upload: uploads.place(of: new.work.url)
            }
        let site = errand.map { scenario.errands[$0].site } ?? scenario.keptSite(at: new.work.url, of: origin)
        state.withLock { state in
            state.errands[id] = state.errands[id] ?? errand
            state.sites[id] = state.sites[id] ?? site
            // Adding it again takes back an earlier request to cancel.
            state.unwanted.remove(id)
            if !wasRunning, !new.after.isEmpty { state.order[id, default: []].formUnion(new.after) }
        }
    }

    /// The files that were made by processes which were taken for dead.
    var doubtfulFiles: Set<UInt64> { state.withLock { $0.doubtfulFiles } }

    /// Records a file that a process has made which was taken for dead.
    func doubted(_ identity: FileIdentity) { state.withLock { _ = $0.doubtfulFiles.insert(identity.inode) } }

    /// Records that a transfer comes after no other any more.
    func disordered(_ id: TransferID) { state.withLock { $0.order[id] = nil } }

    /// Records that the adder has received an answer (I3).
    func acknowledged(_ ids: [TransferID]) {
        state.withLock { $0.acknowledged.formUnion(ids) }
        checkRows()
    }

    func forgot(_ ids: [TransferID]) {
        // The loss of power may bring them back, with what is noted of their ends.
        state.withLock { $0.forgotten.formUnion(ids) }
    }

    func claimed(_ transfer: Transfer, by process: SimulatedProcess) {
        guard let claim = transfer.claim else {
            return trace.complain("I4: \(transfer.id) is run without a claim")
        }
        let (isDone, holder) = state.withLock { state in
            let before = state.holders[transfer.id]
            state.holders[transfer.id] = Holder(claim: claim, process: process)
            return (state.completed.contains(transfer.id), before)
        }
        if isDone { trace.complain("I8: \(transfer.id) is run again although it is completed") }
        if process.mayNotBegin(transfer) {
            trace.complain(
                "application: \(transfer.id) is begun by process \(process.number) in the background"
            )
        }
        if let holder, holder.process.isRunning || holder.claim.token >= claim.token {
            trace.complain(
                "I4: \(transfer.id) is given out twice, with tokens \(holder.claim.token), \(claim.token)"
            )
        }
    }

    /// Records a holder. A cancelled transfer has one until its part file is gone.
    func held(_ claim: Claim, by process: SimulatedProcess) {
        state.withLock { $0.holders[claim.transfer] = Holder(claim: claim, process: process) }
    }

    /// Records what someone has said of a call of unknown outcome.
    func resolved(_ id: TransferID, as outcome: RequestOutcome) {
        if outcome == .arrived { state.withLock { _ = $0.completed.insert(id) } }
        calls.resolved(id, as: outcome)
    }

    /// Records that an owner was removed and its transfers freed.
    func freed(_ owner: OwnerID) {
        let held = state.withLock { $0.holders.filter { $0.value.claim.owner == owner } }
        freed(Array(held.keys))
    }

    func freed(_ ids: [TransferID]) {
        calls.freed(ids)
        state.withLock { state in
            for id in ids {
                state.holders[id] = nil
            }
        }
    }

    func recorded(_ progress: WorkProgress, for claim: Claim, by process: SimulatedProcess) {
        checkToken(claim)
        switch progress {
        case .download(let progress): recorded(progress, for: claim, by: process)
        case .request(let progress): calls.recorded(progress, of: claim.transfer)
        case .upload(let progress): uploads.recorded(progress, of: claim.transfer)
        }
    }

    private func recorded(_ progress: DownloadProgress, for claim: Claim, by process: SimulatedProcess) {
        let inode = progress.part?.identity.inode
        if let fault = fault(in: progress, of: claim.transfer, boot: process.boot) {
            // A record that was running when a sync failed may still claim bytes that the kernel has dropped.
            if let inode, process.toleratesLoss(of: inode) { return }
            trace.complain(fault)
        }
        if let inode { process.callOff(inode) }
    }

    func settled(_ transfer: Transfer, _ claim: Claim, by process: SimulatedProcess) {
        checkToken(claim)
        let isFirst = state.withLock { state in
            state.holders[transfer.id] = nil
            return transfer.state != .completed || state.completed.insert(transfer.id).inserted
        }
        if !isFirst { trace.complain("I8: \(transfer.id) is completed twice") }
        switch transfer.work {
        case .download(let work): settled(work, of: transfer, by: process)
        case .request: calls.settled(transfer)
        case .upload: break
        }
    }

    private func settled(_ work: DownloadWork, of transfer: Transfer, by process: SimulatedProcess) {
        if let inode = work.progress.part?.identity.inode { process.callOff(inode) }
        switch transfer.state {
        case .completed: checkCompletion(of: transfer)
        case .failed(let failure): checkFailure(failure, of: transfer)
        case .cancelled: break
        case .queued, .active, .waiting, .paused:
            checkClaims(work.progress, of: transfer.id, boot: process.boot)
        }
    }

    /// Checks that an accepted write was the owner's.
    private func checkToken(_ claim: Claim) {
        let holder = state.withLock { $0.holders[claim.transfer] }
        if holder?.claim != claim {
            trace.complain("I4: a write with token \(claim.token) of \(claim.transfer) took effect")
        }
    }

    /// Checks a call just before its bytes leave.
    func departs(_ call: SimulatedCall, as request: TransportRequest, by process: SimulatedProcess) {
        guard let id = calls.transfer(of: call) else {
            return trace.complain("I3: call \(call.number) is sent and was never added")
        }
        let (holder, isForgotten) = state.withLock { ($0.holders[id]?.process, $0.forgotten.contains(id)) }
        if holder !== process, !process.mayFail {
            trace.complain("I4: \(id) is sent by process \(process.number), which does not hold it")
        }
        let durable = look { image in
            var image = image
            image.goBack(to: 0)
            return image.rows[id]?.transfer
        }
        if durable == nil, !isForgotten {
            trace.complain("I3: \(id) is sent, and would be lost with the power")
        }
        calls.departs(call, as: request, durable)
    }

    /// The process learns that it is no longer the owner.
    func fenced(_ progress: WorkProgress, by process: SimulatedProcess) {
        switch progress {
        case .download(let progress):
            guard let identity = progress.part?.identity else { return }
            process.undoLoss(of: identity.inode)
            process.fence(identity)
        // Before its bytes leave, it is checked whose it is.
        case .request: break
        case .upload: break
        }
    }

    /// Records a power loss: no one holds anything any more.
    func lostPower() {
        let states = look { $0.rows.mapValues(\.transfer.state) }
        calls.lostPower(rows)
        if scenario.keeps {
            let image = look { $0 }
            trees.lostPower(image)
            pools.lostPower(image)
        }
        results.lostPower(look { Array($0.results.keys) })
        state.withLock { state in
            state.holders = [:]
            // What was not durable did not happen.
            state.formerStates = states
        }
        checkRows()
        checkNames(again: true)
        // One that is to be cancelled may have lost its file already; it does not resume.
        for row in rows where !row.state.isFinal && row.wish != .cancel(keepingPart: false) {
            switch row.work {
            case .download(let work): checkClaims(work.progress, of: row.id, boot: nil)
            // Checked above, with all calls.
            case .request: break
            case .upload: break
            }
        }
    }
}
