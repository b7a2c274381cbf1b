/// The body of a request.
package enum RequestBody: Sendable {
    /// Bytes in memory; empty for a request without a body.
    case bytes([UInt8])
    /// Bytes that are read while they are sent.
    case source(any BodySource)

    /// A body of at least this number of bytes waits until the server asks for it (RFC 9110 §10.1.1). So a server that
    /// refuses the request need not receive the body. curl has the same bound.
    package static let expectationFloor: Int64 = 1 << 20

    /// The length in bytes; `nil` if it is known only at the end.
    package var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length
        }
    }
}

/// The bytes of a request's body, read while they are sent. They may be read again from the start, because a redirect may
/// send a body once more.
package protocol BodySource: AnyObject, Sendable {
    /// The length in bytes; `nil` if it is known only at the end.
    var length: Int64? { get }

    /// The descriptor of an open file that begins with the body, so that the kernel can send it (`sendfile`); `nil` for a
    /// body that must be read.
    var descriptor: CInt? { get }

    /// Reads the bytes from `offset` on, and returns their number: 0 at the end, and only there.
    ///
    /// Blocks; called on an I/O thread.
    ///
    /// - Throws: ``Problem`` when they cannot be read, or have changed since the request was made.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int

    /// Checks that the bytes have not changed since the request was made. Quick; called on any thread.
    ///
    /// - Throws: ``Problem`` when they have changed.
    func check() throws(Problem)
}
