import Ferry
import FerryCore
internal import Synchronization

/// Faults and user actions while the world is not calm.
extension SimulatedWorld {
    /// Draws one event.
    func disturb() {
        switch dice.number(in: 0..<46) {
        case 0...2: killOne()
        case 3: losePower()
        case 4: presumeDead()
        case 5: stopOne()
        case 6...8: changeResource()
        case 9: fillDisk()
        case 10: files.setCapacity(nil)
        case 11: jumpClock()
        case 12...13: for resident in residents { resident.transport.base.release() }
        case 14...15: wish(.paused) { engine, id in _ = try await engine.pause(id) }
        case 16...18: wish(.resumed) { engine, id in _ = try await engine.resume(id) }
        case 19: cancel()
        case 20: edit()
        case 21: askAgain()
        case 34...35 where scenario.isCrowded: askAgain()
        case 22: forget()
        case 23...25: changeNetwork()
        case 26...29: changeQueue()
        case 30...31: sendToBackground()
        case 32: bringBack()
        case 33: suspend()
        case 36...37: disturbBodyFile()
        case 38...39: resolve()
        case 40: cancelWhileSent()
        case 41...42: registerLate()
        case 43...44: depot.disturb(dice)
        case 45: changeUploadFile()
        default: if runners.count < scenario.runners { startRunner() }
        }
    }

    /// Starts another engine, after others have gone.
    func startRunner() {
        let scopes: [EngineConfiguration.Scope] = [
            .everything(untilDrained: false), .everything(untilDrained: true), .followed,
        ]
        let scope = dice.pick(scopes)
        let asked = scope == .followed || dice.happens(300) ? [dice.pick(scenario.errands)] : []
        startRunner(asked, scope: scope)
    }

    private func killOne() {
        guard !residents.isEmpty else { return }
        trace.count(.processKilled)
        kill(dice.pick(residents))
    }

    private func losePower() {
        trace.count(.powerLost)
        for resident in residents { kill(resident) }
        machine.reboot()
        var random = dice.split()
        files.losePower(using: &random)
        store.losePower(using: &random)
        bodies.losePower(using: &random)
        checker.lostPower()
    }

    /// Makes every process take a living one for dead.
    private func presumeDead() {
        guard !runners.isEmpty else { return }
        let resident = dice.pick(runners)
        trace.count(.presumedDead, resident.process.number)
        resident.process.allowFailure()
        // It may name its part file before it learns that the transfer belongs to another owner.
        checker.expectClashes()
        // Its pending write arrives long after the transfer went to another owner.
        if dice.happens(500) {
            trace.count(.stoodStill, resident.process.number)
            resident.process.standStill(until: clock.elapsed + dice.milliseconds(500..<20_000))
            startRunner([], scope: .everything(untilDrained: false))
        }
        machine.presumeDead(resident.process.currentProcess.pid)
        command { engine in try await engine.rescueTheDead() }
    }

    private func stopOne() {
        guard !runners.isEmpty else { return }
        let resident = dice.pick(runners)
        trace.count(.engineStopped, resident.process.number)
        resident.engine.stop()
    }

    private func changeResource() {
        guard origin.count > 0 else { return }
        let site = dice.number(in: 0..<origin.count)
        trace.count(.resourceChanged, Int64(site))
        origin.change(site, dice)
    }

    private func fillDisk() {
        trace.count(.diskFilled)
        let used = files.disk.withLock { $0.nodes.values.reduce(0) { $0 + $1.live.allocated } }
        files.setCapacity(used + Int64(dice.pick([0, 4_096, 20_000])))
    }

    /// Removes, restores or replaces the network; earlier connections break.
    private func changeNetwork() {
        switch dice.number(in: 0..<4) {
        case 0:
            trace.count(.networkLost)
            network.lose()
        case 1:
            trace.count(.networkMoved)
            network.restore(over: dice.number(in: 1..<4))
        default:
            trace.count(.networkRestored)
            network.restore()
        }
    }

    private func jumpClock() {
        trace.count(.clockJumped)
        let minutes = dice.pick([-30, -1, 1, 30, -1_440, 1_440, -525_600, 525_600])
        checker.deadlines.note(clock.now)
        clock.jump(to: clock.now.advanced(by: .seconds(minutes * 60)))
        checker.deadlines.note(clock.now)
    }

    /// Suspends the machine: the time of day advances, and no wait does.
    private func suspend() {
        trace.count(.suspended)
        clock.jump(to: clock.now.advanced(by: dice.milliseconds(1_000..<10_000_000)))
        network.wake()
    }

    /// Sends an application to the background; it has to report when nothing runs there that must not.
    private func sendToBackground() {
        guard !runners.isEmpty else { return }
        let resident = dice.pick(runners)
        let policy = dice.pick([BackgroundPolicy.stop, .stop, .finishActive, .keepRunning])
        let process = resident.process
        trace.count(.sentToBackground, process.number, "\(policy)")
        attend { [checker] in
            // No one would bring it back any more.
            guard !self.isCalm else { return }
            let move = process.leaveForeground()
            await resident.engine.applicationDidEnterBackground(policy)
            process.becameQuiet(since: move, under: policy)
            checker.checkQuiet(process)
        }
    }

    private func bringBack() {
        guard !runners.isEmpty else { return }
        let resident = dice.pick(runners)
        trace.count(.broughtBack, resident.process.number)
        bringBack(resident)
    }

    /// Makes an application active again.
    func bringBack(_ resident: Resident) {
        resident.process.enterForeground()
        resident.engine.applicationWillEnterForeground()
    }

