/// A named line of transfers, and what holds for it over all processes that share the store.
public struct TransferQueue: Hashable, Sendable, Identifiable {
    /// What happens when a transfer is added while all slots are taken.
    public enum Overflow: String, Hashable, Sendable, CaseIterable {
        /// It waits for its turn.
        case wait
        /// The oldest running one is cancelled, and the new one starts before those that wait: what a table of images
        /// wants that is being scrolled.
        case cancelOldest
    }

    /// In which order its transfers run.
    public enum Order: String, Hashable, Sendable, CaseIterable {
        /// By their places. One that waits for something, has failed or is paused lets those behind it go first.
        case fair
        /// First in, first out, also under retry: only the first transfers may run, as many as there are slots. One that waits
        /// for something or is paused holds those behind it.
        case strict
    }

    /// What a failed transfer of a strict queue means for those behind it.
    public enum OnFailure: String, Hashable, Sendable, CaseIterable {
        /// It holds them until it is retried, cancelled or removed.
        case hold
        /// They fail as well, with ``TransferFailure/Code/headFailed``, unless they run already.
        case fail
    }

    /// Its name, which never changes.
    public let name: String
    /// How many of its transfers run at once, whoever runs them; 0 for as many as the processes have room for.
    public var slots: Int
    /// What happens when it is full.
    public var overflow = Overflow.wait
    /// In which order its transfers run. A strict queue has slots, and cancels none.
    public var order = Order.fair
    /// What a failed transfer means for those behind it; nothing in a fair queue.
    public var onFailure = OnFailure.hold
    /// How many transfers may run at once to one host before one of this queue starts: those of every queue count. 0 for
    /// any number.
    public var perHost: Int
    /// Whether none of its transfers may start.
    public var isPaused = false
    /// How fast all of its transfers may be together, in each process.
    public var rateLimit = RateLimit.off
    /// Set the priority; queues with higher priority run first.
    public var priority = 0

    /// The name, by which it is told apart.
    public var id: String { name }

    /// The name of the queue that transfers stand in when none is named.
    package static let usualName = "default"
    /// How many transfers of a queue run at once, unless told otherwise.
    public static let usualSlots = 10
    /// How many transfers run at once to one host, unless told otherwise.
    public static let usualPerHost = 8

    /// Creates a queue as it is before anything is changed: with ``usualSlots`` and ``usualPerHost``.
    ///
    /// The queue of those transfers that name none (``NewTransfer/defaultQueue``) has neither bound: who downloads
    /// something now does not wait for another process that is busy.
    public init(_ name: String) {
        self.name = name
        let isNamed = name != Self.usualName
        slots = isNamed ? Self.usualSlots : 0
        perHost = isNamed ? Self.usualPerHost : 0
    }

    /// Whether another one may run beside so many of its transfers.
    func hasRoom(beside running: Int) -> Bool { slots == 0 || running < slots }

    /// Whether one of its transfers may run beside so many to the same host.
    func admits(hostRunning running: Int) -> Bool { perHost == 0 || running < perHost }
}

extension TransferQueue {
    /// Why something is no queue.
    public enum Flaw: Error, Hashable, Sendable {
        /// The name is empty, too long, or has other characters than letters, digits, and `-`, `_` or `.` between them.
        case name(String)
        /// A number is less than 0.
        case negative
        /// A queue without a bound is never full, so that nothing could give way.
        case neverFull
        /// In a strict queue without a bound all may run at once, so that there is no order.
        case strictWithoutSlots
        /// A strict queue lets no transfer go before others.
        case strictWithoutWaiting
    }

    /// The longest name, in bytes.
    public static let longestName = 64

    /// Whether a text may be a queue's name: ASCII letters and digits, and `-`, `_` and `.` behind the first.
    public static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first.isLetterOrDigit, bytes.count <= longestName else { return false }
        return bytes.allSatisfy { $0.isLetterOrDigit || [0x2D, 0x2E, 0x5F].contains($0) }
    }

    /// Checks that it means something.
    public func check() throws(Flaw) {
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
