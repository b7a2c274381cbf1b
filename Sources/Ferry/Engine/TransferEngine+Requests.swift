public import FerryCore
import FoundationEssentials

/// Requests that must arrive.
///
/// A request is stored whole, waits like a download, and is retried on the same terms. The store records that it is
/// sent before its first byte may leave. After that it is sent again only where HTTP allows it: with an
/// ``IdempotencyKey``, or with an idempotent method (RFC 9110 §9.2.2). Any other request fails with
/// ``TransferFailure/Code/outcomeUnknown`` when no answer comes (I8).
extension TransferEngine {
    /// Sends a request, in this engine. Returns once it is durable (I3).
    ///
    /// Two equal requests are two transfers, unless only the latest one counts
    /// (``RequestSpecification/replacesUnfinished``).
    ///
    /// - Throws: as ``start(_:)``.
    public func send(_ request: RequestSpecification) async throws(StoreError) -> TransferHandle {
        try await start(NewTransfer(request))
    }

    /// Runs a transfer of any kind, in this engine. Returns once it is durable (I3).
    ///
    /// - Parameter new: the transfer, with its queue, its type, what it comes after, and your own name and data for it. Under one
    ///   ``NewTransfer/uuid`` a transfer is stored once, and runs once.
    /// - Throws: ``StoreError`` when it could not be recorded; for what it comes after as
    ///   ``download(from:to:options:queue:priority:after:tag:payload:uuid:)``; ``StoreError/otherTransferNamed(_:_:)`` when
    ///   its UUID names a transfer that does something else.
    public func start(_ new: NewTransfer) async throws(StoreError) -> TransferHandle {
        transfer(try await download([new])[0].transfer.id)
    }
}

/// Handlers, which get the ends of transfers by their type (``TransferType``).
///
/// A handler is called at least once for each transfer of its type, until it returns: also for those that ended while no
/// process had a handler, in this process or another, and again after a restart. Over all processes, one call at a time
/// has a result in hand. After the death of its process, the result is handed out again. So a handler must have the
/// same effect when it is called twice.
///
/// A handler that throws is called again, after 1 s at first and after up to 5 min later, without end. It delays no other
/// result. Up to 8 results of one type are handled at once, in no particular order. The result is forgotten with its
/// transfer (``EngineConfiguration/retention``), or when the transfer is queued again.
///
/// Handlers run while ``run()`` does. When the engine stops, they are cancelled, and ``run()`` waits until they have
/// ended; an interrupted call is repeated later. An engine that ends by itself first handles every result that is due,
/// and leaves those whose handler has thrown to the next run.
extension TransferEngine {
    /// Handles the ends of all transfers of a type: completed (``Transfer/result``), failed and cancelled.
    ///
    /// A later call for the same type replaces the handler.
    public func handle(
        _ type: TransferType,
        _ body: @escaping @Sendable (Transfer) async throws -> Void
    ) {
        scheduler.handlers.set(body, for: type)
    }

    /// Handles the responses to the requests of a type. The body of the response is decoded as JSON.
    ///
    /// A body that cannot be decoded counts as if the handler had thrown, so that no response is lost: a later version of
    /// your program may be able to read it.
    ///
    /// - Parameters:
    ///   - value: the type of the value in the body.
    ///   - otherwise: called for every end without a whole stored response: a request that failed or was cancelled, one whose
    ///     response was cut, saved in a file or never seen, or a transfer of another kind. By default such an end counts as
    ///     handled.
    public func handle<Value: Decodable & SendableMetatype>(
        _ type: TransferType,
        as value: Value.Type,
        otherwise: @escaping @Sendable (Transfer) async throws -> Void = { _ in },
        _ body: @escaping @Sendable (Value, Transfer) async throws -> Void
    ) {
        handle(type) { transfer in
            guard transfer.state == .completed, let response = transfer.response,
                response.savedLength == nil, !response.isTruncated
            else {
                return try await otherwise(transfer)
            }
            try await body(JSONDecoder().decode(Value.self, from: Data(response.body)), transfer)
        }
    }
}

/// Files that are uploaded, and resumed where they were interrupted.
///
/// An upload waits and is retried as a download is. Its server is asked how far it is, and the upload continues from
/// there, also after a restart. It never mixes two versions of the file. What a server holds of an upload that is cancelled is
/// removed there, at once or by the next engine that runs.
extension TransferEngine {
    /// Uploads a file, in this engine. Returns once the upload is durable (I3).
    ///
    /// The unfinished upload to the same URL by the same protocol is resumed, with the file as it is now. If the same version of
    /// the file was uploaded there before, it is not sent again while the server has it; see
    /// ``UploadSpecification/sendsAgain``.
    ///
    /// - Parameter upload: the file and its URL. A file is pinned by ``TransferAccess/pin(_:)``.
    /// - Throws: as ``start(_:)``.
    public func upload(_ upload: UploadSpecification) async throws(StoreError) -> TransferHandle {
        try await start(NewTransfer(upload))
    }
}
