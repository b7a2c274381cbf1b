import Ferry
import FerryCore
internal import Synchronization

/// One process of the simulated machine. When it is killed, its tasks no longer reach the world: their calls
/// fail without effect, and they end unseen.
final class SimulatedProcess: HostInspector {
    private struct State {
        var isRunning = true
        var hasEnded = false
        /// It has a reason to stop with an error: a write that failed, or a hold on the store that it lost.
        var mayFail = false
        var fence: (@Sendable (FileIdentity) -> Void)?
        /// What its death does or undoes, and to which file.
        var lastWords: [LastWord] = []
        /// Files of which a failed sync has dropped bytes, with the number of records that may still claim
        /// them; unlimited until the process learns of the failure.
        var losses: [UInt64: Int] = [:]
        /// Until when none of its calls to the store succeeds, on the clock that measures waits.
        var standstill = Duration.zero
        /// How often its application went to the background or came back.
        var moves = 0
        /// Whether it still adds what it was started for.
        var isAdding = false
        /// What it does in the background, once it has reported that nothing runs there that must not; `nil` in the
        /// foreground and before that report.
        var quiet: BackgroundPolicy?

        /// Sets whether an action on a file at the process's death is currently due.
        mutating func setDue(_ isDue: Bool, _ inode: UInt64) {
            for index in lastWords.indices where lastWords[index].inode == inode {
                lastWords[index].isDue = isDue
            }
        }
    }

    private struct LastWord {
        /// The file; 0 stands for all files.
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

    /// Whether its actions have an effect.
    var isRunning: Bool { state.withLock { $0.isRunning && !$0.hasEnded } }

    /// Whether an error of its engine is expected.
    var mayFail: Bool { state.withLock { $0.mayFail } }

    func allowFailure() { state.withLock { $0.mayFail = true } }

    /// Whether it still adds what it was started for.
    var isAdding: Bool { state.withLock { $0.isAdding } }

    func set(adding isAdding: Bool) { state.withLock { $0.isAdding = isAdding } }

    /// Sets the callback for a file that belongs to another owner now.
    func atFence(_ fence: @escaping @Sendable (FileIdentity) -> Void) {
        state.withLock { $0.fence = fence }
    }

    /// It learns that a file belongs to another owner now.
    func fence(_ identity: FileIdentity) { state.withLock { $0.fence }?(identity) }

    /// Stops it for a while, as a signal or the migration of its machine would.
    func standStill(until moment: Duration) { state.withLock { $0.standstill = moment } }

    /// Until when it is stopped.
    var standstill: Duration { state.withLock { $0.standstill } }

    // MARK: Its application

    /// Sends its application to the background.
    ///
    /// - Returns: the argument for ``becameQuiet(since:under:)``.
    func leaveForeground() -> Int {
        state.withLock { state in
            state.moves += 1
            state.quiet = nil
            return state.moves
        }
    }

    /// Records that nothing runs any more that must not run under a policy, unless its application has moved since.
    func becameQuiet(since move: Int, under policy: BackgroundPolicy) {
        state.withLock { $0.quiet = $0.moves == move ? policy : nil }
    }

    /// Brings its application back.
    func enterForeground() {
        state.withLock { state in
            state.moves += 1
            state.quiet = nil
        }
    }

    /// Whether it may not start this transfer.
    func mayNotBegin(_ transfer: Transfer) -> Bool {
        switch state.withLock({ $0.quiet }) {
        case nil: false
        case .stop, .finishActive: true
        case .keepRunning: !transfer.runsInBackground
        }
    }

    /// Whether it may not run this transfer.
    func mayNotRun(_ transfer: Transfer) -> Bool {
        switch state.withLock({ $0.quiet }) {
        case nil: false
        case .stop: true
        case .finishActive, .keepRunning: !transfer.runsInBackground
        }
    }

    func life(of process: ProcessIdentity) -> Life { machine.isAlive(process) ? .alive : .dead }

    /// Adds an action for its death, unless it is called off before.
    func atDeath(of inode: UInt64 = 0, _ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.lastWords.append(LastWord(inode: inode, work: work)) }
    }

    /// Records that a sync of a file failed and dropped bytes of it.
    func lost(_ inode: UInt64) { state.withLock { $0.losses[inode] = .max } }

    /// Records that the process learned of that.
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

    /// Maximum records that can be on their way to the store when a sync fails. One has begun, and one was
    /// decided before the process learned of the failure. A loop delayed by a slow call may add two more
    /// before it sees the failure.
    private static let recordsUnderWay = 4

    /// Calls off an action at the process's death: a record claims nothing that was dropped. A record that
    /// was running, or was decided before the process learned of the loss, says nothing about the next one.
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

    /// Performs at once the actions on a file for the process's death.
    func undoLoss(of inode: UInt64) {
        let due = state.withLock { state in
            defer { state.lastWords.removeAll { $0.inode == inode } }
            return state.lastWords.filter { $0.inode == inode && $0.isDue }
        }
        for word in due { word.work() }
    }

    /// Kills the process.
    func kill() { end { $0.isRunning = false } }

    /// Ends the process by itself.
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
