internal import FerryCore
internal import Synchronization

/// The digest of a file during its writing. Bytes in order are digested while in memory, so that they need
/// not be read again.
///
/// Only one caller at a time has the digester. Bytes that others write meanwhile are read later. When bytes before its
/// position are dropped or rewritten, the digest starts over.
final class RunningDigest: Sendable {
    fileprivate struct State {
        var algorithm: Checksum.Algorithm?
        /// The digest of everything before the position, even while a copy of it is lent.
        var digester: Digester?
        var isLent = false
        var position: Int64 = 0
        /// Counts restarts, so that a digester of earlier content is not given back.
        var generation = 0
    }

    /// A lent digester, of everything before its position.
    struct Loan: Sendable {
        var digester: Digester
        var position: Int64
        fileprivate var generation: Int
    }

    private let state = Mutex(State())

    /// Whether a digest is computed.
    var isDigesting: Bool { state.withLock { $0.algorithm != nil } }

    /// Begins with an algorithm, unless it is already the current one.
    func begin(_ algorithm: Checksum.Algorithm) {
        state.withLock { state in
            guard state.algorithm != algorithm else { return }
            state.algorithm = algorithm
            state.restart()
        }
    }

    /// Takes bytes that were written at `offset`, if they come next.
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

    /// The file was cut: bytes from `length` on are gone.
    func cut(to length: Int64) {
        // A lent digester may be at a later position than the one here.
        state.withLock { if length < $0.position || $0.isLent { $0.restart() } }
    }

    /// Lends the digester, to continue from its position; `nil` if there is none or it is already lent.
    func lend() -> Loan? {
        state.withLock { $0.lend() }
    }

    /// Gives back a digester that has taken more bytes.
    ///
    /// - Returns: whether it was accepted; `false` when the digest started over meanwhile.
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

    /// The digester for an algorithm and its position; a new one if there is none. A lent copy is no longer
    /// wanted.
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
