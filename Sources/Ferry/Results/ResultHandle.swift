/// A small result that is being fetched into memory; see ``TransferEngine/fetch(from:limit:options:queue:priority:retries:waitsForNetwork:)``.
public struct ResultHandle: Sendable {
    let ticket: ResultTicket<[UInt8]>
    let withdraw: @Sendable () -> Void

    /// Waits for the result. Cancelling this task ends the wait, but not the fetch.
    ///
    /// - Throws: ``TransferFailure``, whose code is ``TransferFailure/Code/gaveWay`` if a newer fetch took its place;
    ///   ``StoreError`` when the settings of its queue cannot be read; `CancellationError` after ``cancel()``, when this
    ///   task is cancelled, or when the engine is closed.
    public func value() async throws -> [UInt8] { try await ticket.value() }

    /// Ends the fetch for this caller. Other callers who asked for the same result still get it.
    public func cancel() { withdraw() }
}
