/// Undoes the content coding of one body, piece by piece.
public protocol ContentDecoder: Sendable {
    /// Decodes what came next, and hands over what comes of it: in order, in pieces of bounded size, however much there is.
    ///
    /// Blocks, as ``ByteSink/write(_:at:)`` does; it is never called twice at once.
    ///
    /// - Throws: ``StorageProblem`` with a ``Problem`` when the bytes are damaged; what `output` throws.
    func decode(
        _ bytes: RawSpan,
        to output: (RawSpan) throws(StorageProblem) -> Void
    ) throws(StorageProblem)

    /// The body has ended.
    ///
    /// - Throws: ``StorageProblem`` unless it ended where the coding says that it does.
    func finish() throws(StorageProblem)
}
