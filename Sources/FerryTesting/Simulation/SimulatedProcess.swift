import FerryCore
internal import Synchronization

/// One process of the simulated machine. When it is killed, nothing that its tasks still do reaches the world: its
/// calls fail without effect, and they come to their end unseen.
final class SimulatedProcess: HostInspector {
    private struct State {
        var isRunning = true
        var hasEnded = false
        /// It was given a reason to stop with an error: a write that failed, or a hold on the store that it lost.
        var mayFail = false
        var fence: (@Sendable (FileIdentity) -> Void)?
        /// What its death does, or takes back, to which file.
        var lastWords: [LastWord] = []
        /// Files of which a failed sync has dropped bytes, with the number of records that may still claim them; any
        /// number until the failure is heard of.
        var losses: [UInt64: Int] = [:]
        /// On the clock by which waits are measured: until when none of its calls to the store gets through.
        var standstill = Duration.zero
        /// How often its application went to the background or came back.
        var moves = 0
        /// Whether it has said that all it ran is let go, and its application is in the background still.
        var isQuiet = false

        /// Says whether what is to be done to a file at the process's death is due as things stand.
        mutating func setDue(_ isDue: Bool, _ inode: UInt64) {
            for index in lastWords.indices where lastWords[index].inode == inode {
                lastWords[index].isDue = isDue
            }
        }
    }

    private struct LastWord {
        /// The file; 0 stands for all of them.
        var inode: UInt64
        var isDue = true
        var work: @Sendable () -> Void
    }

    let currentProcess: ProcessIdentity
    let machine: SimulatedMachine
    private let state = Mutex(State())

    init(_ identity: ProcessIdentity, machine: SimulatedMachine) {
        currentProcess = identity
        self.machine = machine
    }

    var number: Int64 { Int64(currentProcess.pid) }
    var boot: BootID { currentProcess.boot }

    /// Whether what it does has an effect.
    var isRunning: Bool { state.withLock { $0.isRunning && !$0.hasEnded } }

    /// Whether an error of its engine is no surprise.
    var mayFail: Bool { state.withLock { $0.mayFail } }

    func allowFailure() { state.withLock { $0.mayFail = true } }

    /// Whom to tell of a file that is another owner's now.
    func atFence(_ fence: @escaping @Sendable (FileIdentity) -> Void) {
        state.withLock { $0.fence = fence }
    }

    /// It hears that a file is another owner's now.
    func fence(_ identity: FileIdentity) { state.withLock { $0.fence }?(identity) }

    /// It stands still for a while, as one does that is stopped, or whose machine is moved.
    func standStill(until moment: Duration) { state.withLock { $0.standstill = moment } }

    /// Until when it stands still.
    var standstill: Duration { state.withLock { $0.standstill } }

    // MARK: Its application

    /// Its application goes to the background.
    ///
    /// - Returns: what ``becameQuiet(since:)`` is told.
    func leaveForeground() -> Int {
        state.withLock { state in
            state.moves += 1
            state.isQuiet = false
            return state.moves
        }
    }

    /// All it ran is let go, unless its application has moved since.
    func becameQuiet(since move: Int) { state.withLock { $0.isQuiet = $0.moves == move } }

    /// Its application comes back.
    func enterForeground() {
        state.withLock { state in
            state.moves += 1
            state.isQuiet = false
        }
    }

    /// Whether it runs nothing and begins nothing.
    var isQuiet: Bool { state.withLock { $0.isQuiet } }

    func life(of process: ProcessIdentity) -> Life { machine.isAlive(process) ? .alive : .dead }

    /// What is to be done when it is dead, unless it is called off before.
    func atDeath(of inode: UInt64 = 0, _ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.lastWords.append(LastWord(inode: inode, work: work)) }
    }

    /// A sync of a file failed and dropped bytes of it.
    func lost(_ inode: UInt64) { state.withLock { $0.losses[inode] = .max } }

    /// It hears of that.
    func heardOfLoss(of inode: UInt64) {
        state.withLock { if $0.losses[inode] != nil { $0.losses[inode] = Self.recordsUnderWay } }
    }

    /// Whether a record may claim bytes of a file that a failed sync has dropped.
    func toleratesLoss(of inode: UInt64) -> Bool {
        state.withLock { state in
            guard let left = state.losses[inode], left > 0 else { return false }
            state.losses[inode] = left - 1
            state.setDue(true, inode)
            return true
        }
    }

    /// How many records can be on their way to the store when a sync fails: one that has begun, one that was decided on
    /// before the failure was heard of, and those of a loop that was held up by a slow call and finds the time for two more
    /// come before it finds the failure.
    private static let recordsUnderWay = 4

    /// What was to be done to a file at the process's death needs not be done any more: a record claims nothing that was
    /// dropped. One that was under way, or was decided on before the loss was heard of, says nothing of the next.
    func callOff(_ inode: UInt64) {
        state.withLock { state in
            if let left = state.losses[inode], left > 0 {
                state.losses[inode] = left - 1
                return state.setDue(false, inode)
            }
            state.losses[inode] = nil
            state.lastWords.removeAll { $0.inode == inode }
        }
    }

    /// Does at once what was to be done to a file at the process's death.
    func undoLoss(of inode: UInt64) {
        let due = state.withLock { state in
            defer { state.lastWords.removeAll { $0.inode == inode } }
            return state.lastWords.filter { $0.inode == inode && $0.isDue }
        }
        for word in due { word.work() }
    }

    /// Kills it.
    func kill() { end { $0.isRunning = false } }

    /// It has come to its end by itself.
    func exit() { end { $0.hasEnded = true } }

    private func end(_ change: (inout State) -> Void) {
        machine.bury(currentProcess.pid)
        let lastWords = state.withLock { state in
            change(&state)
            defer { state.lastWords = [] }
            return state.lastWords
        }
        for word in lastWords where word.isDue { word.work() }
    }
}
