import FerryCore
import Logging
import Synchronization

/// Removes what only engines remove of transfers that are over: uploads at servers, and copies of bodies.
///
/// An attempt that is cancelled removes its upload itself, and the process that ends a request removes the copy of its
/// body. This is for uploads that were cancelled while no attempt ran, for those whose server could not be reached then,
/// for requests that gave way to others, and for processes that died before they had removed a copy.
final class OwedResidues: Sendable {
    private struct Tries {
        var count = 0
        var next: Instant
    }

    private let configuration: EngineConfiguration
    private let seams: EngineSeams
    private let uploads: UploadRemover
    private let signal = LookSignal()
    private let tries = Mutex<[TransferID: Tries]>([:])
    private let looks = Mutex((asked: 0, done: 0))

    /// The interval between two tries, which doubles with each.
    private static let (shortest, longest): (Duration, Duration) = (.seconds(30), .seconds(3600))
    /// After this time a server has most likely removed the rest of an upload by itself.
    private static let patience: Duration = .seconds(7 * 24 * 3600)

    init(_ configuration: EngineConfiguration, seams: EngineSeams, network: NetworkWatch) {
        (self.configuration, self.seams) = (configuration, seams)
        uploads = UploadRemover(configuration: configuration, seams: seams, network: network)
    }

    /// The looks of one run of the engine.
    func begin() -> AsyncStream<Void> {
        looks.withLock { $0.asked += 1 }
        return signal.begin()
    }

    /// Looks for such residues.
    func look() {
        looks.withLock { $0.asked += 1 }
        signal.look()
    }

    /// Whether a look is not over. An engine that ends when no work is left waits for it, but not for a later try.
    var mayHold: Bool { looks.withLock { $0.done < $0.asked } }

    /// Tries to remove what is due whenever `requests` has an element, until the task is cancelled.
    ///
    /// - Parameter looked: is called after each look.
    func run(when requests: AsyncStream<Void>, _ looked: () -> Void) async throws(StoreError) {
        for await _ in requests {
            let asked = looks.withLock { $0.asked }
            // Everything written to a store that is only read would fail.
            if !seams.store.isReadOnly { try await removeAll() }
            guard !Task.isCancelled else { return }
            looks.withLock { $0.done = asked }
            looked()
        }
    }

    private func removeAll() async throws(StoreError) {
        var last: TransferID?
        repeat {
            let page = try await seams.store.residues(
                for: .anyEngine,
                after: last,
                limit: ClientSeams.pageLength
            )
            for case let transfer? in try await seams.store.transfers(page) {
                guard !Task.isCancelled else { return }
                try await remove(transfer)
            }
            last = page.count == ClientSeams.pageLength ? page.last : nil
        } while last != nil
    }

    private func remove(_ transfer: Transfer) async throws(StoreError) {
        let id = transfer.id
        guard isDue(id, at: seams.clock.now) else { return }
        let problem: Problem?
        switch (transfer.residue, transfer.work) {
        case (.upload?, .upload(let work)): problem = await uploads.problem(removing: work, of: id)
        case (.bodyCopy?, _): problem = await self.problem(removingCopyOf: transfer)
        default: return
        }
        guard !Task.isCancelled else { return }
        guard let problem else {
            tries.withLock { $0[id] = nil }
            try await seams.store.settleResidues(of: [id], as: .removed)
            return
        }
        guard transfer.residue == .upload, isGivenUp(transfer, after: problem) else {
            return note(id, at: seams.clock.now)
        }
        configuration.logger.warning(
            "A server may keep what it has received of a cancelled upload.",
            metadata: ["transfer": "\(id)", "error": "\(problem.failure.message)"]
        )
        tries.withLock { $0[id] = nil }
        try await seams.store.settleResidues(of: [id], as: .kept)
    }

    private func isGivenUp(_ transfer: Transfer, after problem: Problem) -> Bool {
        let now = seams.clock.now
        return problem.disposition == .permanent
            || (transfer.finished ?? now).advanced(by: Self.patience) <= now
    }

    /// Removes the copy of a body.
    ///
    /// - Returns: why it could not; `nil` if nothing is left of it.
    private func problem(removingCopyOf transfer: Transfer) async -> Problem? {
        do throws(StorageProblem) {
            try await seams.client.removeResidue(of: transfer)
            return nil
        } catch {
            configuration.logger.warning(
                "The copy of a body could not be removed.",
                metadata: ["transfer": "\(transfer.id)", "error": "\(error.problem.failure.message)"]
            )
            return error.problem
        }
    }

    private func isDue(_ id: TransferID, at now: Instant) -> Bool {
        tries.withLock { tries in tries[id].map { $0.next <= now } ?? true }
    }

    /// Notes a try in vain.
    private func note(_ id: TransferID, at now: Instant) {
        tries.withLock { tries in
            let count = tries[id]?.count ?? 0
            let wait = min(Self.shortest * (1 << min(count, 20)), Self.longest)
            tries[id] = Tries(count: count + 1, next: now.advanced(by: wait))
        }
    }
}
