import Ferry
import FerryCore

/// The end of a simulation: no more faults, and everything that can end does.
extension SimulatedWorld {
    /// Maximum steps of the world to its end once it is calm.
    static let patience = 100_000

    /// Heals all faults; existing engines continue, or new ones take over.
    func heal() {
        trace.note("calm")
        calm()
        for resident in residents { bringBack(resident) }
        registerAll()
        for queue in scenario.queues where dice.happens(700) { resumeQueue(queue.name) }
        if dice.happens(500) { for resident in residents { kill(resident) } }
        startRunner(checker.missingErrands(), scope: .everything(untilDrained: true))
    }

    /// Lets time pass until every transfer has ended, stops the engines, and checks what they leave.
    func settle() {
        if scenario.keeps {
            // The first time, a transfer may be under way that has begun too early.
            for _ in 0..<3 {
                SimulatedKeeper(world: self).keepAll()
                guard awaitEnds() else { return }
            }
        }
        // A process that stood still may do its last when the others have ended, such as resolve a request.
        repeat {
            guard awaitEnds(), stopEngines() else { return }
        } while !isSettled
        // The next engine that opens the store removes what dead processes have left.
        command { [scenario] engine in
            if let pool = scenario.pool { _ = try await engine.cache(pool.settings.pool).trim() }
        }
        while hasTasks, advance() {}
        checker.checkRows()
        checker.checkNames(again: true)
        checker.copies.checkEnd(checker.rows)
        checker.results.checkEnd(checker.rows)
        checker.answers.checkEnd(checker.rows, besides: checker.doubtfulFiles)
        checker.uploads.checkEnd(checker.rows)
        if scenario.keeps {
            let image = checker.look { $0 }
            checker.trees.checkEnd(image)
            checker.pools.checkEnd(image)
        }
    }

    /// Lets time pass until every transfer has ended.
    ///
    /// - Returns: whether they did.
    private func awaitEnds() -> Bool {
        let begin = trace.step
        while !isSettled {
            guard trace.step - begin < Self.patience else {
                complainOfWhatHangs()
                return false
            }
            for _ in 0..<40 where !advance() { break }
            // An engine that only follows its own transfers leaves the rest to others.
            if runners.allSatisfy({ $0.scope == .followed }) {
                // An engine that ends by itself leaves the ends whose handler has thrown to the next one.
                startRunner([], scope: .everything(untilDrained: !checker.hasUnhandledResults))
            }
            if residents.allSatisfy(\.isRunner) { wakePaused() }
        }
        return true
    }

    /// Stops the engines, and waits for their ends.
    ///
    /// - Returns: whether they ended.
    private func stopEngines() -> Bool {
        for resident in residents { resident.engine.stop() }
        let end = trace.step
        while hasTasks {
            guard advance(), trace.step - end < Self.patience else {
                trace.complain("liveness: an engine that was asked to stop does not")
                return false
            }
        }
        return true
    }

    /// Resumes what was paused.
    private func wakePaused() {
        for row in checker.rows where row.state == .paused {
            command { engine in _ = try await engine.resume(row.id) }
        }
    }

    private var isSettled: Bool {
        if residents.contains(where: \.process.isAdding) { return false }
        let (paused, fronts) = checker.look { image in
            (Set(image.queues.values.filter(\.isPaused).map(\.name)), image.fronts)
        }
        if checker.rows.contains(where: { checker.copies.isOwed(by: $0) || checker.uploads.isOwed(by: $0) }) {
            return false
        }
        if checker.hasUnhandledResults { return false }
        let rows = checker.rows.filter { !$0.state.isFinal }
        if rows.contains(where: { checker.deadlines.isOverdue($0, at: clock.now) }) { return false }
        var resting = Set(rows.map(\.id))
        var count = -1
        // A transfer that waits for one that moves, moves as well, however long the chain is. Transfers that
        // wait for each other rest: a strict queue holds what its first comes after, if that stands behind
        // it.
        while resting.count != count {
            count = resting.count
            for row in rows where !mayRest(row, beside: resting, paused) {
                if !isHeld(row, by: fronts[row.queue], beside: resting) { resting.remove(row.id) }
            }
        }
        return resting.count == rows.count
    }

    /// Whether a transfer stands in a strict queue behind resting ones, or failed ones that hold the queue.
    private func isHeld(_ row: Transfer, by front: [TransferID]?, beside resting: Set<TransferID>) -> Bool {
        guard let front, !front.contains(row.id), row.state != .active else { return false }
        let moving = checker.rows.filter { !$0.state.isFinal && !resting.contains($0.id) }
        return !moving.contains { front.contains($0.id) }
    }

    /// Whether an unfinished transfer need not end.
    private func mayRest(_ row: Transfer, beside resting: Set<TransferID>, _ paused: Set<String>) -> Bool {
        switch row.state {
        case .waiting(.dependency): !resting.isDisjoint(with: row.dependencies)
        // No one can resume it.
        case .paused: checker.comesAfterWhatBroke(row.id)
        case .queued, .waiting: paused.contains(row.queue) || mayWaitForEver(row)
        case .active, .completed, .failed, .cancelled: false
        }
    }

    /// Whether a transfer waits for an event that never comes: its former version, or a server's withdrawal
    /// of a false length.
    private func mayWaitForEver(_ row: Transfer) -> Bool {
        guard case .waiting = row.state, let site = checker.site(of: row.id) else { return false }
        if site.versions.count > 1, row.download?.specification.options.onChange == .keep { return true }
        return site.hasLied
    }

    private func complainOfWhatHangs() {
        if checker.hasUnhandledResults { trace.complain("liveness: an end is not handled for good") }
        for row in checker.rows where checker.uploads.isOwed(by: row) {
            trace.complain("liveness: \(row.id) is cancelled, and no engine removes its upload")
        }
        for row in checker.rows where checker.copies.isOwed(by: row) {
            trace.complain("liveness: \(row.id) is over, and no engine removes the copy of its body")
        }
        for row in checker.rows where !row.state.isFinal {
            trace.complain(
                "liveness: transfer \(row.id) is \(row.state) for good: \(row.latestFailure?.message ?? "")"
            )
        }
    }
}
