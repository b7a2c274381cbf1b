import Ferry
import FerryFrontend

/// What `ferry pause` is asked to do.
struct PauseInput: Hashable, Sendable {
    /// The transfers to pause.
    var selection = TransferSelection()
    /// The options of every command.
    var global = GlobalInput()

    func run() async throws {
        try await Session.run(global) { session in
            try await session.withClient { client in
                let ids = try await selection.resolve(in: client, .unfinished) {
                    $0.state != .paused || $0.isLeft
                }
                let owners = try await OwnerDirectory(client)
                session.nothingToDo(ids)
                let steering = try await client.steering()
                let isSummedUp = session.sumsUp(ids)
                var (paused, asked) = (0, 0)
                let status = await session.eachTogether(ids) { id in
                    try await steering.pause(id)
                } tell: { transfer in
                    // A transfer whose process may be gone has a line of its own, which says what to do.
                    if isSummedUp, transfer.wish == nil || owners.unprovedOwner(of: transfer) == nil {
                        if transfer.wish == nil { paused += 1 } else { asked += 1 }
                        return
                    }
                    let next = "`ferry resume \(transfer.id)` \(transfer.continuation)."
                    let done = "paused at \(transfer.amountText). \(next)"
                    let text = Session.pending(transfer, owners, done: done, asked: "is being paused")
                    session.steered(transfer, text, owners: owners)
                }
                if let line = Self.summary(paused: paused, asked: asked) { session.console.notice(line) }
                return status
            }
        }
    }

    /// The line for many transfers; `nil` for none.
    ///
    /// - Parameter asked: the number of those that other processes run, and have been asked to pause.
    static func summary(paused: Int, asked: Int) -> String? {
        guard paused + asked > 0 else { return nil }
        var counts: [String] = []
        if paused > 0 { counts.append("\(paused) paused") }
        if asked > 0 { counts.append("\(asked) being paused") }
        return "Transfers: \(counts.joined(separator: ", ")). "
            + "`ferry resume --all` resumes all unfinished transfers."
    }
}
