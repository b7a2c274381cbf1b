/// What one caller asks for: a result that is wanted in memory.
package struct FetchAsk<Request: Hashable & Sendable>: Sendable {
    /// What is fetched, and how. Callers that ask for equal ones share one fetch.
    package var request: Request
    /// The host that is asked, for the bounds of hosts.
    package var host: String
    /// The host that a connection is made to first: a proxy, or ``host``.
    package var firstHost: String
    /// The line that it stands in; `nil` for none, so that it waits for nothing but a slot of the engine.
    package var queue: String?
    /// Higher runs first within the queue.
    package var priority: Int
    /// How many times to try again after an attempt that may work next time.
    package var retries: Int
    /// Whether to wait while there is no route to the host, rather than to fail (I10).
    package var waitsForNetwork: Bool

    /// Creates it.
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

/// The number of a caller, as the one who runs the machine gives it.
package typealias FetchCaller = Int

/// What is to be done for fetches.
package enum FetchAction<Request: Hashable & Sendable>: Hashable, Sendable {
    /// An attempt begins. Its end is told by ``FetchMachine/ended(_:as:at:using:)``.
    case begin(FetchID, Request, queue: String?)
    /// The attempt is to end, whatever it has.
    case cut(FetchID)
    /// These callers get what came.
    case deliver([FetchCaller])
    /// These callers get nothing.
    case fail([FetchCaller], Problem)
}

/// How an attempt at a fetch ended.
package enum FetchEnd: Hashable, Sendable {
    /// The result has come.
    case succeeded
    /// It failed, on the way to a host if that is known.
    case failed(Problem, to: String?)
    /// It was cut.
    case cut
}
