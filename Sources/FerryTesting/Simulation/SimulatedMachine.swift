import FerryCore
internal import Synchronization

/// The machine's living processes, and its boot.
final class SimulatedMachine: Sendable {
    private struct State {
        var boot = 1
        var latest: Int32 = 100
        var alive: Set<Int32> = []
        var presumedDead: Set<Int32> = []
    }

    private let state = Mutex(State())

    /// Starts a process.
    func spawn() -> SimulatedProcess {
        let identity = state.withLock { state in
            state.latest += 1
            state.alive.insert(state.latest)
            return ProcessIdentity(pid: state.latest, startTime: 1, boot: Self.name(state.boot))
        }
        return SimulatedProcess(identity, machine: self)
    }

    /// Restarts the machine.
    func reboot() {
        state.withLock { state in
            state.boot += 1
            state.alive = []
            state.presumedDead = []
        }
    }

    func bury(_ pid: Int32) {
        state.withLock { _ = $0.alive.remove(pid) }
    }

    /// Makes every observer take a living process for dead.
    func presumeDead(_ pid: Int32) {
        state.withLock { _ = $0.presumedDead.insert(pid) }
    }

    /// Whether a process that was taken for dead still lives, and may act on what it held.
    var hidesLivingProcess: Bool {
        state.withLock { !$0.presumedDead.isDisjoint(with: $0.alive) }
    }

    func isAlive(_ process: ProcessIdentity) -> Bool {
        state.withLock { state in
            process.boot == Self.name(state.boot) && state.alive.contains(process.pid)
                && !state.presumedDead.contains(process.pid)
        }
    }

    private static func name(_ boot: Int) -> BootID { BootID(rawValue: "boot-\(boot)") }
}
