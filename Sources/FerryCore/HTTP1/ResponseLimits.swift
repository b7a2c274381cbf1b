/// The bounds of what a server may make this side read and keep (I9).
package struct ResponseLimits: Hashable, Sendable {
    /// Maximum bytes of the field lines of one head, and of each interim one.
    package var headBytes = 256 * 1024
    /// Maximum bytes of one line of a head, with its end.
    package var lineBytes = 128 * 1024
    /// Maximum number of fields of one head or of the trailers.
    package var fields = 2_000
    /// Maximum number of 1xx answers to one request.
    package var interimAnswers = 16
    /// Maximum number of empty lines before a status line.
    package var emptyLines = 4
    /// Maximum bytes of the line with the size of a chunk, extensions and end included.
    package var chunkLineBytes = 4 * 1024
    /// Maximum bytes of the trailers.
    package var trailerBytes = 16 * 1024

    /// The usual bounds.
    package init() {}
}
