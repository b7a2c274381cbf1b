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
        /// `nil` while somebody has it.
        var digester: Digester?
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
        state.withLock { if length < $0.position || $0.digester == nil { $0.restart() } }
    }

    /// The digester, to go on with from its position; `nil` when there is none, or somebody has it.
    func lend() -> Loan? {
        state.withLock { $0.lend() }
    }

    /// Gives a digester back that has taken more.
    func giveBack(_ loan: Loan) {
        state.withLock { state in
            guard loan.generation == state.generation else { return }
            state.digester = loan.digester
            state.position = loan.position
        }
    }

    /// A copy of the digester for an algorithm, and how far it has come; a new one when it has none.
    func latest(_ algorithm: Checksum.Algorithm) -> (digester: Digester, position: Int64) {
        state.withLock { state in
            guard state.algorithm == algorithm, let digester = state.digester else {
                return (Digester(algorithm), 0)
            }
            return (digester, state.position)
        }
    }
}

extension RunningDigest.State {
    fileprivate mutating func restart() {
        guard let algorithm else { return }
        generation += 1
        digester = Digester(algorithm)
        position = 0
    }

    fileprivate mutating func lend() -> RunningDigest.Loan? {
        guard let digester else { return nil }
        self.digester = nil
        return RunningDigest.Loan(digester: digester, position: position, generation: generation)
    }
}
