/// One result that is being fetched, for all callers that asked for it.
///
/// | state | exits |
/// |---|---|
/// | `ready` | `running`, when its queue has room; dropped, when no caller is left |
/// | `running` | over; `retrying`, `offline`; `ready`, when it was cut and callers are left |
/// | `retrying` | `ready`, when its time has come; dropped |
/// | `offline` | `ready`, when there is a route; dropped |
struct Fetch<Request: Hashable & Sendable>: Sendable {
    enum State: Hashable, Sendable {
        case ready
        /// An attempt runs. `isCut`: it was asked to end.
        case running(isCut: Bool)
        case retrying(at: Instant, noted: Instant)
        case offline(host: String)
    }

    /// A caller that waits for it, and the number of failures that this caller accepts.
    struct Caller: Hashable, Sendable {
        let id: FetchCaller
        /// The failures of the fetch when this caller asked.
        let failuresBefore: Int
        let retries: Int
        let waitsForNetwork: Bool
    }

    let request: Request
    let host: String
    let firstHost: String
    var queue: String?
    var priority: Int
    /// When it got its place in line, in milliseconds.
    var since: Int64
    /// Its position in the order of requests; a repeated request moves it to the end.
    var asked: Int64
    /// Whether its latest request has yet to be admitted to its queue.
    var isAwaitingAdmission = true
    /// Whether it runs before all others that wait.
    var isFirst = false
    var callers: [Caller]
    var failures = 0
    var state = State.ready

    var isRunning: Bool { if case .running = state { true } else { false } }

    /// Its line. Fetches without a queue share the empty name, which no queue can have.
    var line: String { queue ?? "" }

    /// Whether a caller is left. Only then does it count in its queue.
    var isWanted: Bool { !callers.isEmpty }

    /// The number by which a queue that cancels the oldest orders fetches.
    var number: TransferID { TransferID(rawValue: asked) }

    /// Its place in its queue.
    var candidate: ClaimCandidate {
        let since = isFirst ? LinePlace.front(number) : since
        let place = LinePlace(of: number, since: since, priority: priority)
        return ClaimCandidate(queue: line, host: host, place: place, since: since)
    }

    /// The equivalent state of a transfer, which orders a strict queue.
    var transferState: TransferState {
        switch state {
        case .ready: .queued
        case .running: .active
        case .retrying(let moment, _): .waiting(.retry(at: moment))
        case .offline: .waiting(.network)
        }
    }
}
