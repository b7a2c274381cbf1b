import FerryCore
import GRDB

/// A transfer that a claim may take.
struct Candidate: Comparable {
    /// Which one.
    var id: TransferID
    /// Higher runs first.
    var priority: Int64

    /// Reads number and priority.
    init(_ row: Row) throws {
        id = TransferID(rawValue: try row.decode(Int64.self, atIndex: 0))
        priority = try row.decode(Int64.self, atIndex: 1)
    }

    /// Whether `lhs` is claimed before `rhs`.
    static func < (lhs: Candidate, rhs: Candidate) -> Bool {
        lhs.priority == rhs.priority ? lhs.id < rhs.id : lhs.priority > rhs.priority
    }
}

/// The two lines that a claim draws from, each in order: what is free, and what the claiming owner holds.
struct CandidateLines {
    /// What nobody holds.
    let free: RowCursor
    /// What the claiming owner holds.
    let held: RowCursor

    /// The first `limit` of both lines together that are wanted.
    ///
    /// - Returns: `nil` when more than `bound` would have to be looked at.
    func first(
        _ limit: Int,
        within bound: Int,
        where isWanted: (Candidate) -> Bool
    ) throws -> [Candidate]? {
        var found: [Candidate] = []
        var looked = 0
        var nextFree = try free.next().map(Candidate.init)
        var nextHeld = try held.next().map(Candidate.init)
        while found.count < limit {
            let takesFree: Bool
            switch (nextFree, nextHeld) {
            case (nil, nil): return found
            case (_, nil): takesFree = true
            case (nil, _): takesFree = false
            case (let free?, let held?): takesFree = free < held
            }
            guard let candidate = takesFree ? nextFree : nextHeld else { return found }
            guard looked < bound else { return nil }
            looked += 1
            if isWanted(candidate) { found.append(candidate) }
            guard found.count < limit else { break }
            if takesFree {
                nextFree = try free.next().map(Candidate.init)
            } else {
                nextHeld = try held.next().map(Candidate.init)
            }
        }
        return found
    }
}
