import FerryCore

/// Checks the copies of bodies: each is whole as long as its call may be sent, and goes when the call is over.
struct CopyChecker: Sendable {
    let bodies: MemoryBodyFiles
    let calls: CallChecker
    let trace: SimulationTrace

    /// Checks that each call that may still be sent has the copy of its body.
    func check(_ rows: [TransferID: Transfer]) {
        for (id, row) in rows.sorted(by: { $0.key < $1.key }) where !row.state.name.isOver {
            guard let copy = row.work.bodyCopy, let call = calls.call(of: id) else { continue }
            if bodies.bytes(of: copy) != call.body {
                trace.complain("copies: \(id) may be sent, and the copy of its body is gone or changed")
            }
        }
    }

    /// Checks transfers of which it is noted now that their residues are removed.
    func checkRemoval(of rows: [Transfer]) {
        let copies = Set(bodies.copies)
        for row in rows where row.residue == .bodyCopy && copies.contains("\(row.uuid)") {
            trace.complain("copies: the copy of \(row.id) is noted as removed, and is there")
        }
    }

    /// Whether an engine still has to remove the copy of a call that is over.
    func isOwed(by row: Transfer) -> Bool { row.residue == .bodyCopy && row.claim == nil }

    /// Checks at the end, after an engine has opened the store, that no copy is left that no call needs.
    func checkEnd(_ rows: [Transfer]) {
        let needed = rows.filter { $0.work.bodyCopy != nil && !$0.state.name.isOver }.map { "\($0.uuid)" }
        for copy in Set(bodies.copies).subtracting(needed).sorted() {
            trace.complain("copies: \(copy) is left, and no transfer needs it")
        }
    }
}
