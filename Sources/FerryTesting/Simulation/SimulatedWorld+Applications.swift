import Ferry
import FerryCore

/// Adding what the errands ask for.
extension SimulatedWorld {
    /// An application's source of a body that ends early.
    struct BrokenSource: Error {}

    /// Adds some errands: first those without dependencies, all at once, then each of the others.
    ///
    /// - Returns: the number of acknowledged ones.
    func add(
        _ errands: [SimulationScenario.Errand],
        to resident: Resident,
        isFollowed: Bool
    ) async throws -> Int {
        let free = errands.filter(\.after.isEmpty)
        var count = 0
        for batch in (free.isEmpty ? [] : [free]) + errands.filter({ !$0.after.isEmpty }).map({ [$0] }) {
            guard resident.process.isRunning else { break }
            do {
                var wanted: [NewTransfer] = []
                for errand in batch {
                    if let new = try await newTransfer(errand, by: resident.engine) { wanted.append(new) }
                }
                count += try await add(wanted, to: resident, isFollowed: isFollowed)
            } catch StoreError.notPossible, StoreError.noSuchTransfer, StoreError.noTransferNamed {
                // A transfer that it was to come after has failed, was cancelled, or is forgotten.
            }
        }
        return count
    }

    private func add(
        _ wanted: [NewTransfer],
        to resident: Resident,
        isFollowed: Bool
    ) async throws -> Int {
        let additions =
            isFollowed ? try await resident.engine.download(wanted) : try await resident.engine.add(wanted)
        guard resident.process.isRunning else { return 0 }
        checker.acknowledged(additions.map(\.transfer.id))
        return additions.count
    }

    /// The new transfer of an errand; `nil` if its body could not be copied.
    ///
    /// - Parameter others: those that it comes after; by default the existing ones of its errands.
    func newTransfer(
        _ errand: SimulationScenario.Errand,
        after others: [TransferID]? = nil,
        by engine: TransferEngine
    ) async throws -> NewTransfer? {
        let (queue, priority) = (errand.queue, errand.priority)
        let others = others ?? checker.latest(of: errand.after)
        let notAfter = errand.patience.map { clock.now.advanced(by: $0) }
        switch errand.aim {
        case .download(var specification, _):
            specification.options.notAfter = notAfter
            return NewTransfer(
                specification,
                queue: queue,
                priority: priority,
                after: others,
                type: errand.type
            )
        case .upload(let plan):
            var upload = UploadSpecification(depot.file(plan), to: plan.url, by: .tus)
            (upload.partSize, upload.startsOverOnChange) = (plan.partSize, plan.startsOverOnChange)
            (upload.retries, upload.notAfter) = (plan.retries, notAfter)
            return NewTransfer(upload, queue: queue, priority: priority, after: others, type: errand.type)
        case .call(let plan):
            let source = plan.takesValue ? checker.firstCall(of: others) : nil
            let request =
                plan.layout == .copied
                ? try await copiedCall(plan, taking: source, by: engine)
                : try service.newCall(plan, taking: source)
            guard var request else { return nil }
            if let file = request.responseFile, let kind = plan.saving?.inTheWay { obstruct(file.name, kind) }
            request.notAfter = notAfter
            return NewTransfer(
                request,
                queue: queue,
                priority: priority,
                after: others,
                type: errand.type
            )
        }
    }

    /// Puts a file that is not Ferry's under the name of an answer.
    private func obstruct(_ name: FileName, _ kind: FileSurvey.Kind) {
        let bytes: [UInt8] = kind == .file ? [0xEE, 0xEE] : []
        let bystander = SimulationScenario.Bystander(kind: kind, name: name, bytes: bytes)
        guard files.contents(of: name, in: SimulationScenario.directory) == nil else { return }
        checker.placed(bystander, files.put(kind, bytes, as: name, in: SimulationScenario.directory))
    }

    /// A call whose body the engine has copied; `nil` if it could not.
    ///
    /// Sometimes it repeats a call of the same errand that was never added, under its name: its process may have died, or
    /// is about to add it.
    private func copiedCall(
        _ plan: CallPlan,
        taking source: Transfer?,
        by engine: TransferEngine
    ) async throws -> RequestSpecification? {
        let unadded = service.calls.last {
            $0.plan.place == plan.place && $0.source == source?.id && checker.calls.transfer(of: $0) == nil
        }
        let call: SimulatedCall
        if let unadded, dice.happens(500) {
            trace.count(.copiedAgain, Int64(unadded.number))
            call = unadded
        } else {
            var random = dice.split()
            call = try service.newCall(
                plan,
                taking: source,
                named: TransferUUID(at: clock.now, using: &random)
            )
        }
        guard let uuid = call.uuid else { preconditionFailure("a call with a copied body has a name") }
        let isBroken = dice.happens(isCalm ? 0 : 50)
        let parts = AsyncThrowingStream<[UInt8], any Error> { parts in
            let edge = dice.number(in: 0..<call.body.count)
            parts.yield(Array(call.body[..<edge]))
            if !isBroken { parts.yield(Array(call.body[edge...])) }
            parts.finish(throwing: isBroken ? BrokenSource() : nil)
        }
        do {
            let body = try await engine.copyBody(parts, for: uuid)
            trace.count(.bodyCopied, Int64(call.number))
            return try service.complete(call.number, taking: source, body)
        } catch is TransferFailure {
            return nil
        } catch is BrokenSource {
            trace.count(.copyGivenUp, Int64(call.number))
            return nil
        }
    }
}

/// The handlers of applications.
extension SimulatedWorld {
    /// A handler that throws.
    private struct Unable: Error {}

    /// Gives a process a handler of its application.
    func register(_ type: TransferType, with engine: TransferEngine, of process: SimulatedProcess) {
        checker.results.registered(type, by: process)
        engine.handle(type) { transfer in
            self.checker.results.begins(transfer, in: process)
            do {
                try await self.handle(transfer, in: process)
            } catch {
                self.checker.results.ends(transfer, in: process, hasReturned: false)
                throw error
            }
            self.checker.results.ends(transfer, in: process, hasReturned: true)
        }
    }

    /// Gives each process the handlers that it lacks.
    func registerAll() {
        for resident in residents {
            for type in SimulationScenario.types where !checker.results.handles(type, resident.process) {
                register(type, with: resident.engine, of: resident.process)
            }
        }
    }

    /// An application learns late that it needs a handler.
    func registerLate() {
        guard !runners.isEmpty else { return }
        let (resident, type) = (dice.pick(runners), dice.pick(SimulationScenario.types))
        guard !checker.results.handles(type, resident.process) else { return }
        trace.count(.handlerCame, resident.process.number)
        register(type, with: resident.engine, of: resident.process)
    }

    private func handle(_ transfer: Transfer, in process: SimulatedProcess) async throws {
        await linger(process)
        if dice.happens(300) { try await clock.sleep(for: dice.milliseconds(1..<30_000)) }
        guard process.isRunning else { throw CancellationError() }
        if !isCalm, dice.happens(50), let resident = residents.first(where: { $0.process === process }) {
            trace.count(.killedWhileHandling, transfer.id.rawValue)
            kill(resident)
            throw CancellationError()
        }
        if !isCalm, dice.happens(200) {
            trace.count(.handlerThrew, transfer.id.rawValue)
            throw Unable()
        }
        trace.count(.handled, transfer.id.rawValue, "\(transfer.state.name)")
    }
}
