import Ferry
import FerryCore
internal import Synchronization

/// What happens to the world while it is not calm.
extension SimulatedWorld {
    /// Something happens.
    func disturb() {
        switch dice.number(in: 0..<28) {
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
        case 22: forget()
        case 23...25: changeNetwork()
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
        checker.lostPower()
    }

    /// Everybody takes a process for dead that lives.
    private func presumeDead() {
        guard !runners.isEmpty else { return }
        let resident = dice.pick(runners)
        trace.count(.presumedDead, resident.process.number)
        resident.process.allowFailure()
        // It may give its part file the name before it hears that the transfer is another's.
        checker.expectClashes()
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
        let site = dice.number(in: 0..<origin.count)
        trace.count(.resourceChanged, Int64(site))
        origin.change(site, dice)
    }

    private func fillDisk() {
        trace.count(.diskFilled)
        let used = files.disk.withLock { $0.nodes.values.reduce(0) { $0 + $1.live.allocated } }
        files.setCapacity(used + Int64(dice.pick([0, 4_096, 20_000])))
    }

    /// The network goes, comes back or is another one; connections of the time before lead nowhere.
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
        let minutes = dice.pick([-30, -1, 1, 30])
        clock.jump(to: clock.now.advanced(by: .seconds(minutes * 60)))
    }

    // MARK: What people do

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

    private func edit() {
        var edit = TransferEdit()
        switch dice.number(in: 0..<3) {
        case 0: edit.priority = dice.number(in: 0..<3)
        case 1: edit.headers = [DownloadOptions.HeaderField(name: "X-Mark", value: "1")]
        default:
            let site = origin.site(dice.number(in: 0..<origin.count))
            guard let row = anyRow, row.specification.url == site.url else { return }
            checker.expectClashes()
            edit.url = site.alias
            trace.count(.edited, row.id.rawValue)
            let fresh = edit
            return command { engine in _ = try await engine.edit(row.id, fresh) }
        }
        let change = edit
        wish(.edited) { engine, id in _ = try await engine.edit(id, change) }
    }

    private func askAgain() {
        let errand = dice.pick(scenario.errands)
        trace.count(.askedAgain)
        command { [checker] engine in
            let additions = try await engine.add([NewTransfer(errand.specification)])
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
