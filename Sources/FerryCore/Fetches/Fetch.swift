/// One result that is being fetched, for all who have asked for it.
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
        /// An attempt runs; whether it was asked to end.
        case running(isCut: Bool)
        case retrying(at: Instant, noted: Instant)
        case offline(host: String)
    }

    /// Who waits for it, and for how long.
    struct Caller: Hashable, Sendable {
        let id: FetchCaller
        /// How often it had failed when this caller came.
        let failuresBefore: Int
        let retries: Int
        let waitsForNetwork: Bool
    }

    let request: Request
    let host: String
    let firstHost: String
    var queue: String?
    var priority: Int
    /// Since when it stands in line, in milliseconds.
    var since: Int64
    /// Its place among all that were asked for, the latest time counting.
    var asked: Int64
    /// Whether it was not admitted to its queue yet since it was asked for last.
    var isAwaitingAdmission = true
    /// Whether it goes before all that wait.
    var isFirst = false
    var callers: [Caller]
    var failures = 0
    var state = State.ready

    var isRunning: Bool { if case .running = state { true } else { false } }

    /// Its line. Those of no queue have one that no queue can have.
    var line: String { queue ?? "" }

    /// Whether a caller is left, so that it counts in its queue.
    var isWanted: Bool { !callers.isEmpty }

    /// What a queue that cancels the oldest goes by.
    var number: TransferID { TransferID(rawValue: asked) }

    /// Where it stands in its queue.
    var candidate: ClaimCandidate {
        let since = isFirst ? LinePlace.front(number) : since
        let place = LinePlace(of: number, since: since, priority: priority)
        return ClaimCandidate(queue: line, host: host, place: place, since: since)
    }

    /// Its state in the words of a transfer, which the order of a strict queue goes by.
    var transferState: TransferState {
        switch state {
        case .ready: .queued
        case .running: .active
        case .retrying(let moment, _): .waiting(.retry(at: moment))
        case .offline: .waiting(.network)
        }
    }
}
