/// One caller's request for a result in memory.
package struct FetchCall<Request: Hashable & Sendable>: Sendable {
    /// What is fetched, and how. Callers with equal requests share one fetch.
    package var request: Request
    /// The host of the URL, for the limit per host.
    package var host: String
    /// The host that a connection is made to first: a proxy, or ``host``.
    package var firstHost: String
    /// Its queue; with `nil` it waits only for a slot of the engine.
    package var queue: String?
    /// Higher runs first within the queue.
    package var priority: Int
    /// Maximum retries after transient failures.
    package var retries: Int
    /// Whether to wait, not fail, while the host has no route (I10).
    package var waitsForNetwork: Bool

    package init(
        _ request: Request,
        host: String,
        firstHost: String? = nil,
        queue: String? = TransferQueue.usualName,
        priority: Int = 0,
        retries: Int = 0,
        waitsForNetwork: Bool = true
    ) {
        self.request = request
        self.host = host
        self.firstHost = firstHost ?? host
        self.queue = queue
        self.priority = priority
        self.retries = retries
        self.waitsForNetwork = waitsForNetwork
    }
}

/// The number of a fetch in its machine. It is never used twice.
package struct FetchID: Hashable, Sendable, Comparable {
    package let rawValue: Int64

    package static func < (lhs: FetchID, rhs: FetchID) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The number of a caller, assigned by the owner of the machine.
package typealias FetchCaller = Int

/// What the owner of the machine must do.
package enum FetchAction<Request: Hashable & Sendable>: Hashable, Sendable {
    /// Begin an attempt. Report its end with ``FetchMachine/ended(_:as:at:using:)``.
    case begin(FetchID, Request, queue: String?)
    /// End the attempt; a result that is already complete still counts.
    case cut(FetchID)
    /// Give these callers the result.
    case deliver([FetchCaller])
    /// Give these callers the failure.
    case fail([FetchCaller], Problem)
}

/// How an attempt at a fetch ended.
package enum FetchEnd: Hashable, Sendable {
    /// It has the result.
    case succeeded
    /// It failed; the host is given if it is known.
    case failed(Problem, to: String?)
    /// It was cut.
    case cut
}
