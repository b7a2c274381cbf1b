/// A named line of transfers, with settings that apply to all processes that share the store.
public struct TransferQueue: Hashable, Sendable, Identifiable {
    /// What happens when a transfer is added while all slots are taken.
    public enum Overflow: String, Hashable, Sendable, CaseIterable {
        /// It waits for its turn.
        case wait
        /// The oldest running transfer is cancelled, and the new one starts before those that wait. This suits a list of
        /// pictures that the user scrolls.
        case cancelOldest
        /// The queue never holds more unfinished transfers than it has slots, whether they run, wait or are paused. The one
        /// asked for longest ago is cancelled. A transfer that is asked for again counts as the latest.
        case cancelOldestAlsoWaiting
    }

    /// The order in which its transfers run.
    public enum Order: String, Hashable, Sendable, CaseIterable {
        /// By priority, then in the order of adding. Others overtake a transfer that waits, has failed or is paused.
        case fair
        /// First in, first out, even during retries: with N slots, only the first N unfinished transfers may run. A
        /// transfer that waits or is paused holds those behind it.
        case strict
    }

    /// The effect of a failed transfer of a strict queue on those behind it.
    public enum OnFailure: String, Hashable, Sendable, CaseIterable {
        /// It holds them until it is retried, cancelled or removed.
        case hold
        /// They fail as well, with ``TransferFailure/Code/headFailed``, unless they run already.
        case fail
    }

    /// Its name, which never changes.
    public let name: String
    /// Maximum number of its transfers that run at once, over all processes; 0 for no limit.
    public var slots: Int
    /// What happens when it is full.
    public var overflow = Overflow.wait
    /// The order in which its transfers run. A strict queue needs slots and cannot cancel the oldest.
    public var order = Order.fair
    /// The effect of a failed transfer on those behind it; ignored in a fair queue.
    public var onFailure = OnFailure.hold
    /// None of its transfers starts while this number of transfers, of any queue, run to the same host; 0 for no limit.
    public var perHost: Int
    /// Whether none of its transfers may start.
    public var isPaused = false
    /// Maximum speed of all its transfers together, in each process.
    public var rateLimit = RateLimit.off
    /// A queue of higher priority is served first.
    public var priority = 0

    /// The name, which identifies the queue.
    public var id: String { name }

    /// The name of the queue for transfers that name none.
    package static let usualName = "default"
    /// The default number of slots of a named queue.
    public static let usualSlots = 10
    /// The default number of running transfers for each host in a named queue.
    public static let usualPerHost = 8

    /// Creates a queue with its default settings: ``usualSlots`` and ``usualPerHost``.
    ///
    /// The queue of transfers that name none (``NewTransfer/defaultQueue``) has neither limit: a download that a user
    /// starts now does not wait for another, busy process.
    public init(_ name: String) {
        self.name = name
        let isNamed = name != Self.usualName
        slots = isNamed ? Self.usualSlots : 0
        perHost = isNamed ? Self.usualPerHost : 0
    }

    /// Whether another of its transfers may run beside this number of them.
    func hasRoom(beside running: Int) -> Bool { slots == 0 || running < slots }

    /// Whether another of its transfers may run beside this number to the same host.
    func admits(hostRunning running: Int) -> Bool { perHost == 0 || running < perHost }
}

extension TransferQueue {
    /// Why a queue's settings are refused.
    public enum Flaw: Error, Hashable, Sendable {
        /// The name is empty, too long, or has other characters than letters, digits, and `-`, `_` or `.` between them.
        case name(String)
        /// A number is less than 0.
        case negative
        /// A queue without slots is never full, so nothing could give way.
        case neverFull
        /// In a strict queue without slots all transfers may run at once, so there is no order.
        case strictWithoutSlots
        /// A strict queue lets no transfer go before others.
        case strictWithoutWaiting
    }

    /// The longest name, in bytes.
    public static let longestName = 64

    /// Whether a text may be a queue's name: ASCII letters and digits, and `-`, `_` and `.` after the first.
    public static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first.isLetterOrDigit, bytes.count <= longestName else { return false }
        return bytes.allSatisfy { $0.isLetterOrDigit || [0x2D, 0x2E, 0x5F].contains($0) }
    }

    /// Checks that the settings make sense. Throws ``Flaw`` otherwise.
    package func check() throws(Flaw) {
        guard Self.isName(name) else { throw .name(name) }
        guard slots >= 0, perHost >= 0 else { throw .negative }
        guard overflow == .wait || slots > 0 else { throw .neverFull }
        guard order == .fair || slots > 0 else { throw .strictWithoutSlots }
        guard order == .fair || overflow == .wait else { throw .strictWithoutWaiting }
    }
}

extension TransferQueue.Flaw: CustomStringConvertible {
    /// What is wrong, in a sentence for a person.
    public var description: String {
        switch self {
        case .name:
            "A queue's name has up to \(TransferQueue.longestName) letters and digits, and '-', '_' or '.' after the first."
        case .negative: "A queue cannot have a negative number of slots."
        case .neverFull: "A queue that cancels the oldest needs slots; set them first."
        case .strictWithoutSlots: "A strict queue needs slots; set one or more."
        case .strictWithoutWaiting: "A strict queue cannot cancel the oldest; new transfers have to wait."
        }
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
