/// Decodes the content coding of one body, piece by piece.
package protocol ContentDecoder: Sendable {
    /// Decodes the next bytes and passes the result to `output`, in order and in pieces of bounded size.
    ///
    /// Blocks, as ``ByteSink/write(_:at:)`` does. Two calls never run at the same time.
    ///
    /// - Throws: ``StorageProblem`` when the bytes are damaged, and what `output` throws.
    func decode(
        _ bytes: RawSpan,
        to output: (RawSpan) throws(StorageProblem) -> Void
    ) throws(StorageProblem)

    /// Finishes decoding after the last byte of the body.
    ///
    /// - Throws: ``StorageProblem`` when the body ended before the end that its coding marks.
    func finish() throws(StorageProblem)
}
