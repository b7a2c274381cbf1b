/// Which addresses of a server are tried, and when: Happy Eyeballs (RFC 8305 §4, §5), without I/O.
///
/// Its owner adds the addresses, carries out the steps of ``next(at:)`` until one says to wait, and reports the result of
/// each attempt. Time is an argument.
package struct ConnectionRace: Sendable {
    /// What its owner has to do.
    package enum Step: Hashable, Sendable {
        /// Connect to an address. Attempts are numbered from 0 on.
        case attempt(Int, IPAddress)
        /// Wait until this moment, the end of an attempt, or another address; `nil` when time changes nothing.
        case wait(until: Instant?)
        /// Use the connection of this attempt, and close the attempts in ``running``.
        case won(Int)
        /// Every attempt has failed, or there is no address.
        case failed
    }

    private enum State {
        /// No attempt has succeeded. Exits: `won`, `failed`.
        case racing
        /// This attempt has succeeded. Final.
        case won(Int)
        /// Every attempt has failed. Final.
        case failed
    }

    /// Maximum attempts, because a name may have any number of addresses.
    package static let mostAttempts = 32
    /// The allowed times between two attempts (RFC 8305 §8).
    package static let delays: ClosedRange<Duration> = .milliseconds(10) ... .seconds(2)

    private let delay: Duration
    private var state = State.racing
    /// The addresses not tried yet.
    private var waiting: [IPAddress] = []
    /// All addresses that count: at most ``mostAttempts`` of each family.
    private var known: [IPAddress] = []
    private var areAllKnown = false
    /// The family whose turn it is.
    private var turn: AddressFamily?
    /// The number of attempts so far.
    private var attempts = 0
    /// When the latest attempt began; `nil` when the next one may begin at once.
    private var latest: Instant?

    /// The attempts that have not ended, without the winner.
    package private(set) var running: Set<Int> = []

    /// A race without addresses.
    ///
    /// - Parameter delay: the time between two attempts, brought within ``delays``.
    package init(delay: Duration = .milliseconds(250)) {
        self.delay = min(max(delay, Self.delays.lowerBound), Self.delays.upperBound)
    }

    /// Adds addresses in the system's order (RFC 6724). The very first address decides which family begins.
    ///
    /// - Parameter isLast: whether these are the last addresses.
    package mutating func add(_ addresses: [IPAddress], isLast: Bool) {
        for address in addresses where !known.contains(address) {
            guard known.count(where: { $0.family == address.family }) < Self.mostAttempts else { continue }
            if turn == nil { turn = address.family }
            known.append(address)
            waiting.append(address)
        }
        if isLast { areAllKnown = true }
    }

    /// The step to take now. Call this again after ``Step/attempt(_:_:)``.
    package mutating func next(at now: Instant) -> Step {
        switch state {
        case .won(let attempt): return .won(attempt)
        case .failed: return .failed
        case .racing: break
        }
        guard hasNext else {
            guard running.isEmpty, areAllKnown || attempts >= Self.mostAttempts else {
                return .wait(until: nil)
            }
            state = .failed
            return .failed
        }
        // A clock that was set back does not delay an attempt beyond the usual time.
        if let latest, latest <= now, now < latest.advanced(by: delay) {
            return .wait(until: latest.advanced(by: delay))
        }
        guard let address = takeNext() else { return .wait(until: nil) }
        let attempt = attempts
        attempts += 1
        running.insert(attempt)
        latest = now
        return .attempt(attempt, address)
    }

    /// An attempt has connected.
    ///
    /// - Returns: whether it has won. If not, close its connection.
    package mutating func connected(_ attempt: Int) -> Bool {
        guard running.remove(attempt) != nil, case .racing = state else { return false }
        state = .won(attempt)
        return true
    }

    /// An attempt has failed, or was given up. The next one begins at once.
    package mutating func failed(_ attempt: Int) {
        guard running.remove(attempt) != nil else { return }
        latest = nil
    }

    private var hasNext: Bool {
        attempts < Self.mostAttempts && !waiting.isEmpty
    }

    /// The next address; the families take turns as long as both have one.
    private mutating func takeNext() -> IPAddress? {
        guard let own = turn else { return nil }
        for family in [own, own.other] {
            if let index = waiting.firstIndex(where: { $0.family == family }) {
                turn = family.other
                return waiting.remove(at: index)
            }
        }
        return nil
    }
}
