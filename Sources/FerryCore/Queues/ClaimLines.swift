/// The claimable transfers as a ``ClaimPlan`` reads them: one line for each queue. The line of a strict queue holds
/// only those of its first transfers that can run.
package protocol ClaimLines {
    /// The error of a read.
    associatedtype Failure: Error

    /// Returns the queues with a non-empty line, each once.
    mutating func queues() throws(Failure) -> [String]
    /// Returns the first transfer in a queue whose host is admitted.
    mutating func first(
        of queue: String,
        where isAdmitted: (_ host: String) -> Bool
    ) throws(Failure) -> ClaimCandidate?
    /// Removes from its line what ``first(of:where:)`` returned last for that queue.
    mutating func remove(_ candidate: ClaimCandidate) throws(Failure)
}

/// Lines held in memory as a whole.
package struct ListedLines: ClaimLines {
    /// Reads never fail.
    package typealias Failure = Never

    private var lines: [String: [ClaimCandidate]]

    /// Creates lines of candidates.
    ///
    /// - Parameter fronts: for each strict queue, those that may run (``TransferQueue/front(of:)``). Its others are
    ///   ignored.
    package init(_ candidates: [ClaimCandidate], fronts: [String: Set<TransferID>] = [:]) {
        let inFront = candidates.filter { fronts[$0.queue]?.contains($0.id) != false }
        lines = Dictionary(grouping: inFront, by: \.queue).mapValues { line in
            line.sorted { $0.place < $1.place }
        }
    }

    /// The queues with a non-empty line.
    package mutating func queues() -> [String] { lines.keys.sorted() }

    /// The first transfer in a queue whose host is admitted.
    package mutating func first(
        of queue: String,
        where isAdmitted: (_ host: String) -> Bool
    ) -> ClaimCandidate? {
        lines[queue]?.first { isAdmitted($0.host) }
    }

    /// Takes a candidate out of its line.
    package mutating func remove(_ candidate: ClaimCandidate) {
        lines[candidate.queue]?.removeAll { $0.id == candidate.id }
    }
}
