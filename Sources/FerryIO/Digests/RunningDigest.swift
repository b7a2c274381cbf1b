internal import FerryCore
internal import Synchronization

/// The digest of a file that is being written: bytes that come in order are taken while they are at hand, so that
/// they need not be read again.
///
/// Whoever takes bytes has the digester to themselves meanwhile; what others write then is read later. A file that
/// goes back, because bytes were dropped, begins anew.
final class RunningDigest: Sendable {
    fileprivate struct State {
        var algorithm: Checksum.Algorithm?
        /// Of everything before the position, also while a copy of it is lent.
        var digester: Digester?
        var isLent = false
        var position: Int64 = 0
        /// Counts how often it began anew, so that a digester of what was there before does not come back.
        var generation = 0
    }

    /// A digester that was taken out, of everything before its position.
    struct Loan: Sendable {
        var digester: Digester
        var position: Int64
        fileprivate var generation: Int
    }

    private let state = Mutex(State())

    /// Begins with an algorithm, unless that has begun already.
    func begin(_ algorithm: Checksum.Algorithm) {
        state.withLock { state in
            guard state.algorithm != algorithm else { return }
            state.algorithm = algorithm
            state.restart()
        }
    }

    /// Takes bytes that have been written at `offset`, if they come next.
    func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        let loan = state.withLock { state -> Loan? in
            if offset < state.position { state.restart() }
            return offset == state.position ? state.lend() : nil
        }
        guard var loan else { return }
        loan.digester.update(bytes)
        loan.position += Int64(bytes.count)
        giveBack(loan)
    }

    /// What was there from `length` on is gone.
    func cut(to length: Int64) {
        // One that is lent may have come further than is noted here.
        state.withLock { if length < $0.position || $0.isLent { $0.restart() } }
    }

    /// The digester, to go on with from its position; `nil` when there is none, or somebody has it.
    func lend() -> Loan? {
        state.withLock { $0.lend() }
    }

    /// Gives a digester back that has taken more.
    ///
    /// - Returns: whether it was taken back; `false` when the file went back meanwhile.
    @discardableResult
    func giveBack(_ loan: Loan) -> Bool {
        state.withLock { state in
            guard loan.generation == state.generation else { return false }
            state.digester = loan.digester
            state.position = loan.position
            state.isLent = false
            return true
        }
    }

    /// The digester for an algorithm, and how far it has come; a new one when there is none. What is lent is not
    /// wanted any more.
    func latest(_ algorithm: Checksum.Algorithm) -> (digester: Digester, position: Int64) {
        state.withLock { state in
            guard state.algorithm == algorithm, let digester = state.digester else {
                return (Digester(algorithm), 0)
            }
            state.generation += 1
            state.isLent = false
            return (digester, state.position)
        }
    }
}

extension RunningDigest.State {
    fileprivate mutating func restart() {
        guard let algorithm else { return }
        generation += 1
        digester = Digester(algorithm)
        isLent = false
        position = 0
    }

    fileprivate mutating func lend() -> RunningDigest.Loan? {
        guard !isLent, let digester else { return nil }
        isLent = true
        return RunningDigest.Loan(digester: digester, position: position, generation: generation)
    }
}