    // MARK: User actions

    private func wish(
        _ kind: SimulatedFault,
        _ body: @escaping @Sendable (TransferEngine, TransferID) async throws -> Void
    ) {
        guard let row = anyRow else { return }
        trace.count(kind, row.id.rawValue)
        command { engine in try await body(engine, row.id) }
    }

    private var anyRow: Transfer? {
        let rows = checker.rows
        return rows.isEmpty ? nil : dice.pick(rows)
    }

    private func cancel() {
        guard dice.happens(400) else { return }
        checker.expectClashes()
        let keepingPart = dice.happens(300)
        wish(.cancelled) { engine, id in _ = try await engine.cancel(id, keepingPart: keepingPart) }
    }

    /// Cancels a call that is on its way.
    private func cancelWhileSent() {
        let rows = checker.rows.filter { $0.state == .active && $0.request?.progress.sent != nil }
        guard !rows.isEmpty else { return }
        let row = dice.pick(rows)
        trace.count(.cancelledWhileSent, row.id.rawValue)
        command { engine in _ = try await engine.cancel(row.id, keepingPart: false) }
    }

    /// Says what became of a call of unknown outcome. A person may be wrong about what has arrived, but says that nothing
    /// has only when no process can still send it: no one can tell what a process will do that was taken for dead and
    /// lives.
    private func resolve() {
        let rows = checker.rows.filter { row in
            guard case .failed(let failure) = row.state else { return false }
            return failure.code == .outcomeUnknown
        }
        guard !rows.isEmpty else { return }
        let (row, hasArrived) = (dice.pick(rows), dice.happens(500) || machine.hidesLivingProcess)
        command { engine in
            _ = try await engine.resolve(row.id, as: hasArrived ? .arrived : .notArrived)
        }
    }

    private func disturbBodyFile() {
        let calls = service.calls.filter { $0.file != nil }
        guard !calls.isEmpty else { return }
        // Mostly one that is on its way: there are few moments for that.
        let sent = checker.rows.filter { $0.state == .active }.compactMap {
            checker.calls.call(of: $0.id)?.number
        }
        let present = calls.filter { sent.contains($0.number) }
        service.disturb(
            dice.pick(present.isEmpty || dice.happens(200) ? calls : present).number,
            dice.pick([.bodyFileChanged, .bodyFileReplaced, .bodyFileRemoved])
        )
    }

    /// Changes a file that is uploaded; sometimes its upload is asked for again.
    private func changeUploadFile() {
        let errands = scenario.errands.filter { if case .upload = $0.aim { true } else { false } }
        guard !errands.isEmpty else { return }
        let errand = dice.pick(errands)
        guard case .upload(let plan) = errand.aim else { return }
        trace.count(.uploadFileChanged, Int64(plan.place))
        depot.change(plan)
        if dice.happens(500) { ask(again: errand) }
    }

    private func edit() {
        var edit = TransferEdit()
        switch dice.number(in: 0..<5) {
        case 4: edit.notAfter = clock.now.advanced(by: .seconds(dice.pick([-60, 5, 3_600])))
        case 3: edit.queue = dice.pick(scenario.queues.map(\.name) + [NewTransfer.defaultQueue])
        case 0: edit.priority = dice.number(in: 0..<3)
        case 1: edit.headers = [HeaderField(name: "X-Mark", value: "1")]
        default:
            guard let row = anyRow, let alias = alias(of: row) else { return }
            edit.url = alias
            trace.count(.edited, row.id.rawValue, "\(alias)")
            let fresh = edit
            return command { engine in _ = try await engine.edit(row.id, fresh) }
        }
        let change = edit
        wish(.edited) { engine, id in _ = try await engine.edit(id, change) }
    }

    /// Another address of a transfer's content.
    private func alias(of row: Transfer) -> HTTPURL? {
        if let call = checker.calls.call(of: row.id) { return call.address(elsewhere: dice.happens(300)) }
        guard origin.count > 0 else { return nil }
        let site = origin.site(dice.number(in: 0..<origin.count))
        guard row.work.url == site.url else { return nil }
        checker.expectClashes()
        return site.alias
    }

    private func changeQueue() {
        guard !scenario.queues.isEmpty else { return }
        let name = dice.pick(scenario.queues).name
        switch dice.number(in: 0..<4) {
        case 0:
            trace.count(.queuePaused)
            command { engine in try await engine.pauseQueue(name) }
        case 1: resumeQueue(name)
        default:
            trace.count(.queueChanged)
            let edit = SimulationScenario.queueEdit(dice)
            command { engine in try await engine.editQueue(name, edit) }
        }
    }

    func resumeQueue(_ name: String) {
        trace.count(.queueResumed)
        command { engine in try await engine.resumeQueue(name) }
    }

    private func askAgain() {
        ask(again: dice.pick(scenario.errands))
    }

    private func ask(again errand: SimulationScenario.Errand) {
        trace.count(.askedAgain)
        let after = checker.latest(of: errand.after)
        command(isAdding: true) { [checker] engine in
            guard let new = try await self.newTransfer(errand, after: after, by: engine) else { return }
            let additions = try await engine.add([new])
            checker.acknowledged(additions.map(\.transfer.id))
        }
    }

    private func forget() {
        guard let row = anyRow, row.state.isFinal else { return }
        trace.count(.forgotten, row.id.rawValue)
        checker.expectClashes()
        command { engine in try await engine.remove([row.id]) }
    }
}
