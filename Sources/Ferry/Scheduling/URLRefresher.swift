import FerryCore
import Logging

/// Fetches fresh URLs for expired ones.
///
/// The transfer waits meanwhile without an attempt, so that a slow refresher delays neither a pause nor the end of the
/// engine. Observers of this engine see it queued until the refresher is no longer asked.
final class URLRefresher: Sendable {
    /// Time limit of one refresh.
    static let longestRefresh: Duration = .seconds(60)
    /// Interval at which an engine that runs without end looks for transfers that others left without a fresh URL.
    static let refreshInterval: Duration = .seconds(60)

    private let configuration: EngineConfiguration
    private let seams: EngineSeams
    private let hub: UpdateHub
    private let gate: ApplicationGate
    private let refreshes = URLRefreshes()
    private let alarm = Alarm()

    init(_ configuration: EngineConfiguration, seams: EngineSeams, hub: UpdateHub, gate: ApplicationGate) {
        self.configuration = configuration
        self.seams = seams
        self.hub = hub
        self.gate = gate
    }

    /// The scheduler's reactions.
    struct Reports: Sendable {
        /// The store failed.
        var failed: @Sendable (StoreError) -> Void
        /// A row may have changed; publish it to its observers.
        var changed: @Sendable () -> Void
        /// The refresher may have nothing left to deliver.
        var looked: @Sendable () -> Void
    }

    /// Whether the refresher may still deliver a URL.
    var mayHold: Bool { configuration.refreshURL != nil && refreshes.mayHold }

    /// A transfer as observers of this engine see it.
    func seen(_ transfer: Transfer) -> Transfer {
        guard transfer.state == .waiting(.newURL), refreshes.isPending(transfer.id) else {
            return gate.seen(transfer)
        }
        var seen = transfer
        seen.state = .queued
        return gate.seen(seen)
    }

    /// Notes that a transfer has begun to wait for a fresh URL.
    func expect(_ transfer: Transfer) {
        guard configuration.refreshURL != nil else { return }
        refreshes.expect(transfer, at: seams.clock.now) { delay(of: transfer, afterFailure: $0) }
    }

    /// Notes that a transfer is over.
    func forget(_ id: TransferID) { refreshes.forget(id) }

    /// Asks for another look: the application may be active again.
    func look() { refreshes.look() }

    /// Yields an element whenever there may be something to do. It serves one run of the engine.
    func begin() -> AsyncStream<Void> { refreshes.begin() }

