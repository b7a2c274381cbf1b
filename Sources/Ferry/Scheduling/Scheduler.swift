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
        var agenda = Agenda()
        /// What happens to the transfers; `nil` until the engine is asked to stop.
        var stopPolicy: EngineConfiguration.StopPolicy?
        var failure: StoreError?

        /// Whether nothing new is to start. After a failure, attempts that were stopped because of it would be claimed
        /// and stopped again without end.
        var isEnding: Bool { stopPolicy != nil || failure != nil }
    }

    let configuration: EngineConfiguration
    let seams: EngineSeams
    let hub: UpdateHub
    let ownership: Ownership
    var displacedParts: DisplacedParts { ownership.displacedParts }
    let rate: EngineRate
    let queueRates = QueueRates()
    let windows = WindowWatch()
    let streams = StreamKeeper()
    let network: NetworkWatch
    let gate = ApplicationGate()
    let attempts: AttemptBoard
    let refresher: Inquirer<URLInquiry>
    let resolver: Inquirer<OutcomeInquiry>
    let credentials: CredentialRefresher
    let handlers: ResultHandlers
    let networkWaits: NetworkWaits
    let fetches: FetchRunner
    let diskWaits = DiskWaits()
    let suspects = SuspectWatch()
    let residues: OwedResidues
    let hosts: HostConnections
    let names = FinalNames()
    let pulse = LoopPulse()
    let metrics = EngineMetrics()
    private let alarm = Alarm()
    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let waking: AsyncStream<Void>.Continuation

    init(
        _ configuration: EngineConfiguration,
        seams: EngineSeams,
        hub: UpdateHub,
        ownership: Ownership
    ) {
        self.configuration = configuration
        self.seams = seams
        self.hub = hub
        attempts = AttemptBoard(slots: configuration.slots)
        let refresh = configuration.refreshURL.map { URLInquiry(refresh: $0) }
        refresher = Inquirer(refresh, configuration, seams: seams, hub: hub, gate: gate)
        let resolve = configuration.resolveOutcome.map {
            OutcomeInquiry(resolve: $0, seams: seams.client, logger: configuration.logger)
        }
        resolver = Inquirer(resolve, configuration, seams: seams, hub: hub, gate: gate)
        credentials = CredentialRefresher(configuration, seams: seams)
        handlers = ResultHandlers(seams: seams, logger: configuration.logger)
        hosts = HostConnections(
            cap: configuration.connectionsPerHost,
            most: seams.descriptors.mostConnections
        )
        rate = EngineRate(configuration.rateLimit)
        network = NetworkWatch(seams.network)
        networkWaits = NetworkWaits(seams: seams, hub: hub, watch: network, scope: configuration.scope)
        residues = OwedResidues(configuration, seams: seams, network: network)
        fetches = FetchRunner(
            configuration,
            seams: seams,
            network: network,
            gate: gate,
            queueRates: queueRates,
            rate: rate
        )
        self.ownership = ownership
        (wakes, waking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        hub.whenThereIsRoom { [weak self] in self?.signal(.observed) }
        fetches.share(
            bound: { [weak self] in self?.mostFetches ?? 1 },
            whenThereIsRoom: { [weak self] in self?.signal(.attemptEnded) }
        )
    }

    /// Wakes the loop.
    func signal(_ signal: Signal) {
        _ = state.withLock { $0.signals.insert(signal) }
        waking.yield()
    }

    /// Has the loop end. The first policy counts.
    func stop(_ policy: EngineConfiguration.StopPolicy) {
        state.withLock { $0.stopPolicy = $0.stopPolicy ?? policy }
        waking.yield()
    }

    /// Notes that the store failed.
    func fail(_ error: StoreError) {
        state.withLock { $0.failure = $0.failure ?? error }
        signal(.timer)
    }

    /// Has the loop look at something now.
    func look(at look: Agenda.Look) {
        note(look, for: Instant(milliseconds: .min))
        waking.yield()
    }

    /// Has the loop look at something at a moment, at the latest.
    func note(_ look: Agenda.Look, for moment: Instant) {
        let now = seams.clock.now
        state.withLock { $0.agenda.note(look, for: moment, at: now) }
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

    // MARK: Changes while it runs

    /// Maximum number of fetches at once. They have as many slots of their own as transfers have.
    private var mostFetches: Int {
        min(attempts.slots, max(1, seams.descriptors.mostTransfers - attempts.count))
    }

    func setSlots(_ count: Int) {
        attempts.slots = count
        // More slots may be free now.
        signal(.storeChanged)
        fetches.look()
    }

    func setConnectionsPerHost(_ count: Int?) {
        hosts.setCap(count)
    }

    /// Waits for the next whole round of the loop; returns whether there was one.
    func isResponsive() async -> Bool {
        await pulse.beat { self.signal(.pulse) }
    }

    // MARK: The loop

    func run() async throws {
        defer { pulse.finish() }
        let owner = try await join()
        hub.reopen()
        let (expiries, doubts) = (refresher.begin(), resolver.begin())
        await tellOfTheDead()
        queueRates.expectChange()
        gate.attend(true)
        defer { gate.attend(false) }
        let refusals = credentials.begin()
        let routes = networkWaits.begin()
        let results = handlers.begin()
        let owed = residues.begin()
        let starts = attempts.starts()
        pulse.begin()
        noteFirstLooks()
        signal([.storeChanged, .observed])
        let failure = await withDiscardingTaskGroup(returning: StoreError?.self) { group in
            group.addTask {
                for await _ in self.seams.store.changes(besides: owner) { self.signal(.storeChanged) }
            }
            group.addTask { await self.tick(after: starts) }
            group.addTask { await self.watchNetwork() }
            group.addTask { await self.endWaitsForNetwork(owner, when: routes) }
            group.addTask { await self.refresher.run(for: owner, when: expiries, self.inquiryReports) }
            group.addTask { await self.resolver.run(for: owner, when: doubts, self.inquiryReports) }
            group.addTask { await self.credentials.run(refusals) }
            group.addTask { await self.removeResidues(when: owed) }
            group.addTask { await self.handlers.run(for: owner, when: results, self.handlerReports) }
            group.addTask { [configuration, seams] in
                let retention = configuration.retention
                await Pruner(seams: seams, retention: retention, logger: configuration.logger).run()
            }
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
            let (hasFailed, next) = state.withLock { ($0.failure != nil, $0.isEnding ? nil : $0.agenda.next) }
            if hasFailed {
                if attempts.count == 0 { break }
                attempts.releaseAll()
            }
            if let next { alarm.set(for: next, by: seams.clock, in: &group) { self.signal(.timer) } }
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
        let now = seams.clock.now
        let (isEnding, onTime) = state.withLock { state in
            state.isEnding ? (true, []) : (false, state.agenda.takeDue(at: now))
        }
        if isEnding {
            attempts.releaseAll()
            return attempts.count == 0
        }
        let due = self.due(onTime, signals)
        if gate.isInBackground { try await letGo(of: attempts.runners, heldBy: owner) }
        for look in due {
            if let next = try await carryOut(look, for: owner) { note(look, for: next) }
        }
        if signals.contains(.storeChanged) {
            diskWaits.expectChange()
            try await obeyWishes()
            if queueRates.isLookDue(at: seams.clock.now) {
                let changes = displacedParts.changes
                let queues = try await seams.store.changedQueues()
                queueRates.set(queues)
                displacedParts.expect(in: queues, since: changes)
            }
            try await displacedParts.removeExpected()
        }
        // Comes before the slots are filled, because the known state of a transfer decides whether it is claimed.
        var reasons: [WatchedRows.Reason] = []
        if signals.contains(.storeChanged) { reasons.append(.change) }
        if due.contains(.owners) { reasons.append(.interval) }
        if signals.contains(.observed) { reasons.append(.request) }
        // Transfers that can run start in between.
        if try await watchedRows.read(for: reasons) { signal(.observed) }
        guard gate.mayBegin else {
            // Transfers that only the background policy holds back are work that is left.
            guard configuration.scope == .followed else { return false }
            return try await hasNothingLeft(owner, since: seams.clock.now)
        }
        // Without a free slot, the loop waits for the end of an attempt.
        guard let looked = try await fillSlots(owner, in: &group) else { return false }
        if let wake = try await nextWakeTime(owner, after: looked) { note(.claims, for: wake) }
        guard try await hasNothingLeft(owner, since: looked) else { return false }
        // A signal that came while the store was asked is handled first.
        guard state.withLock({ $0.signals.isDisjoint(with: [.storeChanged, .observed]) }) else {
            return false
        }
        try await watchedRows.readTheRest()
        return true
    }

    /// Tells the other loops what has happened, and adds what is due because of it.
    private func due(_ looks: [Agenda.Look], _ signals: Signal) -> [Agenda.Look] {
        if signals.contains(.application) {
            refresher.look()
            resolver.look()
        }
        // A claim, too, fails what is past its deadline, and returns none of it.
        if looks.contains(.deadlines) { signal([.storeChanged, .observed]) }
        guard signals.contains(.storeChanged) else { return looks }
        handlers.look()
        // A change may have brought an earlier deadline.
        return looks.contains(.deadlines) ? looks : looks + [.deadlines]
    }

    /// After a stop that pauses, pauses the transfers that had not started too.
    private func pauseWhatWaits(_ owner: OwnerID) async throws(StoreError) {
        guard stopPolicy == .pause else { return }
        for page in hub.unsettled.sorted().pages {
            for transfer in try await seams.store.pauseHeld(page, by: owner, at: seams.clock.now) {
                hub.publish(transfer)
            }
        }
    }

    // MARK: Wishes, and what is left

    private func obeyWishes() async throws(StoreError) {
        let runners = attempts.runners
        guard !runners.isEmpty else { return }
        // All at once: with many short attempts the store changes all the time, mostly because of them.
        let orders = try await seams.store.orders(for: runners.map(\.transfer.id))
        for (runner, orders) in zip(runners, orders) {
            guard let orders, orders.claim == runner.claim else {
                if attempts.holds(runner) { runner.loseClaim() }
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

    /// What happens to the transfers; `nil` until the engine is asked to stop.
    var stopPolicy: EngineConfiguration.StopPolicy? { state.withLock { $0.stopPolicy } }

    /// Whether the engine was asked to stop.
    var isStopping: Bool { stopPolicy != nil }

    /// The earliest moment at which a transfer that this engine may run becomes claimable by itself.
    private func nextWakeTime(_ owner: OwnerID, after moment: Instant) async throws(StoreError) -> Instant? {
        guard configuration.scope == .followed else {
            return try await seams.store.nextWakeTime(for: owner, after: moment)
        }
        // Other transfers in the store may be long overdue, but other engines run them.
        return hub.earliestWake(for: owner, after: moment)
    }

    private func hasNothingLeft(_ owner: OwnerID, since looked: Instant) async throws(StoreError) -> Bool {
        guard attempts.count == 0 else { return false }
        switch configuration.scope {
        case .everything(untilDrained: false):
            return false
        case .everything(untilDrained: true):
            // Checked first: a wait that ends in between makes a transfer due.
            if networkWaits.mayHold || refresher.mayHold || resolver.mayHold || handlers.mayHold
                || residues.mayHold
            {
                return false
            }
            guard try await seams.store.nextWakeTime(for: owner, after: looked) == nil else { return false }
            return try await !seams.store.waitsForRoom(owner, at: looked)
        case .followed:
            return hub.hasFollowed && hub.unsettled.isEmpty && !handlers.mayHold
        }
    }

    // MARK: Parts

    /// The rows that observers look at.
    private var watchedRows: WatchedRows {
        WatchedRows(seams: seams, hub: hub, seen: seen) { [self] rows throws(StoreError) in
            let areFreed = try await free(rows)
            let areTakenUp = try await takeUp(rows)
            return areFreed || areTakenUp
        }
    }

    /// Takes up followed transfers that another process released when it was stopped; returns whether it did.
    private func takeUp(_ rows: [Transfer]) async throws(StoreError) -> Bool {
        let left = rows.filter { $0.isLeft && hub.follows($0.id) }.map(\.id)
        // An engine in the background leaves them to others, and looks again in the foreground.
        guard !left.isEmpty, !isStopping, gate.mayBegin else { return false }
        let holder = configuration.scope == .followed ? try await join() : nil
        _ = try await seams.store.takeUp(left, holder: holder, at: seams.clock.now)
        return true
    }

    /// The reactions to the reports of the handlers.
    private var handlerReports: ResultHandlers.Reports {
        ResultHandlers.Reports(failed: { self.fail($0) }, looked: { self.signal(.timer) })
    }

    /// A transfer as observers of this engine see it.
    func seen(_ transfer: Transfer) -> Transfer { gate.seen(resolver.seen(refresher.seen(transfer))) }

    private var inquiryReports: InquiryReports {
        InquiryReports(
            failed: { self.fail($0) },
            changed: { self.signal([.storeChanged, .observed]) }
        )
    }
}
