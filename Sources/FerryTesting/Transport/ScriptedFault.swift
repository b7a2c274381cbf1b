package import FerryCore
package import HTTPTypes

/// A fault of one request.
package enum ScriptedFault: Sendable {
    /// The connection cannot be made.
    case refuse(Problem)
    /// Another response than the resource's.
    case answer(status: Int, HTTPFields, body: [UInt8] = [])
    /// The connection breaks after N bytes of the body.
    case breakAfter(Int)
    /// The body stops after N bytes until the test releases it with ``ScriptedTransport/release()``.
    case stallAfter(Int)
    /// The head does not arrive until the test releases it with ``ScriptedTransport/release()``.
    case stallBeforeHead
    /// The head does not arrive, and the transport gives up after this time.
    case timeOutBeforeHead(Duration)
    /// The body stops after N bytes, and the transport gives up after this time.
    case timeOutAfter(Int, Duration)
    /// The head announces N bytes more than arrive; the connection breaks where they should be.
    case overstateLength(by: Int)
    /// The head of a part does not say which part it is. The head of a whole says that it is a part.
    case garbleRange
    /// The whole answer arrives, and then the connection breaks before all of the request has left.
    case loseRequest
    /// The server's file is replaced while it reads it: from byte N on, the body is another file's.
    case switchAfter(Int, to: [UInt8])
}