    /// Asks for fresh URLs whenever `looks` has an element, until the task is cancelled.
    func run(for owner: OwnerID, when looks: AsyncStream<Void>, _ reports: Reports) async {
        guard let refresh = configuration.refreshURL else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.lookForExpired(owner, reports) }
            for await _ in looks {
                while let id = refreshes.next(mayAsk: gate.mayBegin, at: seams.clock.now) {
                    group.addTask { await self.renew(id, for: owner, refresh, reports) }
                }
                guard let moment = refreshes.nextMoment else { continue }
                alarm.set(for: moment, by: seams.clock, in: &group) { self.look() }
            }
            group.cancelAll()
        }
    }

    /// Finds transfers that waited before this engine ran, and those left by engines without a refresher. An engine
    /// that only follows leaves them alone.
    private func lookForExpired(_ owner: OwnerID, _ reports: Reports) async {
        while configuration.scope != .followed {
            do throws(StoreError) {
                try await expectWhatWaits(owner)
            } catch {
                return reports.failed(error)
            }
            refreshes.noteLook()
            reports.looked()
            guard configuration.scope == .everything(untilDrained: false) else { return }
            do {
                try await seams.clock.sleep(for: Self.refreshInterval)
            } catch {
                return
            }
        }
        refreshes.noteLook()
    }

    private func expectWhatWaits(_ owner: OwnerID) async throws(StoreError) {
        let waiting = TransferFilter.waiting(.newURL)
        var last: TransferID?
        repeat {
            let page = try await seams.store.transfers(waiting, after: last, limit: ClientSeams.pageLength)
            for transfer in page where transfer.claim == nil || transfer.claim?.owner == owner {
                expect(transfer)
            }
            last = page.count == ClientSeams.pageLength ? page.last?.id : nil
        } while last != nil
    }

    private func renew(
        _ id: TransferID,
        for owner: OwnerID,
        _ refresh: @escaping @Sendable (TransferID, HTTPURL) async throws -> HTTPURL,
        _ reports: Reports
    ) async {
        do throws(StoreError) {
            guard let transfer = try await seams.store.transfers([id])[0],
                transfer.state == .waiting(.newURL),
                transfer.claim == nil || transfer.claim?.owner == owner
            else {
                refreshes.forget(id)
                return try await tellRefreshed(id, reports)
            }
            let expired = transfer.work.url
            let fresh = await answer(of: refresh, for: id, expired)
            if let fresh, fresh != expired {
                try await give(fresh, to: id, instead: expired)
                try await tellRefreshed(id, reports)
            } else if !Task.isCancelled {
                let news =
                    fresh == nil
                    ? "No fresh URL was given" : "Refreshing returned the same expired URL"
                let isAskedAgain = refreshes.fail(id, at: seams.clock.now) {
                    delay(of: transfer, afterFailure: $0)
                }
                if isAskedAgain {
                    hub.publish(seen(transfer), notes: [TransferNote(.noFreshURL, "\(news); asking again.")])
                } else {
                    // What the transfer waits for also says what a person can do.
                    hub.publish(seen(transfer), notes: [TransferNote(.noFreshURL, "\(news).")])
                    try await tell(id)
                    reports.changed()
                }
            }
        } catch {
            refreshes.end(id)
            reports.failed(error)
        }
    }

    /// Writes a fresh URL. A pause in the meantime stays. A URL that a person gave meanwhile, or an end, takes
    /// precedence.
    private func give(_ fresh: HTTPURL, to id: TransferID, instead expired: HTTPURL) async throws(StoreError)
    {
        guard let transfer = try await seams.store.transfers([id])[0], transfer.work.url == expired
        else {
            return refreshes.forget(id)
        }
        var edit = TransferEdit()
        edit.url = fresh
        do throws(StoreError) {
            _ = try await seams.store.edit(id, edit, at: seams.clock.now)
        } catch .notPossible, .noSuchTransfer {
            refreshes.forget(id)
        }
    }

    /// Publishes the transfer as it is again. It is published before the refresh ends, so that the engine does not
    /// end in between.
    private func tellRefreshed(_ id: TransferID, _ reports: Reports) async throws(StoreError) {
        try await tell(id)
        reports.changed()
        refreshes.end(id)
        // An update published before the refresh ended is corrected.
        try await tell(id)
        reports.changed()
    }

    private func tell(_ id: TransferID) async throws(StoreError) {
        if let transfer = try await seams.store.transfers([id])[0] { hub.publish(seen(transfer)) }
    }

    /// The refresher's answer; `nil` when it failed or took too long.
    private func answer(
        of refresh: @escaping @Sendable (TransferID, HTTPURL) async throws -> HTTPURL,
        for id: TransferID,
        _ url: HTTPURL
    ) async -> HTTPURL? {
        let answer = await withTaskGroup(of: Answer.self) { group in
            group.addTask {
                do {
                    return .url(try await refresh(id, url))
                } catch {
                    // Logs only the error's type: its text may quote the URL, which is a secret.
                    return .nothing("\(type(of: error))")
                }
            }
            group.addTask {
                do {
                    try await self.seams.clock.sleep(for: Self.longestRefresh)
                } catch {
                    // The refresher answered in time, or the refresh was cancelled.
                }
                return .nothing("it took too long")
            }
            defer { group.cancelAll() }
            return await group.next() ?? .nothing("it was not asked")
        }
        switch answer {
        case .url(let fresh): return fresh
        case .nothing(let reason):
            if !Task.isCancelled { warn(id, reason) }
            return nil
        }
    }

    private enum Answer: Sendable {
        case url(HTTPURL)
        case nothing(String)
    }

    private func warn(_ id: TransferID, _ error: String) {
        configuration.logger.warning(
            "No fresh URL was given.",
            metadata: ["transfer": "\(id)", "error": "\(error)"]
        )
    }

    /// How long to wait before the refresher is asked again: longer each time, as between attempts. `nil` after as many
    /// failures as a transfer has attempts. An engine that runs without end never gives up.
    private func delay(of transfer: Transfer, afterFailure count: Int) -> Duration? {
        let policy = RetryPolicy(retries: transfer.work.terms.retries)
        guard count < policy.attempts || configuration.scope == .everything(untilDrained: false) else {
            return nil
        }
        var random = seams.random
        return policy.delay(afterAttempt: count, retryAfter: nil, using: &random)
    }
}
