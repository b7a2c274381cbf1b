import FerryCore
import Logging

/// Asks the application about transfers that would otherwise wait for a person.
///
/// A transfer waits meanwhile without an attempt, so that a slow answer delays neither a pause nor the end of the engine.
/// Observers of this engine see it queued until the application is no longer asked.
final class Inquirer<Question: Inquiry>: Sendable {
    private let inquiry: Question?
    private let configuration: EngineConfiguration
    private let seams: EngineSeams
    private let hub: UpdateHub
    private let gate: ApplicationGate
    private let inquiries = Inquiries()
    private let alarm = Alarm()

    /// - Parameter inquiry: what to ask; `nil` if the application gave no function.
    init(
        _ inquiry: Question?,
        _ configuration: EngineConfiguration,
        seams: EngineSeams,
        hub: UpdateHub,
        gate: ApplicationGate
    ) {
        self.inquiry = inquiry
        self.configuration = configuration
        self.seams = seams
        self.hub = hub
        self.gate = gate
    }

    /// Whether an answer may still come.
    var mayHold: Bool { inquiry != nil && inquiries.mayHold }

    /// A transfer as observers of this engine see it.
    func seen(_ transfer: Transfer) -> Transfer {
        guard let inquiry, inquiry.concerns(transfer) else { return transfer }
        // Those that waited before this engine ran are asked about soon.
        let isSoon = configuration.scope != .followed && !inquiries.hasLooked
        guard isSoon || inquiries.isPending(transfer.id) else { return transfer }
        var seen = transfer
        seen.state = .queued
        return seen
    }

    /// Notes what an attempt has come to, or where a transfer was found.
    func note(_ transfer: Transfer) {
        guard let inquiry else { return }
        if inquiry.concerns(transfer) {
            inquiries.expect(transfer, at: seams.clock.now) { delay(of: transfer, afterFailure: $0) }
        } else if transfer.state.isFinal {
            inquiries.forget(transfer.id)
        }
    }

    /// Asks for another look: the application may be active again.
    func look() { inquiries.look() }

    /// Yields an element whenever there may be something to do. It serves one run of the engine.
    func begin() -> AsyncStream<Void> { inquiries.begin() }

    /// Asks whenever `looks` has an element, until the task is cancelled.
    func run(for owner: OwnerID, when looks: AsyncStream<Void>, _ reports: InquiryReports) async {
        guard let inquiry else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.lookForWaiting(inquiry, owner, reports) }
            for await _ in looks {
                while let id = inquiries.next(mayAsk: gate.mayBegin, at: seams.clock.now) {
                    group.addTask { await self.ask(inquiry, about: id, for: owner, reports) }
                }
                guard let moment = inquiries.nextMoment else { continue }
                alarm.set(for: moment, by: seams.clock, in: &group) { self.look() }
            }
            group.cancelAll()
        }
    }

    /// Finds transfers that waited before this engine ran, and those left by engines that cannot ask. An engine that only
    /// follows leaves them alone.
    private func lookForWaiting(_ inquiry: Question, _ owner: OwnerID, _ reports: InquiryReports) async {
        while configuration.scope != .followed {
            do throws(StoreError) {
                try await expectWhatWaits(inquiry, owner)
            } catch {
                return reports.failed(error)
            }
            inquiries.noteLook()
            reports.changed()
            guard configuration.scope == .everything(untilDrained: false) else { return }
            guard await seams.clock.hasSlept(for: inquiry.interval) else { return }
        }
        inquiries.noteLook()
    }

    private func expectWhatWaits(_ inquiry: Question, _ owner: OwnerID) async throws(StoreError) {
        var last: TransferID?
        repeat {
            let page = try await seams.store.transfers(
                inquiry.filter,
                after: last,
                limit: ClientSeams.pageLength
            )
            for transfer in page where isOpen(transfer, inquiry, for: owner) { note(transfer) }
            last = page.count == ClientSeams.pageLength ? page.last?.id : nil
        } while last != nil
    }

    private func isOpen(_ transfer: Transfer, _ inquiry: Question, for owner: OwnerID) -> Bool {
        inquiry.concerns(transfer) && (transfer.claim == nil || transfer.claim?.owner == owner)
    }

    private func ask(
        _ inquiry: Question,
        about id: TransferID,
        for owner: OwnerID,
        _ reports: InquiryReports
    ) async {
        do throws(StoreError) {
            guard let transfer = try await seams.store.transfers([id])[0],
                isOpen(transfer, inquiry, for: owner)
            else {
                inquiries.forget(id)
                return try await tellEnd(of: id, reports)
            }
            let answer = await ApplicationAnswer.of(
                { try await inquiry.ask(about: transfer) },
                by: seams.clock
            )
            var result = InquiryResult.silent
            switch answer {
            case .value(let answer):
                result = try await inquiry.use(answer, for: transfer, in: seams.store, at: seams.clock.now)
            case .nothing(let reason):
                guard !Task.isCancelled else { return }
                configuration.logger.warning(
                    inquiry.silence,
                    metadata: ["transfer": "\(id)", "error": "\(reason)"]
                )
            }
            switch result {
            case .used: try await tellEnd(of: id, reports)
            case .overtaken:
                inquiries.forget(id)
                try await tellEnd(of: id, reports)
            case .left:
                inquiries.leave(transfer)
                try await tellEnd(of: id, reports)
            case .useless, .silent: try await fail(transfer, result, inquiry, reports)
            }
        } catch {
            inquiries.end(id)
            reports.failed(error)
        }
    }

    private func fail(
        _ transfer: Transfer,
        _ result: InquiryResult,
        _ inquiry: Question,
        _ reports: InquiryReports
    ) async throws(StoreError) {
        guard !Task.isCancelled else { return }
        let isAskedAgain = inquiries.fail(transfer.id, at: seams.clock.now) {
            delay(of: transfer, afterFailure: $0)
        }
        if let note = inquiry.note(result, isAskedAgain: isAskedAgain) {
            hub.publish(shown(transfer), notes: [note])
        }
        guard !isAskedAgain else { return }
        try await tell(transfer.id)
        reports.changed()
    }

    /// Publishes the transfer as it is again. It is published before the inquiry ends, so that the engine does not end in
    /// between.
    private func tellEnd(of id: TransferID, _ reports: InquiryReports) async throws(StoreError) {
        try await tell(id)
        reports.changed()
        inquiries.end(id)
        // An update published before the inquiry ended is corrected.
        try await tell(id)
        reports.changed()
    }

    private func tell(_ id: TransferID) async throws(StoreError) {
        if let transfer = try await seams.store.transfers([id])[0] { hub.publish(shown(transfer)) }
    }

    private func shown(_ transfer: Transfer) -> Transfer { gate.seen(seen(transfer)) }

    /// How long to wait before asking again; `nil` after as many failures as a transfer has attempts. An engine that runs
    /// without end never gives up.
    private func delay(of transfer: Transfer, afterFailure count: Int) -> Duration? {
        let mayAsk =
            count <= transfer.work.terms.retries || configuration.scope == .everything(untilDrained: false)
        return mayAsk ? seams.pause(afterFailures: count) : nil
    }
}

/// The scheduler's reactions to inquiries.
struct InquiryReports: Sendable {
    /// The store failed.
    var failed: @Sendable (StoreError) -> Void
    /// A row may have changed, or no answer may be left to come; publish it to its observers.
    var changed: @Sendable () -> Void
}
