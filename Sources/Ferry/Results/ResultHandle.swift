/// A small result that is being fetched into memory; see ``TransferEngine/fetch(from:limit:options:queue:priority:retries:waitsForNetwork:)``.
public struct ResultHandle: Sendable {
    let ticket: ResultTicket
    let withdraw: @Sendable () -> Void

    /// Waits for the result. Cancelling this task ends the wait, and not the fetch.
    ///
    /// - Throws: `Problem` when it cannot be had: its failure has the code `gaveWay` if a newer one took its place. `StoreError`
    ///   when the settings of its queue cannot be read. `CancellationError` after ``cancel()``, when this task is cancelled, or
    ///   when the engine is closed.
    public func value() async throws -> [UInt8] { try await ticket.value() }

    /// Ends the fetch for this caller. Others who asked for the same still get it.
    public func cancel() { withdraw() }
}
