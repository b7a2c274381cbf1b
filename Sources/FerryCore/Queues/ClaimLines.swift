/// What could be claimed, as a ``ClaimPlan`` looks at it: one line for each queue. That of a strict queue has only those of its
/// first that could run.
public protocol ClaimLines {
    /// What keeps it from being looked at.
    associatedtype Failure: Error

    /// The queues in which something stands, each once.
    mutating func queues() throws(Failure) -> [String]
    /// The first in a queue whose host is admitted.
    mutating func first(
        of queue: String,
        where isAdmitted: (_ host: String) -> Bool
    ) throws(Failure) -> ClaimCandidate?
    /// Takes out of its line what ``first(of:where:)`` gave last for that queue.
    mutating func remove(_ candidate: ClaimCandidate) throws(Failure)
}

/// Lines that are held in memory as a whole.
public struct ListedLines: ClaimLines {
    /// There is nothing that could fail.
    public typealias Failure = Never

    private var lines: [String: [ClaimCandidate]]

    /// Puts candidates in line.
    ///
    /// - Parameter fronts: for each strict queue those that may run (``TransferQueue/front(of:)``); no others of it are taken.
    public init(_ candidates: [ClaimCandidate], fronts: [String: Set<TransferID>] = [:]) {
        let inFront = candidates.filter { fronts[$0.queue]?.contains($0.id) != false }
        lines = Dictionary(grouping: inFront, by: \.queue).mapValues { line in
            line.sorted { $0.place < $1.place }
        }
    }

    /// The queues in which something stands.
    public mutating func queues() -> [String] { lines.keys.sorted() }

    /// The first in a queue whose host is admitted.
    public mutating func first(
        of queue: String,
        where isAdmitted: (_ host: String) -> Bool
    ) -> ClaimCandidate? {
        lines[queue]?.first { isAdmitted($0.host) }
    }

    /// Takes a candidate out of its line.
    public mutating func remove(_ candidate: ClaimCandidate) {
        lines[candidate.queue]?.removeAll { $0.id == candidate.id }
    }
}
