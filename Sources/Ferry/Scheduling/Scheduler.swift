import FerryCore
import Logging
import Synchronization

/// Decides which transfers run and when, and obeys wishes.
///
/// One loop does all of it: it wakes on a signal, looks at what changed, and starts attempts in its own task group. It
/// holds no lock while it works.
final class Scheduler: Sendable {
    private struct State {
        var signals: Signal = []
        var running: [TransferID: any AttemptRunner] = [:]
        /// Running transfers that wait only for the disk and the store.
        var finishing: Set<TransferID> = []
        var isStopping = false
        var failure: StoreError?
        var timer: Instant?

        /// Number of attempts that may start. With one slot, an attempt must be over before the next starts.
        /// Otherwise finishing attempts do not count, up to the number of slots.
        ///
        /// - Parameter most: maximum attempts that may run, finishing or not.
        func freeSlots(of slots: Int, most: Int) -> Int {
            let slots = min(slots, most)
            let free = slots - running.count
            guard slots > 1 else { return free }
            return min(free + finishing.count, free + slots, most - running.count)
        }

        /// The running attempts in the order of adding, so that nothing depends on the layout of a dictionary.
        var runners: [(TransferID, any AttemptRunner)] {
            running.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    let configuration: EngineConfiguration
    let seams: EngineSeams
    let hub: UpdateHub
    let ownership: Ownership
    let rate: EngineRate
    let queueRates = QueueRates()
    let windows = WindowWatch()
    let streams = StreamKeeper()
    let network: NetworkWatch
    let gate = ApplicationGate()
    let refreshes = URLRefreshes()
    let networkWaits: NetworkWaits
    let spaceWaits = SpaceWaits()
    let suspects = SuspectWatch()
    let hosts: HostConnections
    let pulse = LoopPulse()
    let slots: Mutex<Int>
    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let waking: AsyncStream<Void>.Continuation

    /// Interval at which dead owners are looked for.
    static let rescueInterval: Duration = .seconds(2)
    /// Maximum time between looks at the clock, so that a clock jump or a suspended machine does no harm.
    static let longestSleep: Duration = .seconds(60)

    init(_ configuration: EngineConfiguration, seams: EngineSeams, hub: UpdateHub) {
        self.configuration = configuration
        self.seams = seams
        self.hub = hub
        slots = Mutex(configuration.slots)
        hosts = HostConnections(
            cap: configuration.connectionsPerHost,
            most: seams.descriptors.mostConnections
        )
        rate = EngineRate(configuration.rateLimit)
        network = NetworkWatch(seams.network)
        networkWaits = NetworkWaits(seams: seams, hub: hub, watch: network, scope: configuration.scope)
        ownership = Ownership(seams: seams, logger: configuration.logger)
        (wakes, waking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        hub.whenThereIsRoom { [weak self] in self?.signal(.observed) }
    }

    /// Wakes the loop.
    func signal(_ signal: Signal) {
        state.withLock { state in
            state.signals.insert(signal)
            if signal.contains(.stop) { state.isStopping = true }
        }
        waking.yield()
    }

    /// Notes that the store failed.
    func fail(_ error: StoreError) {
        state.withLock { $0.failure = $0.failure ?? error }
        signal(.timer)
    }

    /// Joins the store as an owner, once.
    func join() async throws(StoreError) -> OwnerID {
        try await ownership.join()
    }

    /// Follows transfers, and starts those that can run.
    func follow(_ transfers: [Transfer]) {
        hub.follow(transfers.map(seen))
        signal([.observed, .storeChanged])
    }

    /// Leaves the store; transfers still held become free.
    func leave() async {
        do {
            try await ownership.leave()
        } catch {
            configuration.logger.warning("Could not leave the store.", metadata: ["error": "\(error)"])
        }
    }

    // MARK: The loop

    func run() async throws {
        defer { pulse.finish() }
        let owner = try await join()
        hub.reopen()
        await tellOfTheDead()
        queueRates.expectChange()
        gate.attend(true)
        defer { gate.attend(false) }
        let expiries = refreshes.begin()
        let routes = networkWaits.begin()
        pulse.begin()
        signal([.rate, .rescue, .storeChanged, .observed])
        let failure = await withDiscardingTaskGroup(returning: StoreError?.self) { group in
            group.addTask {
                for await _ in self.seams.store.changes() { self.signal(.storeChanged) }
            }
            group.addTask { await self.signalRescues() }
            group.addTask { await self.watchNetwork() }
            group.addTask { await self.endWaitsForNetwork(owner, when: routes) }
            group.addTask { await self.refreshURLs(for: owner, when: expiries) }
            group.addTask { await self.pruneNowAndThen() }
            var failure = await loop(owner, &group)
            do throws(StoreError) {
                try await pauseWhatWaits(owner)
            } catch {
                failure = failure ?? error
            }
            group.cancelAll()
            return failure
        }
        if let failure { throw failure }
    }

    private func signalRescues() async {
        while !Task.isCancelled {
            do {
                try await seams.clock.sleep(for: Self.rescueInterval)
            } catch {
                return
            }
            signal(.rescue)
        }
    }

    private func loop(_ owner: OwnerID, _ group: inout DiscardingTaskGroup) async -> StoreError? {
        for await _ in wakes {
            let signals = state.withLock { state in
                defer { state.signals = [] }
                return state.signals
            }
            let round = pulse.beginRound()
            defer { pulse.end(round) }
            do {
                if try await step(signals, owner: owner, in: &group) { break }
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
            }
            let (hasFailed, isIdle) = state.withLock { ($0.failure != nil, $0.running.isEmpty) }
            if hasFailed {
                if isIdle { break }
                stopAttempts()
            }
        }
        return state.withLock { $0.failure }
    }

    /// Looks at everything once; returns whether no work is left.
    private func step(
        _ signals: Signal,
        owner: OwnerID,
        in group: inout DiscardingTaskGroup
    ) async throws(StoreError)
        -> Bool
    {
        // After a failure nothing new starts: attempts stopped because of it would be claimed and stopped again
        // without end.
        let isEnding = state.withLock { $0.isStopping || $0.failure != nil }
        if isEnding {
            stopAttempts()
            return state.withLock { $0.running.isEmpty }
        }
        if signals.contains(.application) { refreshes.look() }
        if gate.letsGo { try await letGo(of: state.withLock { $0.runners }, heldBy: owner) }
        if signals.contains(.window) { endWhatIsOutsideItsWindow(in: &group) }
        if signals.contains(.rate) { lookAtRate(in: &group) }
        if signals.contains(.rescue) {
            try await ownership.keepSeat()
            try await ownership.rescueTheDead()
            await tellOfTheDead()
            try await endWaitsForSpace()
            try await makeRoomForSuspects(owner)
            try await lookAtNetwork()
        }
        if signals.contains(.storeChanged) {
            spaceWaits.expectChange()
            try await obeyWishes()
            if queueRates.isLookDue(at: seams.clock.now) {
                queueRates.set(try await seams.store.changedQueues())
            }
        }
        // Comes before the slots are filled, because the known state of a transfer decides whether it is claimed.
        try await readWatched(signals)
        guard gate.mayBegin else {
            // Transfers that only the background policy holds back are work that is left.
            guard configuration.scope == .followed else { return false }
            return try await hasNothingLeft(owner, since: seams.clock.now)
        }
        // Without a free slot, the loop waits for the end of an attempt.
        guard let looked = try await fillSlots(owner, in: &group) else { return false }
        try await armTimer(owner, after: looked, in: &group)
        guard try await hasNothingLeft(owner, since: looked) else { return false }
        // A signal that came while the store was asked is handled first.
        guard state.withLock({ $0.signals.isDisjoint(with: [.storeChanged, .observed]) }) else {
            return false
        }
        try await tellTheRest()
        return true
    }

    // MARK: Attempts

    /// Claims transfers for all free slots.
    ///
    /// - Returns: the moment at which no more could be claimed; `nil` when no slot is free.
    private func fillSlots(
        _ owner: OwnerID,
        in group: inout DiscardingTaskGroup
    ) async throws(StoreError) -> Instant? {
        let most = seams.descriptors.mostTransfers
        while true {
            let count = slots.withLock { $0 }
            let (running, free) = state.withLock { ($0.running.count, $0.freeSlots(of: count, most: most)) }
            let now = seams.clock.now
            guard free > 0, !suspects.holdsBack(isIdle: running == 0) else { return nil }
            var only: Set<TransferID>?
            if configuration.scope == .followed {
                // Running transfers are among them, and cannot be claimed.
                let wanted = hub.unsettled
                guard wanted.count > running else { return now }
                only = wanted
            }
            let claimed = try await claim(upTo: free, only: only, for: owner, at: now)
            for transfer in claimed { start(transfer, in: &group) }
            if claimed.count < free { return now }
        }
    }

    private func start(_ transfer: Transfer, in group: inout DiscardingTaskGroup) {
        guard let claim = transfer.claim else { return }
        if !transfer.work.canChangeOwner, !hub.follows(transfer.id) {
            // Output meant for another process must not go to this standard output.
            group.addTask { await self.giveUpForeignStream(transfer, claim) }
            return
        }
        let runner = runner(for: transfer, claim)
        state.withLock { $0.running[transfer.id] = runner }
        if transfer.isSuspect { watch(suspect: transfer, claim, in: &group) }
        hub.publish(transfer)
        watchWindow(of: runner, transfer.work.terms.window)
        group.addTask {
            let end = await runner.run()
            await self.settle(runner, end)
        }
    }

    /// Notes that an attempt has all bytes. The next attempt need not wait until they are durable and recorded: that
    /// is done in groups, and goes faster the larger the group is.
    func noteFinishing(_ id: TransferID) {
        state.withLock { _ = $0.finishing.insert(id) }
        signal(.attemptEnded)
    }

    /// Records the result of an attempt, and wakes the loop.
    private func settle(_ runner: any AttemptRunner, _ end: AttemptEnd) async {
        let id = runner.transfer.id
        var failure: StoreError?
        switch end {
        case .finished(let outcome, let progress):
            do {
                let transfer = try await settle(runner, outcome, progress)
                if transfer.state == .waiting(.network) { await networkWaits.hold(behind: transfer) }
                // A cancel may come too late for the attempt and take effect in the row.
                if transfer.state == .cancelled {
                    await seams.removeLeftover(of: transfer, logger: configuration.logger)
                }
                if transfer.state.isFinal {
                    refreshes.forget(id)
                    await streams.close(id)
                }
                EngineMetrics.count(transfer.state)
                EngineMetrics.count(
                    receivedBytes: progress.received - runner.transfer.work.progress.received
                )
                // Noted before the row is published: a transfer that waits for a refresher does not wait for a person.
                if transfer.state == .waiting(.newURL) { expectFreshURL(of: transfer) }
                try await tellEnd(of: runner, seen(transfer))
                // The route may have come back before the row was written.
                if transfer.state == .waiting(.network) { networkWaits.look() }
            } catch .claimLost {
                noteLostClaim(on: id)
            } catch {
                failure = error
            }
        case .claimLost:
            noteLostClaim(on: id)
        case .storeFailed(let error):
            failure = error
        }
        hub.detach(runner.meter, from: id)
        // After settling it could be claimed again, also here.
        let isLatest = state.withLock { state in
            state.failure = state.failure ?? failure
            guard state.running[id] === runner else { return false }
            state.running[id] = nil
            state.finishing.remove(id)
            return true
        }
        if isLatest {
            windows.forget(id)
            suspects.ended(id)
        }
        signal(.attemptEnded)
    }

    private func settle(
        _ runner: any AttemptRunner,
        _ outcome: AttemptOutcome,
        _ progress: WorkProgress
    ) async throws(StoreError) -> Transfer {
        let now = seams.clock.now
        var random = seams.random
        let isStopping = isStopping
        // A person's pause is in the row as a wish, and takes effect there when the attempt is settled. A pause that
        // was withdrawn meanwhile has no effect.
        let isOwnPause = isStopping && configuration.whenStopped == .pause
        var settlement = Settlement(
            of: runner.transfer,
            after: outcome,
            progress: progress,
            keepsHold: configuration.scope == .followed && !isStopping && !gate.letsGo,
            at: now,
            using: &random
        )
        settlement.isLeft = isOwnPause && runner.transfer.work.isInterruptible
        settlement.asked = runner.askedURL
        return try await seams.store.settle(runner.claim, as: settlement, at: now)
    }

    /// Logs that a result is not recorded, because another owner has the transfer.
    func noteLostClaim(on id: TransferID) {
        configuration.logger.notice("Another owner has taken over.", metadata: ["transfer": "\(id)"])
    }

    private func stopAttempts() {
        let runners = state.withLock { $0.runners }
        for (_, runner) in runners { runner.ask(.release) }
    }

    /// After a stop that pauses, pauses the transfers that had not started too.
    private func pauseWhatWaits(_ owner: OwnerID) async throws(StoreError) {
        guard configuration.whenStopped == .pause, isStopping else { return }
        for page in hub.unsettled.sorted().pages {
            for transfer in try await seams.store.pauseHeld(page, by: owner, at: seams.clock.now) {
                hub.publish(transfer)
            }
        }
    }

    // MARK: Wishes, rows of others, time

    private func obeyWishes() async throws(StoreError) {
        let runners = state.withLock { $0.runners }
        // All at once: with many short attempts the store changes all the time, mostly because of them.
        let orders = try await seams.store.orders(for: runners.map(\.0))
        for ((id, runner), orders) in zip(runners, orders) {
            guard let orders, orders.claim == runner.claim else {
                if state.withLock({ $0.running[id] === runner }) { runner.loseClaim() }
                continue
            }
            runner.obey(orders)
            watchWindow(of: runner, orders.window)
            switch orders.wish {
            case nil: break
            case .pause, .reload: runner.ask(.release)
            case .cancel(let keepingPart): runner.ask(.cancel(keepingPart: keepingPart))
            }
        }
    }

    /// Applies the rate limit of this moment, and looks again when it changes.
    private func lookAtRate(in group: inout DiscardingTaskGroup) {
        let now = seams.clock.now
        guard let wait = rate.look(at: now, offset: seams.clock.offset(at: now)) else { return }
        group.addTask {
            do {
                try await self.seams.clock.sleep(for: wait)
            } catch {
                return self.rate.giveUpLook()
            }
            self.signal(.rate)
        }
    }

    /// Looks again when a wait ends. A transfer that was due at `looked` and could not be claimed waits for room in
    /// its queue.
    private func armTimer(
        _ owner: OwnerID,
        after looked: Instant,
        in group: inout DiscardingTaskGroup
    ) async throws(StoreError) {
        guard let wake = try await nextWakeTime(owner, after: looked) else { return }
        let now = seams.clock.now
        let target = min(wake, now.advanced(by: Self.longestSleep))
        let isArmed = state.withLock { state in
            if let timer = state.timer, timer > now, timer <= target { return true }
            state.timer = target
            return false
        }
        guard !isArmed else { return }
        let wait = max(.milliseconds(1), now.duration(to: target))
        group.addTask {
            do {
                try await self.seams.clock.sleep(for: wait)
            } catch {
                return self.disarm(target)
            }
            self.disarm(target)
            self.signal(.timer)
        }
    }

    private func disarm(_ timer: Instant) {
        state.withLock { if $0.timer == timer { $0.timer = nil } }
    }

    /// Whether the engine was asked to stop.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// The running attempts.
    var runners: [(TransferID, any AttemptRunner)] { state.withLock { $0.runners } }

    /// The earliest moment at which a transfer that this engine may run becomes claimable by itself.
    private func nextWakeTime(_ owner: OwnerID, after moment: Instant) async throws(StoreError) -> Instant? {
        guard configuration.scope == .followed else {
            return try await seams.store.nextWakeTime(for: owner, after: moment)
        }
        // Other transfers in the store may be long overdue, but other engines run them.
        return hub.earliestWake(for: owner, after: moment)
    }

    private func hasNothingLeft(_ owner: OwnerID, since looked: Instant) async throws(StoreError) -> Bool {
        guard state.withLock({ $0.running.isEmpty }) else { return false }
        switch configuration.scope {
        case .everything(untilDrained: false):
            return false
        case .everything(untilDrained: true):
            // Checked first: a wait that ends in between makes a transfer due.
            if networkWaits.mayHold || mayRefresh { return false }
            guard try await seams.store.nextWakeTime(for: owner, after: looked) == nil else { return false }
            return try await !seams.store.waitsForRoom(owner, at: looked)
        case .followed:
            return hub.hasFollowed && hub.unsettled.isEmpty
        }
    }
}
